import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

/** Marketplaces and communities, in six languages. */
export const PEOPLE_SITES: readonly CorpusSite[] = [
  {
    name: 'toolshed-rent',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Toolshed: rent tools from neighbours',
          description: 'Rent a drill or a mower from a neighbour, or earn money with yours.',
        },
        `<header><nav><a href="/browse">Browse categories</a><a href="/how-it-works">How it works for sellers</a><a href="/login">Log in</a></nav><a id="list-tool" href="/list-your-item">List your item</a></header><main><h1>The tool you need is two streets away</h1><form action="/search"><input type="search" name="q" placeholder="Drill, mower, ladder"><button type="submit">Search</button></form><h2>Listings near you</h2><article><h3>Bosch hammer drill</h3><p>£8 a day, verified sellers</p><a href="/listing/12">See it</a></article></main>`,
      ),
      '/listing/12': html(
        {
          lang: 'en',
          title: 'Bosch hammer drill | Toolshed',
          head: jsonLd({ '@type': 'AggregateOffer', name: 'Hammer drill' }),
        },
        `<main><h1>Bosch hammer drill</h1><p>£8</p><p>Owner: Ruth, 31 rentals. The drill comes with a box of bits.</p><button class="message-owner" type="button">Message owner</button><button class="save" type="button">Save</button></main>`,
      ),
    },
    expect: {
      class: 'marketplace',
      events: ['search_submitted', 'seller_contacted', 'listing_started'],
      language: 'en',
    },
  },
  {
    name: 'vide-grenier-du-coin',
    pages: {
      '/': html(
        {
          lang: 'fr',
          title: 'Vide-grenier du coin, les petites annonces du quartier',
          description: 'Petites annonces entre particuliers, sans frais, dans votre quartier.',
        },
        `<header><nav><a href="/categories">Toutes les catégories</a><a href="/connexion">Connexion</a></nav><a class="deposer" href="/deposer">Déposer une annonce</a></header><main><h1>Les annonces de votre quartier</h1><form role="search"><input name="recherche"><button>Rechercher</button></form><article><h2>Vélo d'enfant, bon état</h2><p>45 €</p><p>Vendu par Nadia, à deux rues de chez vous. Il est dans la cave et nous le montrons le soir.</p><button id="contact-12" type="button">Contacter le vendeur</button></article></main>`,
      ),
    },
    expect: {
      class: 'marketplace',
      first: 'seller_contacted',
      events: ['seller_contacted', 'listing_started', 'search_submitted'],
      language: 'fr',
    },
  },
  {
    name: 'ruilhoek',
    pages: {
      '/': html(
        {
          lang: 'nl',
          title: 'Ruilhoek – tweedehands uit de buurt',
          description: 'Advertenties van mensen uit de buurt: kopen, verkopen en ruilen.',
        },
        `<header><nav><a href="/categorieen">Alle categorieën</a><a href="/inloggen">Inloggen</a></nav><a href="/plaatsen" class="plaats">Plaats advertentie</a></header><main><h1>Tweedehands spullen van mensen uit de buurt</h1><form action="/zoeken"><input name="zoek"><button>Zoeken</button></form><div><h3>Bakfiets met huif</h3><p>€ 650</p><p>De verkopers zijn mensen die je kent, en alles wat er staat is echt te koop.</p><a class="bericht" href="/bericht/9">Stuur bericht naar verkoper</a></div></main>`,
      ),
    },
    expect: {
      class: 'marketplace',
      events: ['seller_contacted', 'listing_started', 'search_submitted'],
      language: 'nl',
    },
  },
  {
    name: 'sourdough-forum',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Sourdough Forum',
          description: 'Bakers helping bakers since 2009.',
          head: '<meta name="generator" content="Discourse 3.6">',
        },
        `<header><a href="/latest">Latest topics</a><a href="/categories">Categories</a><a href="/badges">Badges</a><button class="sign-up-button">Sign up</button><button class="login-button">Log in</button></header><main><h1>Latest topics</h1><button id="create-topic">New topic</button><table><tr><td><a href="/t/my-starter-died/1">My starter died</a></td><td>14 replies</td></tr><tr><td><a href="/t/rye/2">Rye at ninety percent</a></td><td>3 replies</td></tr></table><p>Members online: 41. Read the community guidelines before your first post.</p></main>`,
      ),
      '/t/my-starter-died/1': html(
        {
          lang: 'en',
          title: 'My starter died - Sourdough Forum',
          head: jsonLd({ '@type': 'DiscussionForumPosting', headline: 'My starter died' }),
        },
        `<main><h1>My starter died</h1><p>It was in the fridge for three weeks and now it smells of nail polish. What did I do wrong?</p><form action="/posts"><textarea name="raw"></textarea><button class="reply-button">Reply</button></form></main>`,
      ),
    },
    expect: {
      class: 'community',
      first: 'topic_started',
      events: ['topic_started', 'reply_submitted', 'membership_started'],
      language: 'en',
    },
  },
  {
    name: 'foro-huertos',
    pages: {
      '/': html(
        {
          lang: 'es',
          title: 'Foro de huertos urbanos',
          description: 'El foro de los que cultivan tomates en un balcón.',
        },
        `<header><nav><a href="/temas">Últimos temas</a><a href="/miembros">Miembros</a><a href="/registro">Regístrate</a><a href="/entrar">Iniciar sesión</a></nav></header><main><h1>Foro de huertos urbanos</h1><a class="nuevo" href="/nuevo">Nuevo tema</a><ul><li><a href="/tema/1">Pulgón en los tomates, ¿qué hago?</a> 23 respuestas</li><li><a href="/tema/2">Riego por goteo con una botella</a> 8 respuestas</li></ul><p>Somos más de tres mil miembros y no hay preguntas tontas en los debates de este foro.</p><form><textarea name="respuesta"></textarea><button type="submit">Responder</button></form></main>`,
      ),
    },
    expect: {
      class: 'community',
      first: 'topic_started',
      events: ['topic_started', 'reply_submitted', 'membership_started'],
      language: 'es',
    },
  },
  {
    name: 'vandringsforum',
    pages: {
      '/': html(
        { lang: 'sv', title: 'Vandringsforum', description: 'Forum för dig som vandrar med tält.' },
        `<header><nav><a href="/amnen">Senaste ämnen</a><a href="/medlemmar">Medlemmar</a><a href="/bli-medlem" class="ga-med">Bli medlem</a></nav></header><main><h1>Trådar om vandring</h1><a id="ny-trad" href="/ny">Ny tråd</a><p>Det är ett forum för alla som vill gå långt, och inte bara för dem som redan har gjort det. Diskussioner om tält, mat och skor.</p><ul><li>Bästa ryggsäcken under ett kilo, 12 svar</li></ul></main>`,
      ),
    },
    expect: {
      class: 'community',
      first: 'topic_started',
      events: ['topic_started', 'membership_started'],
      language: 'sv',
    },
  },
]
