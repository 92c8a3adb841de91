import type { LanguageWords } from './language-words.ts'

export const nl: LanguageWords = {
  intents: {
    sign_up:
      'registreren|aanmelden|account aanmaken|account maken|gratis proberen|probeer gratis|begin gratis|nu beginnen|aan de slag|start gratis|word lid|lid worden|meedoen|doe mee|gratis starten',
    log_in: 'inloggen|login|mijn account|klantportaal',
    buy: 'kopen|nu kopen|koop nu|bestellen|nu bestellen|bestel nu|tickets kopen|kaarten bestellen',
    add_to_cart:
      'in winkelwagen|in winkelmand|toevoegen aan winkelwagen|in mandje|voeg toe aan winkelwagen|in mijn winkelwagen',
    checkout: 'winkelwagen|winkelmand|afrekenen|naar de kassa|bestelling afronden|betalen',
    book: 'boeken|boek nu|nu boeken|reserveren|reserveer|reserveer een tafel|tafel reserveren|afspraak maken|maak een afspraak|beschikbaarheid bekijken|plan een afspraak|boek een kamer|online afspraak maken',
    contact:
      'contact|neem contact op|contact opnemen|stuur bericht|verstuur|verstuur bericht|verzenden|mail ons|mail mij|stuur een bericht|schrijf ons',
    call: 'bel|bel ons|bellen|bel nu',
    directions: 'route|routebeschrijving|hoe kom je er|plan je route|waar zijn we',
    download: 'downloaden|download|nu downloaden|download de app|installeren',
    search: 'zoeken|zoek|vinden',
    subscribe:
      'nieuwsbrief|abonneren|inschrijven|schrijf je in|abonneer|aanmelden voor de nieuwsbrief|inschrijven voor de nieuwsbrief',
    docs: 'documentatie|handleiding|gidsen|naslag',
    pricing: 'prijzen|tarieven|prijs|bekijk prijzen|abonnementen|pakketten|prijzen bekijken',
    demo: 'demo|demo aanvragen|vraag een demo aan|plan een demo|bekijk demo|demo bekijken|boek een demo',
    donate: 'doneer|doneren|steun ons|geef nu|doneer nu',
    post: 'nieuw onderwerp|stel een vraag|nieuw bericht|onderwerp starten|vraag stellen|nieuwe discussie',
    reply: 'antwoorden|reageren|reageer|plaats reactie|reactie plaatsen|beantwoorden|schrijf een reactie',
    message:
      'bericht verkoper|stuur bericht naar verkoper|neem contact op met verkoper|bod uitbrengen|doe een bod|plaats bod|contact met verhuurder',
    save: 'bewaren|opslaan|favoriet|verlanglijst|aan favorieten toevoegen',
    share: 'delen|link kopiëren|deel',
    quote: 'offerte aanvragen|offerte|vraag een offerte aan|gratis offerte|terugbelverzoek|bel mij terug',
    apply: 'solliciteren|solliciteer|solliciteer direct|nu solliciteren',
    play: 'luister|luister nu|beluister',
    waitlist: 'wachtlijst|zet me op de wachtlijst',
    notify: 'mail mij als hij er weer is|houd mij op de hoogte',
    copy_code: 'kopiëren|code kopiëren|kopieer',
    feedback: 'was deze pagina nuttig|was dit nuttig|heeft dit geholpen|feedback geven|bewerk deze pagina',
    create:
      'nieuw project|nieuw document|bestand uploaden|uploaden|omzetten|spelen|speel nu|genereren|berekenen|maken',
    export: 'exporteren|opslaan als pdf',
    view_work: 'bekijk project|bekijk projecten|mijn werk|bekijk mijn werk|ons werk|portfolio|cv',
    read: 'lees meer|lees verder|lees artikel|meer lezen',
    sell: 'verkopen|plaats advertentie|advertentie plaatsen|word verkoper|word verhuurder|begin met verkopen|zet te koop',
  },
  audience: 'voor|gemaakt voor|ontworpen voor|helpt',
  classes: {
    public_service: 'gemeente|gemeenteraad|burgerzaken|inwoners|burgemeester|paspoort aanvragen|afval',
    jobs: 'vacatures|werkgevers|sollicitanten|fulltime|parttime',
    event: 'festival|programma|sprekers|tickets|conferentie|podia',
    podcast: 'podcast|aflevering|afleveringen|luister|seizoen',
    nonprofit: 'stichting|vrijwilligers|vrijwilliger|donateurs|vereniging|anbi|parochie|goede doel',
    app_store_page: 'app store|google play|voor iphone|voor android',
    api: 'api|ontwikkelaars|endpoint|webhooks|sdk',
    saas: 'functies|integraties|koppelingen|per gebruiker|per maand|gratis proefperiode|geen creditcard|software|klanten|automatiseer',
    shop: 'winkel|winkelwagen|verzending|bezorging|retourneren|retour|nieuw binnen|aanbiedingen|uitverkoop|gratis verzending|op voorraad|webshop|cadeaubon',
    content:
      'artikelen|nieuws|magazine|blog|recepten|archief|opinie|meest gelezen|cultuur|rubrieken|achtergrond',
    marketplace: 'advertenties|verkopers|tweedehands|alle categorieën|verhuurders|te koop|kopers|aangeboden',
    docs: 'documentatie|aan de slag|installatie|configuratie|naslag|handleidingen|voorbeelden',
    community: 'forum|onderwerpen|leden|discussies|reacties|laatste onderwerpen|onbeantwoord',
    local_business:
      'openingstijden|onze kaart|menukaart|menu|route|ons team|behandelingen|praktijk|afspraken|reserveringen|bezoek ons|parkeren|onze salon|tandarts|verloskundigen|fysiotherapie|dierenarts|kapper|bakkerij|restaurant|hotel|timmerman|loodgieter|elektricien|advocaten|rijschool|bloemist|garage|sportschool',
    portfolio:
      'over mij|mijn werk|geselecteerd werk|fotograaf|ontwerper|illustrator|exposities|cv|opdrachtgevers|architecten|architectenbureau',
    app: 'omzetter|rekenmachine|generator|zonder account|in je browser|spelen|editor|resultaat|score',
  },
}
