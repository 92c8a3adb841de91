import { sketch } from './sketch-site.ts'

/** Public bodies and charities. */
export const PUBLIC_SKETCHES = [
  sketch(
    'stadt-lindau',
    {
      kind: 'public_service',
      language: 'de',
      main: ['Termin im Bürgerbüro', 'Suchen'],
      wants: [/search/, /appointment|booking|termin/i],
      never: /signup|purchase|quote|limit|seller/,
      name: 'Stadt Lindenau',
    },
    `
    = / de Startseite | Stadt Lindenau :: Offizielle Website der Stadt Lindenau: Bürgerservice, Rathaus, Ämter und Formulare.
    header
    a /dienstleistungen Dienstleistungen A–Z
    a /rathaus Rathaus
    a /formulare Formulare
    form.search /suche q * Suchen
    main
    h1 Willkommen in Lindenau
    p Hier finden Sie alle Dienstleistungen der Stadtverwaltung von A–Z. Schreiben Sie uns eine E-Mail oder kommen Sie in das Rathaus, Zimmer 4 a. Die Öffnungszeiten des Bürgerbüros stehen auf der Seite des Rathauses.
    a.button.primary /termin Termin im Bürgerbüro
    h2 Bekanntmachungen
    a /formulare/hund.pdf Hundesteuer anmelden (PDF)
    footer
    a tel:+4983820 08382 0
    = /rathaus de Rathaus | Stadt Lindenau
    main
    h1 Rathaus
    form /kontakt name email:email nachricht:textarea * Absenden`,
  ),
  sketch(
    'mairie-valmont',
    {
      kind: 'public_service',
      language: 'fr',
      main: 'Prendre rendez-vous',
      wants: [/booking|appointment|rendez/i],
      never: /seller|signup|purchase|limit/,
    },
    `
    = / fr Accueil - Mairie de Valmont :: Site officiel de la commune de Valmont : démarches, conseil municipal, état civil.
    nav
    a /demarches Démarches
    a /conseil-municipal Conseil municipal
    a /ecoles Écoles et cantine
    main
    h1 Bienvenue à Valmont
    p La mairie vous accueille du lundi au vendredi pour vos démarches administratives : carte d'identité, passeport, état civil et inscription à l'école de la commune.
    a.btn.btn-primary /rdv Prendre rendez-vous
    a.btn /demarches Toutes les démarches
    form.newsletter /infos courriel:email * Recevoir la lettre de la mairie
    footer
    a mailto:mairie@valmont.test Écrire à la mairie`,
  ),
  sketch(
    'harrow-council',
    {
      kind: 'public_service',
      language: 'en',
      main: 'Pay your council tax',
      never: /checkout|cart|signup|order_completed/,
    },
    `
    = / en Home | Harrowby District Council :: Services for residents and businesses of Harrowby district.
    header
    form /search keyword * Search
    main
    h1 Harrowby District Council
    a.tile /bins Find your bin day
    a.govuk-button /pay Pay your council tax
    a.tile /report Report a problem
    a.tile /planning Planning applications
    p Find out about council services, meetings of councillors, planning, schools and housing in the district, and tell us when your circumstances change.
    = /report en Report a problem | Harrowby District Council
    main
    h1 Report a problem
    form /report street what:textarea email:email * Send report`,
  ),
  sketch(
    'gmina-zielona',
    { kind: 'public_service', language: 'pl', main: 'Załatw sprawę online', never: /signup|purchase|order/ },
    `
    = / pl Strona główna - Gmina Zielona Łąka :: Oficjalny serwis urzędu gminy Zielona Łąka.
    nav
    a /urzad Urząd Gminy
    a /bip Biuletyn Informacji Publicznej
    a /rada Rada Gminy
    main
    h1 Urząd Gminy Zielona Łąka
    p Urząd jest czynny od poniedziałku do piątku. Mieszkańcy mogą załatwić wiele spraw bez wychodzenia z domu, na przykład złożyć wniosek o dowód osobisty albo zgłosić odpady.
    a.btn-primary /eurzad Załatw sprawę online
    footer
    a tel:+48120000 Zadzwoń`,
  ),
  sketch(
    'parrocchia-san-rocco',
    {
      kind: 'nonprofit',
      language: 'it',
      main: "Fai un'offerta",
      wants: [/donation/],
      never: /seller|listing|deal/,
    },
    `
    = / it Parrocchia San Rocco :: La parrocchia di San Rocco: orari delle messe, catechismo, caritas.
    nav
    a /orari Orari delle messe
    a /catechismo Catechismo
    a /caritas Caritas
    main
    h1 Benvenuti in parrocchia
    p Le messe della domenica sono alle otto e alle undici. Chi desidera aiutare le famiglie del quartiere può portare la spesa in Caritas oppure sostenere la parrocchia con una piccola somma.
    a.button /dona Fai un'offerta
    a /contatti Contatti
    p Ufficio parrocchiale aperto il martedì.`,
  ),
  sketch(
    'paws-shelter',
    {
      kind: 'nonprofit',
      language: 'en',
      main: ['Give today', 'Meet the dogs'],
      wants: [/donation/],
      never: /seller|cart|signup/,
    },
    `
    = / en Second Paws animal rescue :: A registered charity that finds homes for dogs.
    header
    a /adopt Adopt
    a /volunteer Volunteer
    a.btn-donate https://donorbox.org/second-paws Give today
    main
    h1 Every dog deserves a second chance
    p We are a small charity run by volunteers. Your gift pays for food, vets and warm beds, and every adoption makes room for the next dog who needs our help.
    a.btn-primary https://donorbox.org/second-paws Give today
    a.btn /adopt Meet the dogs
    = /adopt en Adopt | Second Paws
    main
    h1 Dogs looking for a home
    form /adopt name email:email phone:tel about:textarea * Ask about adoption
    footer
    p Registered charity number 1099887`,
  ),
  sketch(
    'eau-pour-tous',
    {
      kind: 'nonprofit',
      language: 'fr',
      main: 'Je donne',
      wants: [/donation/],
      never: /order_completed|signup/,
    },
    `
    = / fr De l'eau pour tous | Association humanitaire :: Association qui construit des puits avec les habitants.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"NGO","name":"De l'eau pour tous"}</script>
    header
    a /missions Nos missions
    a /benevoles Devenir bénévole
    main
    h1 Un puits change un village
    p Avec vos dons, notre association construit des puits avec les habitants et forme les bénévoles qui les entretiennent. Chaque euro est suivi et publié.
    a.cta.big https://www.helloasso.com/associations/eau Je donne
    p Soixante-six pour cent de votre don est déductible des impôts.`,
  ),
  sketch(
    'metsan-ystavat',
    {
      kind: 'nonprofit',
      language: 'fi',
      main: 'Lahjoita',
      wants: [/donation|lahjoita/i],
      never: /order|checkout/,
    },
    `
    = / fi Metsän ystävät ry :: Yhdistys, joka suojelee vanhoja metsiä.
    nav
    a /toiminta Toiminta
    a /jasenet Jäseneksi
    main
    h1 Vanha metsä tarvitsee puolustajia
    p Yhdistyksemme ostaa ja suojelee vanhoja metsiä vapaaehtoisten ja lahjoittajien avulla. Jokainen lahjoitus käytetään kokonaan metsien suojeluun, ja kerromme siitä joka kuukausi.
    a.btn.btn--primary https://www.betterplace.org/metsa Lahjoita
    a.btn /jasenet Liity jäseneksi`,
  ),
]
