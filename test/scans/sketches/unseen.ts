import { sketch } from './sketch-site.ts'
import { UNSEEN_OTHERS } from './unseen-others.ts'

/**
 * Sites that were sketched after the rules had been changed, without a look at them. They said how the rules
 * do with sites that nobody had in mind, until words of kinds were added by what they showed; held-out.ts has
 * others.
 */
export const UNSEEN_SKETCHES = [
  sketch(
    'county-clerk',
    {
      kind: 'public_service',
      language: 'en',
      main: ['Renew', 'Search', 'Book'],
      wants: [/renew|search|book/i],
      never: /signup|cart|limit|goal/,
    },
    `
    = / en Marlow County Clerk :: Records, licences and elections of Marlow County.
    nav
    a /records Records
    a /elections Elections
    main
    h1 Office of the County Clerk
    p The clerk keeps the records of the county: births, marriages, deeds and licences. Most requests can be made online, others need a visit to the office on Main Street.
    a.button.large /renew Renew a licence
    form /records/search name year * Search records`,
  ),
  sketch(
    'gelateria-nuvola',
    {
      kind: 'local_business',
      language: 'it',
      main: ['Ordina una torta', 'Come arrivare'],
      wants: [/order|ordina|direction|purchase|phone/i],
      never: /goal|limit|signup/,
    },
    `
    = / it Home | Gelateria Nuvola, Trieste :: Gelato artigianale nel centro di Trieste.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"IceCreamShop","name":"Gelateria Nuvola"}</script>
    nav
    a /gusti Gusti
    main
    h1 Gelato come una volta
    p Ogni mattina prepariamo il gelato con latte fresco e frutta di stagione. Siamo aperti tutti i giorni fino a mezzanotte, a due passi dal molo e con qualche tavolino fuori.
    a.btn.btn-primary /torte Ordina una torta
    a https://maps.app.goo.gl/q Come arrivare
    a tel:+39040 040`,
  ),
  sketch(
    'board-shop',
    {
      kind: 'shop',
      language: 'de',
      main: ['In den Rucksack'],
      wants: [/cart|rucksack/i],
      never: /goal|limit|app_/,
    },
    `
    = / de Brettwerk – Skateboards aus Esche :: Skateboards aus heimischer Esche.
    head <script src="https://cdn.shopify.com/s/x.js"></script>
    nav
    a /collections/decks Decks
    a /cart Rucksack
    main
    h1 Decks aus Esche
    p Wir pressen unsere Decks in Freiburg aus sieben Lagen heimischer Esche. Jedes Brett hat zwei Jahre Garantie, und der Versand ist in Deutschland kostenlos.
    a /products/auwald Auwald 8,25
    = /products/auwald de Auwald 8,25 – Brettwerk
    head <script src="https://cdn.shopify.com/s/x.js"></script>
    main
    h1 Auwald 8,25
    p 69,00 €
    form.product-form /cart/add id:hidden groesse:select * In den Rucksack`,
  ),
  sketch(
    'shift-planner',
    {
      kind: 'saas',
      language: 'nl',
      main: ['Maak een rooster', 'Probeer'],
      wants: [/signup|rooster|trial/i],
      never: /goal|newsletter|article/,
    },
    `
    = / nl Dienstje: roosters voor de horeca :: Roosterprogramma voor cafés en restaurants.
    header
    a /functies Functies
    a /prijzen Prijzen
    a /inloggen Inloggen
    main
    h1 Een rooster waar iedereen blij van wordt
    p Dienstje maakt het rooster van je team in een kwartier. Je personeel ruilt zelf diensten op de telefoon, en de uren gaan vanzelf naar de loonadministratie.
    a.bg-emerald-600.text-white.px-6.rounded-lg /nieuw Maak een rooster
    = /prijzen nl Prijzen | Dienstje
    main
    h1 Prijzen
    h2 Klein
    p € 15 per maand
    h2 Groot
    p € 39 per maand`,
  ),
  sketch(
    'pride-lyon',
    {
      kind: 'event',
      language: 'fr',
      main: ['Prendre ma place', 'billet'],
      wants: [/ticket|purchase|place/i],
      never: /goal|limit|cart|signup/,
    },
    `
    = / fr Nuits du Rhône 2027 – festival de cinéma :: Cinq nuits de cinéma en plein air à Lyon, du 3 au 7 août 2027.
    nav
    a /programmation Programmation
    a /infos Infos pratiques
    main
    h1 Cinq nuits de cinéma
    p Le festival projette vingt films au bord du Rhône. La programmation sera annoncée en mai, et les places sont limitées à huit cents personnes par soirée.
    a.bouton.bouton-primary https://www.weezevent.com/nuits-du-rhone Prendre ma place`,
  ),
  sketch(
    'food-bank',
    {
      kind: 'nonprofit',
      language: 'es',
      main: ['Quiero ayudar', 'Haz tu aportación', 'Donar'],
      wants: [/donat|ayudar/i],
      never: /goal|limit|cart|signup/,
    },
    `
    = / es Banco de Alimentos de Soria :: Repartimos comida a quien la necesita.
    nav
    a /quienes Quiénes somos
    a /voluntariado Voluntariado
    main
    h1 Nadie debería pasar hambre
    p Recogemos la comida que sobra en los supermercados y la repartimos entre las familias de la provincia. Lo hacemos con voluntarios y con donaciones de gente como tú.
    a.btn.btn-primary /colabora Quiero ayudar
    = /colabora es Colabora | Banco de Alimentos de Soria
    main
    h1 Colabora
    form /pago nombre correo:email cantidad:number * Donar`,
  ),
  sketch(
    'history-cast',
    {
      kind: 'podcast',
      language: 'fr',
      main: ['audio', 'Écouter', 'Spotify', 'podcasts'],
      wants: [/play|audio|listen/i],
      never: /goal|limit|signup/,
    },
    `
    = / fr Archives sonores, le podcast d'histoire :: Un podcast d'histoire, chaque jeudi.
    main
    h1 Archives sonores
    p Chaque jeudi, un épisode raconte une voix retrouvée dans les archives. Le podcast est disponible sur toutes les plateformes, et les transcriptions sont sur ce site.
    h2 Épisode 5 : La speakerine
    < <iframe src="https://player.acast.com/archives/5" title="Épisode 5"></iframe>
    a https://podcasts.apple.com/fr/podcast/id5 Apple Podcasts`,
  ),
  sketch(
    'plant-id',
    {
      kind: 'app_store_page',
      language: 'pt',
      main: ['App Store', 'apple', 'Google'],
      wants: [/download/i],
      never: /goal|limit|signup_completed/,
    },
    `
    = / pt Folha: que planta é esta? :: A app que reconhece plantas pela fotografia.
    main
    h1 Que planta é esta?
    p Tira uma fotografia e a Folha diz-te o nome da planta, como a regar e se é venenosa para o teu gato. Funciona sem rede e não mostra publicidade.
    < <a class="store" href="https://apps.apple.com/pt/app/id8"><img src="/a.svg" alt="Disponível na App Store"></a>
    < <a class="store" href="https://play.google.com/store/apps/details?id=folha"><img src="/g.svg" alt="Disponível no Google Play"></a>`,
  ),
  ...UNSEEN_OTHERS,
]
