import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

/** Portfolios and tools in the page, in five languages. */
export const MAKER_SITES: readonly CorpusSite[] = [
  {
    name: 'idaholm-photo',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Ida Holm, photographer',
          description: 'Portraits of people at work. Available for commissions in Scandinavia.',
          head: jsonLd({ '@type': 'Person', name: 'Ida Holm' }),
        },
        `<nav><a href="/work">Selected work</a><a href="/about">About me</a></nav><main><h1>Portraits of people at work</h1><figure><img src="/1.jpg" alt="A welder"><figcaption>Welder, Malmö</figcaption></figure><a href="/work/harbour">View project</a><h2>Clients</h2><p>Magazines and unions. Two exhibitions a year.</p><a class="write" href="mailto:ida@idaholm-photo.test">Hire me</a></main>`,
      ),
    },
    expect: {
      class: 'portfolio',
      first: 'contact_started',
      events: ['contact_started', 'project_explored'],
      language: 'en',
    },
  },
  {
    name: 'camille-dessine',
    pages: {
      '/': html(
        {
          lang: 'fr',
          title: 'Camille Roy, illustratrice',
          description: 'Illustratrice à Nantes : presse, jeunesse, affiches.',
        },
        `<nav><a href="/travaux">Mes travaux</a><a href="/a-propos">À propos de moi</a></nav><main><h1>Illustratrice pour la presse et la jeunesse</h1><p>Je dessine avec de la gouache et des ciseaux. Mes images sont dans des journaux, sur des murs et dans les chambres des enfants.</p><a href="/travaux/loup">Voir le projet</a><h2>Projets choisis</h2><form action="/message" method="post"><input name="nom"><input type="email" name="email"><textarea name="message"></textarea><button type="submit" class="envoi">Envoyer</button></form></main>`,
      ),
    },
    expect: {
      class: 'portfolio',
      first: 'contact_started',
      events: ['contact_started', 'project_explored'],
      language: 'fr',
    },
  },
  {
    name: 'studio-nowak',
    pages: {
      '/': html(
        {
          lang: 'pl',
          title: 'Zofia Nowak – projektantka',
          description: 'Projektantka książek i plakatów z Krakowa.',
        },
        `<nav><a href="/prace">Moje prace</a><a href="/o-mnie">O mnie</a></nav><main><h1>Wybrane prace</h1><p>Projektuję książki, które chce się trzymać w rękach. Pracuję dla małych wydawnictw i dla teatrów, i nie boję się koloru.</p><a href="/prace/teatr">Zobacz projekt</a><h2>Wystawy</h2><a id="napisz" href="mailto:zofia@studio-nowak.test">Napisz do mnie</a></main>`,
      ),
    },
    expect: { class: 'portfolio', first: 'contact_started', events: ['contact_started'], language: 'pl' },
  },
  {
    name: 'pixelpress',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Pixelpress: make images smaller in your browser',
          description: 'Drag and drop an image and download a smaller one. Nothing leaves your computer.',
          head: jsonLd({ '@type': 'WebApplication', name: 'Pixelpress' }),
        },
        `<main><h1>Make images smaller, in your browser</h1><p>No sign up. Works offline.</p><label>Quality <input type="range" name="quality"></label><label>Width <input type="number" name="width"></label><select name="format"><option>webp<option>avif</select><canvas id="preview"></canvas><button id="upload">Upload image</button><button id="save-result">Download result</button><button class="share">Share</button></main>`,
      ),
    },
    expect: {
      class: 'app',
      first: 'creation_started',
      events: ['creation_started', 'result_exported', 'result_made'],
      language: 'en',
    },
  },
  {
    name: 'kreditrechner-plus',
    pages: {
      '/': html(
        {
          lang: 'de',
          title: 'Kreditrechner: was eine Wohnung im Monat kostet',
          description: 'Der Rechner zeigt, was eine Wohnung im Monat kostet, ohne Anmeldung.',
        },
        `<main><h1>Was kostet die Wohnung im Monat?</h1><form id="rechner"><label>Preis <input name="preis" type="number"></label><label>Zins <input name="zins" type="number"></label><label>Jahre <input name="jahre" type="number"></label><label>Anzahlung <input name="anzahlung" type="number"></label><button type="button" id="berechnen">Berechnen</button></form><output></output><button class="pdf" type="button">Als PDF speichern</button><p>Der Rechner läuft im Browser und speichert nichts. Er ist für alle, die rechnen wollen, bevor sie mit der Bank reden.</p></main>`,
      ),
    },
    expect: {
      class: 'app',
      first: 'creation_started',
      events: ['creation_started', 'result_exported'],
      language: 'de',
    },
  },
  {
    name: 'hexfall',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Hexfall, a puzzle',
          head: '<script src="https://cdn.counter.dev/script.js"></script>',
        },
        `<main><canvas width="400" height="600"></canvas><h1>Hexfall</h1><p>Score: <span>0</span>. High score: <span>1200</span></p><button id="play">Play now</button><button id="share-score">Share</button><button id="settings">Settings</button></main>`,
      ),
    },
    expect: {
      class: 'app',
      first: 'creation_started',
      events: ['creation_started', 'page_shared'],
      providers: ['Counter'],
    },
  },
]
