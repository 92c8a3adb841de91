import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

const article = (headline: string) => jsonLd({ '@type': 'NewsArticle', headline })

/** Sites that people come to read, in four languages, and documentations. */
export const READING_SITES: readonly CorpusSite[] = [
  {
    name: 'harbourletter',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'The Harbour Letter',
          description: 'Long essays about ports, ships and the people who work there.',
          head: '<meta name="generator" content="Ghost 6.0"><script src="https://cdn.usefathom.com/script.js"></script>',
        },
        `<header><nav><a href="/essays">Essays</a><a href="/podcast">Podcast</a><a href="/archive">Archive</a></nav></header><main><h1>Latest stories</h1><article><h2>Why the cranes of Lisbon stood still</h2><p>A strike that nobody outside the docks noticed changed how coffee reaches Europe.</p><a href="/cranes">Read more</a></article><article><h2>The last rope maker</h2><p>He learned it from his aunt.</p><a href="/rope">Continue reading</a></article><article><h2>Fog</h2><p>What pilots hear when they see nothing.</p><a href="/fog">Read more</a></article><aside><form class="letter"><p>Get the newsletter, every second Sunday.</p><input type="email" name="email" required><button>Sign up</button></form></aside></main>`,
      ),
      '/cranes': html(
        {
          lang: 'en',
          title: 'Why the cranes of Lisbon stood still',
          head: `<meta property="og:type" content="article">${article('Why the cranes of Lisbon stood still')}`,
        },
        `<main><article><h1>Why the cranes of Lisbon stood still</h1><p>${'On the third morning the harbour was as quiet as a lake. '.repeat(20)}</p></article></main>`,
      ),
    },
    expect: {
      class: 'content',
      first: 'newsletter_submitted',
      events: ['newsletter_submitted', 'article_finished'],
      absent: ['article_opened'],
      providers: ['Fathom'],
      language: 'en',
    },
  },
  {
    name: 'diario-del-valle',
    pages: {
      '/': html(
        {
          lang: 'es',
          title: 'Diario del Valle',
          description: 'Noticias, reportajes y opinión de los pueblos del valle.',
          head: article('El río vuelve') + article('La feria'),
        },
        `<header><nav><a href="/noticias">Noticias</a><a href="/opinion">Opinión</a><a href="/cultura">Cultura</a></nav></header><main><h1>Lo más leído en el valle</h1><article><h2>El río vuelve a su cauce después de veinte años</h2><p>Los vecinos de la ribera cuentan cómo se recuperó el agua y qué pasará con los puentes.</p><a href="/rio">Leer más</a></article><article><h2>La feria de otoño</h2><p>Este año con más puestos que nunca.</p><a href="/feria">Seguir leyendo</a></article></main><footer><form id="boletin"><label>Suscríbete al boletín de los domingos</label><input type="email" name="correo"><button type="submit">Suscribirse</button></form></footer>`,
      ),
    },
    expect: { class: 'content', events: ['newsletter_submitted', 'article_finished'], language: 'es' },
  },
  {
    name: 'cozinha-da-avo',
    pages: {
      '/': html(
        {
          lang: 'pt',
          title: 'Cozinha da Avó: receitas de família',
          description: 'Receitas portuguesas de família, testadas três vezes antes de serem publicadas.',
          head:
            jsonLd({ '@type': 'Recipe', name: 'Arroz doce' }) +
            '<script src="https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"></script>',
        },
        `<nav><a href="/receitas">Receitas</a><a href="/arquivo">Arquivo</a></nav><main><h1>Receitas que passam de mão em mão</h1><p>Todas as semanas uma nova receita, com a história de quem a fez pela primeira vez. Não é preciso ser cozinheira para as fazer.</p><article><h2>Arroz doce sem pressa</h2><a href="/arroz-doce">Ler mais</a></article><article><h2>Caldo verde</h2><a href="/caldo-verde">Ler mais</a></article><form action="/newsletter"><label>Receber novidades por correio: newsletter</label><input type="email" name="email"><input type="submit" value="Subscrever"></form></main>`,
      ),
    },
    expect: { class: 'content', events: ['newsletter_submitted'], providers: ['Google Ads'], language: 'pt' },
  },
  {
    name: 'skargardsbloggen',
    pages: {
      '/': html(
        {
          lang: 'sv',
          title: 'Skärgårdsbloggen',
          description: 'En blogg om livet på en ö utan bro.',
          head: '<meta name="generator" content="WordPress 6.9"><script src="https://stats.wp.com/e-202647.js"></script>',
        },
        `<nav><a href="/arkiv">Arkiv</a><a href="/om">Om oss</a></nav><main><h1>Artiklar från en ö utan bro</h1><article><h2>När färjan inte går</h2><p>Det händer att vi inte har någon post på en vecka, och då läser vi gamla tidningar med stor glädje.</p><a href="/farjan">Läs mer</a></article><article><h2>Recept på strömming</h2><a href="/stromming">Läs mer</a></article><article><h2>Krönikor om vintern</h2><a href="/vinter">Läs vidare</a></article><form><label>Nyhetsbrev: anmäl dig till nyhetsbrevet</label><input type="email" name="epost"><button>Prenumerera</button></form></main>`,
      ),
    },
    expect: {
      class: 'content',
      events: ['newsletter_submitted', 'article_finished'],
      providers: ['Jetpack Stats'],
      language: 'sv',
    },
  },
  {
    name: 'querykit-docs',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Getting started | Querykit',
          description: 'Querykit is a small library that builds safe queries.',
          head: '<meta name="generator" content="Docusaurus v3.9">',
        },
        `<div id="__docusaurus"><nav><a href="/docs/intro">Guides</a><a href="/docs/api">API reference</a><form role="search"><input type="search" name="q" aria-label="Search docs"><button type="submit" class="search-go">Search</button></form></nav><main><h1>Getting started</h1><h2>Installation</h2><pre><code>npm install querykit</code></pre><button class="copy-install">Copy</button><h2>Configuration</h2><pre><code>configure({ strict: true })</code></pre><h2>Usage</h2><pre><code>query('users').where({ id })</code></pre><p>Was this page helpful?</p><button class="feedback-yes">Give feedback</button></main></div>`,
      ),
    },
    expect: {
      class: 'docs',
      first: 'code_copied',
      events: ['code_copied', 'search_submitted', 'page_feedback_given'],
      language: 'en',
    },
  },
  {
    name: 'gatehouse-manual',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Gatehouse manual',
          head: `<meta name="generator" content="mkdocs-1.6">${jsonLd({ '@type': 'TechArticle', headline: 'Gatehouse manual' })}`,
        },
        `<nav><a href="/install">Installation</a><a href="/cli">CLI reference</a><a href="/release-notes">Release notes</a></nav><form action="/search.html"><input name="q" type="text"><button type="submit">Search docs</button></form><main><h1>Gatehouse documentation</h1><p>Gatehouse is a proxy for teams that run many small services. This manual covers installation, configuration and troubleshooting.</p><h2>Quickstart</h2><pre>gatehouse up</pre><pre>gatehouse status</pre><pre>gatehouse down</pre><a href="/downloads/gatehouse.zip">Download</a></main>`,
      ),
    },
    expect: {
      class: 'docs',
      events: ['search_submitted'],
      absent: ['app_download_started', 'file_downloaded'],
      language: 'en',
    },
  },
  {
    name: 'werkbank-doku',
    pages: {
      '/': html(
        {
          lang: 'de',
          title: 'Werkbank: Dokumentation',
          description: 'Die Dokumentation der Werkbank, mit Anleitungen und Referenz.',
          head: '<meta name="generator" content="VitePress v2">',
        },
        `<header><nav><a href="/erste-schritte">Erste Schritte</a><a href="/referenz">Referenz</a><a href="/beispiele">Beispiele</a></nav><button type="button" class="DocSearch">Suchen</button></header><main><h1>Dokumentation der Werkbank</h1><h2>Installation</h2><pre>werkbank einrichten</pre><button class="kopieren">Code kopieren</button><h2>Konfiguration</h2><pre>werkbank konfigurieren</pre><pre>werkbank starten</pre><p>War diese Seite hilfreich? Die Anleitungen sind für alle, die mit der Werkbank arbeiten.</p></main>`,
      ),
    },
    expect: {
      class: 'docs',
      first: 'code_copied',
      events: ['code_copied', 'search_submitted'],
      language: 'de',
    },
  },
]
