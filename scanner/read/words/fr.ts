import type { LanguageWords } from './language-words.ts'

export const fr: LanguageWords = {
  intents: {
    sign_up:
      's inscrire|inscription|inscrivez vous|créer un compte|créer mon compte|essai gratuit|essayer gratuitement|essayer|commencer|commencer gratuitement|démarrer|devenir membre|rejoindre|rejoignez nous|je m inscris|rejoindre la communauté',
    log_in: 'se connecter|connexion|connectez vous|mon compte|espace client|identifiez vous',
    buy: 'acheter|acheter maintenant|commander|je commande|commander en ligne|passer commande|acheter des billets|prendre des billets',
    add_to_cart: 'ajouter au panier|mettre au panier|ajouter dans le panier',
    checkout:
      'panier|voir le panier|payer|passer à la caisse|valider la commande|finaliser la commande|mon panier',
    book: 'réserver|réserver maintenant|réserver une table|prendre rendez vous|prendre un rendez vous|rendez vous|réservation|réserver une chambre|je réserve|vérifier les disponibilités|réserver en ligne',
    contact:
      'contact|contactez nous|nous contacter|contactez moi|me contacter|envoyer|envoyer un message|écrivez nous|nous écrire|parlons de votre projet|demander des informations',
    call: 'appeler|appelez nous|nous appeler',
    directions: 'itinéraire|nous trouver|comment venir|plan d accès|venir chez nous',
    download: 'télécharger|télécharger l application|installer|télécharger gratuitement',
    search: 'rechercher|recherche|chercher|trouver',
    subscribe:
      's abonner|je m abonne|abonnez vous|newsletter|lettre d information|infolettre|recevoir la newsletter|s inscrire à la newsletter|inscription à la newsletter',
    docs: 'documentation|guides|lire la documentation|référence',
    pricing: 'tarifs|prix|nos tarifs|voir les tarifs|nos offres|formules',
    demo: 'démo|demander une démo|voir la démo|réserver une démo|démonstration|demander une démonstration|planifier une démo',
    donate: 'faire un don|donner|je donne|soutenir|nous soutenir|soutenez nous',
    post: 'nouveau sujet|poser une question|nouveau message|publier|créer un sujet|nouvelle discussion',
    reply: 'répondre|commenter|laisser un commentaire|publier le commentaire|ajouter un commentaire',
    message:
      'contacter le vendeur|contacter l hôte|faire une offre|contacter le propriétaire|écrire au vendeur',
    save: 'ajouter aux favoris|favoris|enregistrer|ajouter à ma liste|liste d envies',
    share: 'partager|copier le lien',
    quote: 'demander un devis|devis gratuit|devis|obtenir un devis|être rappelé|demande de devis',
    apply: 'postuler|je postule|envoyer ma candidature|déposer ma candidature',
    play: 'écouter|écouter l épisode',
    waitlist: 'rejoindre la liste d attente|liste d attente',
    notify: 'm avertir|prévenez moi',
    copy_code: 'copier|copier le code',
    feedback: 'cette page vous a t elle aidé|cette page est elle utile|donner mon avis|modifier cette page',
    create:
      'nouveau projet|nouveau document|convertir|importer un fichier|jouer|jouer maintenant|générer|calculer|créer',
    export: 'exporter|enregistrer en pdf',
    view_work:
      'voir le projet|voir les projets|mes travaux|voir mes travaux|nos réalisations|réalisations|mon cv|portfolio',
    read: 'lire la suite|lire l article|en savoir plus|lire plus',
    sell: 'vendre|déposer une annonce|devenir vendeur|devenir hôte|publier une annonce|mettre en vente|commencer à vendre',
  },
  audience: 'pour|conçu pour|pensé pour|aide|dédié aux',
  classes: {
    public_service:
      'médiathèque|bibliothèque municipale|préfecture|mairie|commune|démarches|démarches administratives|état civil|conseil municipal|services municipaux|habitants|collectivité|arrêtés',
    jobs: 'offres d emploi|emploi|recruteurs|candidats|cdi|temps plein|postes à pourvoir',
    event: 'festival|programmation|conférence|intervenants|billetterie|billets|conférenciers|scènes',
    podcast: 'podcast|épisode|épisodes|écouter|saison|toutes les plateformes',
    nonprofit:
      'association|bénévoles|bénévole|dons|adhérer|humanitaire|nos missions|fondation|votre don|paroisse|messes',
    app_store_page: 'app store|google play|sur iphone|sur android|application mobile',
    api: 'api|développeurs|requêtes|clé api|webhooks|sdk',
    saas: 'fonctionnalités|intégrations|par utilisateur|par mois|essai gratuit|sans carte bancaire|logiciel|clients|sécurité|tarifs|automatisez',
    shop: 'boutique|panier|livraison|retours|nouveautés|promotions|soldes|livraison offerte|en stock|nos produits|carte cadeau',
    content:
      'articles|actualités|magazine|blog|recettes|archives|rubriques|opinions|les plus lus|culture|reportages|dossiers',
    marketplace:
      'annonces|petites annonces|vendeurs|vendre|toutes les catégories|particuliers|entre particuliers|hôtes',
    docs: 'documentation|premiers pas|installation|configuration|référence|guides|exemples',
    community: 'forum|sujets|membres|discussions|messages|derniers sujets|sans réponse',
    local_business:
      'horaires|heures d ouverture|notre carte|la carte|menu|nous trouver|notre équipe|soins|cabinet|rendez vous|accès|réservations|ouvert du|nos prestations|dentiste|sage femme|kinésithérapeute|vétérinaire|coiffeur|boulangerie|restaurant|hôtel|gîte|chambres d hôtes|menuiserie|plombier|électricien|avocat|notaire|auto école|fleuriste|garage|ostéopathe|cabinet',
    portfolio:
      'à propos de moi|mes travaux|projets choisis|graphiste|photographe|illustratrice|illustrateur|expositions|mon parcours|freelance|architectes|atelier d architecture',
    app: 'convertisseur|calculatrice|générateur|sans inscription|dans votre navigateur|jouer|éditeur|résultat|score',
  },
}
