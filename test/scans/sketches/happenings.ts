import { sketch } from './sketch-site.ts'

/** Jobs, events and podcasts. */
export const HAPPENING_SKETCHES = [
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
