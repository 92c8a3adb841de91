import { sketch } from './sketch-site.ts'

/** Public bodies, charities, jobs, events and podcasts. */
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
  sketch(
    'remote-harbour',
    {
      kind: 'jobs',
      language: 'en',
      main: ['Apply for this role', 'Apply'],
      wants: [/application|apply/, /search/, /listing|post_a_job|job/],
      never: /limit|creation|seller|result_made/,
    },
    `
    = / en Remote Harbour: jobs for people at sea :: Remote jobs for engineers and designers, checked by hand.
    header
    a.btn /post Post a job
    a /companies Companies
    main
    h1 Remote jobs, without the noise
    form /jobs q:search place level:select salary:number * Find jobs
    a.job /jobs/rust-engineer Rust engineer, full-time, remote
    a.job /jobs/designer Product designer, part-time
    p New vacancies every day from employers who say what they pay. Filter by salary, contract and time zone.
    form /alerts email:email * Send me job alerts
    = /jobs/rust-engineer en Rust engineer | Remote Harbour
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Rust engineer"}</script>
    main
    h1 Rust engineer
    p You will write software for ships. Salary from 70,000 a year, full-time, remote within Europe.
    a.btn.primary /jobs/rust-engineer/apply Apply for this role`,
  ),
  sketch(
    'jobkajen',
    {
      kind: 'jobs',
      language: 'da',
      main: 'Søg stillingen',
      wants: [/application|søg|apply/i],
      never: /limit|creation|result_made/,
    },
    `
    = / da Jobkajen – ledige stillinger i Nordjylland :: Find ledige stillinger i Nordjylland.
    nav
    a /ledige Ledige stillinger
    a /virksomheder For virksomheder
    main
    h1 Find dit næste job
    form /soeg hvad hvor * Find job
    p Her finder du ledige stillinger fra arbejdsgivere i hele Nordjylland. Du kan søge på fag og by, og vi sender dig en besked, når der kommer et nyt opslag.
    a /job/12 Tømrer søges, fuldtid
    = /job/12 da Tømrer søges | Jobkajen
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Tømrer"}</script>
    main
    h1 Tømrer søges
    p Vi søger en tømrer til vores hold i Aalborg. Du får faste kolleger, god løn og pension.
    a.knap.primary /job/12/ansoeg Søg stillingen`,
  ),
  sketch(
    'empleo-sur',
    {
      kind: 'jobs',
      language: 'es',
      main: ['Inscribirme en esta oferta', 'Buscar empleo'],
      wants: [/application|inscribirme/i],
      never: /limit|creation|seller/,
    },
    `
    = / es EmpleoSur: ofertas de trabajo en Andalucía :: Ofertas de empleo actualizadas cada día.
    main
    h1 Encuentra trabajo cerca de casa
    form /ofertas que donde categoria:select * Buscar empleo
    p Miles de candidatos encuentran trabajo cada mes. Las empresas publican sus vacantes con el salario y el tipo de contrato a la vista.
    a /oferta/88 Camarera de pisos, jornada completa
    = /oferta/88 es Camarera de pisos | EmpleoSur
    main
    h1 Camarera de pisos
    p Hotel en Málaga busca camarera de pisos para la temporada. Contrato de seis meses y jornada completa, con dos días libres.
    b.btn-primary#inscribir Inscribirme en esta oferta`,
  ),
  sketch(
    'low-tide-festival',
    {
      kind: 'event',
      language: 'en',
      main: ['Grab a ticket', 'Get tickets'],
      wants: [/ticket/],
      never: /cart|signup|article|first_success/,
    },
    `
    = / en Low Tide Festival 2027 :: Three days of music on the beach, 9 to 11 July 2027.
    header
    a /lineup Line-up
    a /travel Travel & camping
    a.btn https://lowtide.eventbrite.com/e/1 Grab a ticket
    main
    h1 Low Tide Festival
    p Three days of music, forty artists and one beach. Gates open at noon on Friday. Bring a tent, leave the car at home and take the shuttle.
    a.btn.btn-lg.primary https://lowtide.eventbrite.com/e/1 Grab a ticket
    < <iframe src="https://www.eventbrite.com/tickets-external?eid=1"></iframe>
    = /lineup en Line-up | Low Tide Festival 2027
    main
    h1 Line-up
    h2 Friday
    p Doors at noon. The Saltmarsh Five, Ida Wren, Nightjar.`,
  ),
  sketch(
    'backend-tage',
    {
      kind: 'event',
      language: 'de',
      main: 'Ticket sichern',
      wants: [/ticket/],
      never: /download|signup_completed|setup/,
    },
    `
    = / de Backend-Tage 2027 – Konferenz in Leipzig :: Die Konferenz für Backend-Entwicklung, 4. und 5. März 2027 in Leipzig.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"BusinessEvent","name":"Backend-Tage 2027"}</script>
    nav
    a /programm Programm
    a /sprecher Sprecherinnen und Sprecher
    a /anreise Anreise
    main
    h1 Zwei Tage nur Backend
    p Vierzig Vorträge, drei Bühnen und Zeit für Gespräche. Das Programm steht, die Sprecherinnen und Sprecher kommen aus ganz Europa, und das Abendessen ist im Preis enthalten.
    a.cta https://pretix.eu/backend/2027 Ticket sichern
    a /newsletter Newsletter`,
  ),
  sketch(
    'beh-lipnik',
    {
      kind: 'event',
      language: 'cs',
      main: 'Registrovat se na závod',
      never: /signup_completed|first_success|cart/,
    },
    `
    = / cs Běh kolem Lipníku 2027 :: Závod na deset kilometrů, 12. června 2027.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"SportsEvent","name":"Běh kolem Lipníku"}</script>
    nav
    a /trasa Trasa
    a /vysledky Výsledky
    main
    h1 Běh kolem Lipníku
    p Startujeme v sobotu v deset hodin na náměstí. Trasa vede lesem a kolem rybníka, na každém pátém kilometru je občerstvení a v cíli dostane každý závodník medaili.
    a.btn-primary.btn-lg /registrace Registrovat se na závod`,
  ),
  sketch(
    'slow-signals',
    {
      kind: 'podcast',
      language: 'en',
      main: ['audio', 'Listen', 'Play'],
      wants: [/play|audio|listen|episode/i],
      never: /goal|app_download|article|signup/,
    },
    `
    = / en Slow Signals, a podcast about radio :: A podcast about radio, every second Tuesday.
    head <link rel="alternate" type="application/rss+xml" href="/feed.xml">
    header
    a /episodes Episodes
    a /about About the hosts
    main
    h1 Slow Signals
    p A podcast about people who still listen to the radio. New episodes every second Tuesday, wherever you get your podcasts.
    h2 Episode 41: The night shift
    < <audio controls src="/41.mp3"></audio>
    a.badge https://podcasts.apple.com/podcast/id1 Apple Podcasts
    a.badge https://open.spotify.com/show/1 Spotify
    form /mail email:email * Send me the show notes
    = /episodes/41 en Episode 41: The night shift - Slow Signals
    main
    h1 The night shift
    < <audio controls src="/41.mp3"></audio>
    p Show notes and transcript of this episode.`,
  ),
  sketch(
    'kuchengespraeche',
    {
      kind: 'podcast',
      language: 'de',
      main: ['audio', 'Folge anhören', 'Spotify'],
      wants: [/play|audio|listen|folge|spotify/i],
      never: /signup|result|cart/,
    },
    `
    = / de Küchengespräche | Der Podcast :: Der Podcast über Essen und Familie.
    nav
    a /folgen Alle Folgen
    main
    h1 Küchengespräche
    p Jede Woche sprechen wir mit Menschen über das Essen ihrer Kindheit. Die Folgen dauern eine Stunde, und ihr könnt sie überall hören, wo es Podcasts gibt.
    h2 Folge 12: Omas Suppe
    b.play-button Folge anhören
    a https://open.spotify.com/show/2 Spotify
    a https://podcasts.apple.com/de/podcast/id2 Apple Podcasts
    a https://steadyhq.com/kuechengespraeche Unterstütze uns`,
  ),
  sketch(
    'nattlyssnarna',
    {
      kind: 'podcast',
      language: 'sv',
      main: ['audio', 'Lyssna på avsnittet'],
      wants: [/play|audio|listen|lyssna/i],
      never: /signup|cart/,
    },
    `
    = / sv Nattlyssnarna :: En podd om ljud som hörs på natten.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"PodcastSeries","name":"Nattlyssnarna"}</script>
    main
    h1 Nattlyssnarna
    p En podd om ljud som bara hörs på natten. Varje avsnitt spelas in på en ny plats, och du kan höra oss där poddar finns eller direkt här på sidan.
    h2 Avsnitt 7: Isen
    < <iframe src="https://open.spotify.com/embed/episode/7"></iframe>
    a.btn-primary https://open.spotify.com/show/7 Lyssna på avsnittet`,
  ),
]
