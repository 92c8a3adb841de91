import { sketch } from './sketch-site.ts'

/** Jobs, texts, tools and others of the sites of unseen.ts. */
export const UNSEEN_OTHERS = [
  sketch(
    'pflege-jobs',
    {
      kind: 'jobs',
      language: 'de',
      main: ['Jetzt bewerben', 'Stelle finden'],
      wants: [/application|bewerb/i],
      never: /goal|limit|creation|seller/,
    },
    `
    = / de PflegeStellen Ostsee :: Stellen in der Pflege, direkt von den Häusern.
    main
    h1 Stellen in der Pflege
    form /stellen ort umkreis:select * Stelle finden
    p Hier schreiben Kliniken und Heime ihre offenen Stellen selbst aus, mit Gehalt und Dienstplan. Arbeitgeber antworten innerhalb von drei Tagen.
    a /stellen/4 Pflegefachkraft, Teilzeit, Wismar
    = /stellen/4 de Pflegefachkraft in Wismar | PflegeStellen Ostsee
    main
    h1 Pflegefachkraft in Wismar
    p Wir suchen eine Pflegefachkraft in Teilzeit für unser Haus am Hafen, ohne Nachtdienst.
    form /bewerbung name email:email lebenslauf:file * Jetzt bewerben`,
  ),
  sketch(
    'city-essays',
    {
      kind: 'content',
      language: 'it',
      main: ['article', 'Iscriviti', 'newsletter'],
      wants: [/article|newsletter/],
      never: /goal|limit|cart|creation/,
    },
    `
    = / it Margini | rivista di città :: Una rivista di saggi sulle città.
    main
    < <article><h2><a href="/saggi/porti">I porti che non ci sono più</a></h2></article>
    < <article><h2><a href="/saggi/tram">Elogio del tram</a></h2></article>
    < <article><h2><a href="/saggi/cortili">Cortili</a></h2></article>
    form.newsletter /iscrizione email:email * Iscriviti
    = /saggi/porti it I porti che non ci sono più | Margini
    head <meta property="og:type" content="article">
    main
    h1 I porti che non ci sono più
    p Quando il porto si è spostato a sud, il quartiere ha perso il rumore che lo svegliava. Per anni nessuno ha saputo che cosa fare dei magazzini vuoti e delle gru ferme.`,
  ),
  sketch(
    'orchid-forum',
    {
      kind: 'community',
      language: 'es',
      main: ['Abrir un hilo', 'Responder', 'Nuevo'],
      wants: [/topic|reply|hilo/i],
      never: /goal|limit|cart/,
    },
    `
    = / es Foro de orquídeas :: El foro de quienes cultivan orquídeas en casa.
    head <meta name="generator" content="Flarum"><script src="/assets/forum.js"></script>
    header
    a /registro Registrarse
    main
    h1 Últimos hilos
    b.Button--primary Abrir un hilo
    p En este foro nos ayudamos con riegos, plagas y floraciones. Antes de preguntar, mira si alguien ha tenido el mismo problema, y pon siempre una foto de la planta.
    a /d/1-hojas Hojas amarillas
    = /d/1-hojas es Hojas amarillas - Foro de orquídeas
    main
    h1 Hojas amarillas
    form /posts texto:textarea * Responder`,
  ),
  sketch(
    'tenant-calc',
    {
      kind: 'app',
      language: 'fr',
      main: ['Calculer', 'calcul'],
      wants: [/creation|result|calcul/i],
      never: /goal|article|seller/,
    },
    `
    = / fr Simulateur de loyer :: Calculez le loyer maximal de votre logement.
    main
    h1 Simulateur de loyer
    p Indiquez la surface et l'année de construction, et le simulateur donne le loyer maximal de votre logement. Le calcul se fait dans le navigateur, sans inscription.
    < <form><input type="number" name="surface"><input type="number" name="annee"><button type="submit">Calculer</button></form><output></output>`,
  ),
  sketch(
    'studio-berg',
    {
      kind: 'portfolio',
      language: 'sv',
      main: ['Berätta', 'Kontakt', 'Hör av dig', 'mail'],
      wants: [/contact|enquiry|project|hör/i],
      never: /goal|limit|signup/,
    },
    `
    = / sv Berg & Dal arkitekter :: Arkitekter för små hus.
    nav
    a /projekt Projekt
    a /om Om oss
    main
    h1 Små hus, stora rum
    p Vi ritar fritidshus och tillbyggnader för människor som vill bo enkelt. Våra utvalda projekt visar hur mycket som får plats på sextio kvadratmeter.
    a /projekt/ronnskar Sommarhus på Rönnskär
    a.btn mailto:hej@berg.test Hör av dig`,
  ),
  sketch(
    'ferry-line',
    {
      kind: ['local_business', 'shop', 'unknown'],
      language: 'no',
      main: ['Bestill plass', 'Finn avgang'],
      wants: [/book|bestill|search|avgang/i],
      never: /goal|limit|signup|article/,
    },
    `
    = / no Kystferga – båt til øyene :: Ferge fra Bodø til øyene, hele året.
    nav
    a /rutetider Rutetider
    a /priser Priser
    main
    h1 Båt til øyene
    form /sok fra:select til:select dato:date * Finn avgang
    p Fergene våre går hele året og tar både biler og sykler. Du kan bestille plass på nettet inntil to timer før avgang, eller betale om bord hvis det er ledig.
    a.btn.btn-primary /bestill Bestill plass`,
  ),
]
