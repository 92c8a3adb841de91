import { sketch } from './sketch-site.ts'

const VOTES =
  '< <div class="feedback"><p>Was this page helpful?</p><button class="vote-yes" type="button">Yes</button><button class="vote-no" type="button">No</button></div>'

/** Texts and documentation. */
export const READING_SKETCHES = [
  sketch(
    'slow-kitchen',
    {
      kind: 'content',
      language: 'en',
      main: ['article', 'Subscribe', 'Join', 'reader'],
      wants: [/article|newsletter|finished/],
      never: /goal|limit|consent|creation|result/,
      name: 'Slow Kitchen',
    },
    `
    = / en Slow Kitchen – a food blog :: Recipes for people who have all evening.
    head <meta name="generator" content="WordPress 6.8">
    < <div id="cookie-banner" class="cookie-consent"><p>We value your privacy. We and our 812 partners store cookies.</p><button class="accept btn btn-primary">Accept all</button><button class="reject">Reject</button></div>
    header
    a /recipes Recipes
    a /about About
    main
    < <article><h2>Nine-hour onions</h2><p>It took me years to learn that onions need a whole day.</p><a href="/nine-hour-onions">Keep reading</a></article>
    < <article><h2>Bread for later</h2><p>A dough that waits for you in the fridge for a week.</p><a href="/bread">Keep reading</a></article>
    form.mc4wp-form / EMAIL:email * Join the table
    = /nine-hour-onions en Nine-hour onions | Slow Kitchen
    head <meta property="og:type" content="article">
    main
    h1 Nine-hour onions
    p It took me years to learn that onions need a whole day. Cut them, salt them, and put them into the oven before breakfast. In the evening the house smells of caramel, and you have the base of every soup that you will cook this winter.
    form#commentform /wp-comments-post.php author email:email comment:textarea * Post Comment
    = /bread en Bread for later | Slow Kitchen
    head <meta property="og:type" content="article">
    main
    h1 Bread for later
    p A dough that waits for you in the fridge for a week, and gets better each day.
    form#commentform /wp-comments-post.php author email:email comment:textarea * Post Comment`,
  ),
  sketch(
    'de-tussenstand',
    {
      kind: 'content',
      language: 'nl',
      main: ['Word abonnee', 'members', 'gh-'],
      wants: [/newsletter|abonnee|signup|subscri/i],
      never: /goal|limit|creation/,
    },
    `
    = / nl De Tussenstand :: Een wekelijkse brief over politiek in de polder.
    head <meta name="generator" content="Ghost 5.90">
    header
    a.gh-button /#/portal/signup Word abonnee
    main
    h1 Elke zondag een brief
    p Elke zondag schrijf ik over wat er die week in de polder is besloten en waarom dat ertoe doet. Geen nieuws van de dag, wel het verhaal dat eronder ligt.
    < <form data-members-form="subscribe"><input data-members-email type="email" name="email"><button class="gh-button" type="submit">Doe mee</button></form>
    < <article><h2><a href="/dijk">De dijk die niemand wilde</a></h2></article>`,
  ),
  sketch(
    'gaon-ki-khabar',
    {
      kind: 'content',
      language: 'hi',
      main: ['article', 'पढ़ें', 'text'],
      wants: [/article|finished|newsletter|shared/],
      never: /goal|limit|cart/,
    },
    `
    = / hi गाँव की ख़बर :: गाँव और खेती की ख़बरें, हर सुबह।
    main
    < <article><h2><a href="/khabar/1">बारिश देर से, बुवाई भी</a></h2></article>
    < <article><h2><a href="/khabar/2">नई मंडी के भाव</a></h2></article>
    < <article><h2><a href="/khabar/3">स्कूल तक सड़क</a></h2></article>
    = /khabar/1 hi बारिश देर से, बुवाई भी | गाँव की ख़बर
    head <meta property="og:type" content="article"><script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"बारिश"}</script>
    main
    h1 बारिश देर से, बुवाई भी
    p इस साल बारिश दो हफ़्ते देर से आई है और किसानों ने बुवाई टाल दी है। कृषि विभाग का कहना है कि धान की पैदावार पर इसका असर कम होगा, लेकिन किसान चिंतित हैं।`,
  ),
  sketch(
    'bucataria-ilincai',
    {
      kind: 'content',
      language: 'ro',
      main: ['article', 'Abonează', 'text'],
      wants: [/article|newsletter|finished/],
      never: /goal|limit|cart/,
    },
    `
    = / ro Bucătăria Ilincăi :: Rețete simple din bucătăria bunicii.
    head <meta name="generator" content="WordPress 6.7">
    main
    < <article><h2><a href="/ciorba">Ciorbă de fasole</a></h2></article>
    < <article><h2><a href="/zacusca">Zacuscă</a></h2></article>
    < <article><h2><a href="/cozonac">Cozonac</a></h2></article>
    p Aici găsiți rețete simple din bucătăria bunicii mele, cu poze la fiecare pas și fără ingrediente greu de găsit. Scriu o rețetă nouă în fiecare sâmbătă.
    = /ciorba ro Ciorbă de fasole - Bucătăria Ilincăi
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Ciorbă de fasole"}</script>
    main
    h1 Ciorbă de fasole
    p Se pune fasolea la înmuiat de seara. A doua zi se fierbe în două ape, se adaugă ceapa, morcovul și cimbrul și se lasă la foc mic o oră.`,
  ),
  sketch(
    'yeni-dergi',
    {
      kind: 'content',
      language: 'uk',
      main: ['article', 'Підписатися', 'text'],
      wants: [/article|newsletter|finished/],
      never: /goal|limit|cart/,
    },
    `
    = / uk Часопис «Сходи» :: Есеї та репортажі про міста.
    main
    < <article><h2><a href="/esei/1">Місто без трамвая</a></h2></article>
    < <article><h2><a href="/esei/2">Двір</a></h2></article>
    < <article><h2><a href="/esei/3">Ринок уранці</a></h2></article>
    p Ми друкуємо есеї та репортажі про міста і людей, які в них живуть. Щомісяця виходить один номер, який можна читати безкоштовно або підтримати передплатою.
    form.subscribe /pidpyska email:email * Підписатися
    = /esei/1 uk Місто без трамвая | Сходи
    head <meta property="og:type" content="article">
    main
    h1 Місто без трамвая
    p Коли трамвай перестав їздити, у місті стало тихо. Люди ще довго дивилися на годинник і чекали дзвінка, якого вже не було.`,
  ),
  sketch(
    'grainlib-docs',
    {
      kind: 'docs',
      language: 'en',
      main: ['Copy', 'Search', 'helpful', 'Yes'],
      wants: [/feedback|helpful|yes/i, /search|code_copied/],
      never: /app_download|goal|limit|result_made/,
    },
    `
    = / en Grainlib | Typed tables for Node :: Documentation of Grainlib.
    head <meta name="generator" content="Docusaurus v3.5">
    < <div id="__docusaurus"></div>
    header
    form /search q:search * Search
    a /docs/install Install
    a /docs/api API
    main
    h1 Grainlib
    p Typed tables for Node. Start with the installation, then read how queries work. Examples are complete files that you can run.
    < <pre><code>npm i grainlib</code></pre><button class="copy" aria-label="Copy code to clipboard" type="button">Copy</button>
    = /docs/install en Installation | Grainlib
    head <meta name="generator" content="Docusaurus v3.5">
    main
    h1 Installation
    p Install the package and import it. Node 20 or newer is needed.
    < <pre><code>npm i grainlib</code></pre><button class="copy" type="button">Copy</button>
    a /docs/install/windows Install on Windows
    ${VOTES}`,
  ),
  sketch(
    'werkzeug-handbuch',
    {
      kind: 'docs',
      language: 'de',
      main: ['Suche', 'Kopieren', 'Ja', 'hilfreich'],
      wants: [/search|feedback|code/],
      never: /app_download|goal|limit|signup/,
    },
    `
    = / de Stellwerk Handbuch :: Handbuch zu Stellwerk: Installation, Konfiguration, Referenz.
    head <meta name="generator" content="mkdocs-1.6.0">
    header
    form.search /suche q * Suche
    nav
    a /installation Installation
    a /konfiguration Konfiguration
    main
    h1 Erste Schritte
    p Dieses Handbuch erklärt die Installation und die Konfiguration von Stellwerk. Alle Beispiele sind vollständig, und die Referenz nennt jede Option mit ihrem Standardwert.
    < <pre><code>stellwerk init</code></pre>
    = /installation de Installation - Stellwerk Handbuch
    head <meta name="generator" content="mkdocs-1.6.0">
    main
    h1 Installation
    p Laden Sie das Paket herunter und starten Sie den Dienst.
    < <pre><code>apt install stellwerk</code></pre>
    < <div class="md-feedback"><p>War diese Seite hilfreich?</p><button type="button">Ja</button><button type="button">Nein</button></div>`,
  ),
  sketch(
    'orm-sphinx',
    {
      kind: 'docs',
      language: 'fr',
      main: ['Rechercher', 'Recherche'],
      wants: [/search/],
      never: /goal|limit|app_download|signup/,
    },
    `
    = / fr Documentation de Fauvette :: Fauvette est une bibliothèque pour lire des fichiers de cartes.
    head <meta name="generator" content="Sphinx 7">
    aside
    form /recherche q * Rechercher
    a /installation Installation
    a /reference Référence
    main
    h1 Documentation de Fauvette
    p Fauvette est une bibliothèque pour lire et écrire des fichiers de cartes. Cette documentation décrit l'installation, les premiers pas et chaque fonction avec un exemple.
    < <pre><code>pip install fauvette</code></pre>
    < <pre><code>import fauvette</code></pre>
    < <pre><code>fauvette.open("a.map")</code></pre>`,
  ),
]
