import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

/** Software services, in four languages. */
export const SOFTWARE_SITES: readonly CorpusSite[] = [
  {
    name: 'ledgerly',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Ledgerly: invoices that get paid',
          description: 'Ledgerly writes invoices and chases late payments for freelance designers.',
          head: '<meta property="og:site_name" content="Ledgerly"><script src="https://www.googletagmanager.com/gtag/js?id=G-TEST1"></script><script>window.hj=function(){};var hjSettings={hjid:12345};</script><script src="/_next/static/chunks/main.js"></script>',
        },
        `<div id="__next"><header><a href="/">Ledgerly</a><nav><a href="/features">Features</a><a href="/pricing">Pricing</a><a href="/integrations">Integrations</a></nav><a class="link-quiet" href="/login">Log in</a><a class="cta" href="/signup">Start free trial</a></header>
        <main><section><h1>Invoices for freelance designers that get paid on time</h1><p>Write an invoice in a minute. We remind your customers, so that you do not have to.</p><a id="hero-trial" href="/signup">Start free trial</a><button type="button" class="demo-button">Watch the demo</button></section>
        <section><h2>Integrations</h2><p>Works with your bank and with the tools that your bookkeeper uses.</p><h2>Security and compliance</h2><p>Your data stays in Europe and is yours to export. No credit card needed.</p></section></main>
        <footer><a href="/changelog">Changelog</a><a href="mailto:hello@ledgerly.test">Contact us</a></footer></div>`,
      ),
      '/pricing': html(
        { lang: 'en', title: 'Pricing | Ledgerly' },
        `<div id="__next"><header><a href="/pricing">Pricing</a><a class="cta" href="/signup">Start free trial</a></header><main><h1>Plans for one person and for studios</h1><div><h3>Solo</h3><p>€9</p><p>per month, unlimited invoices</p><a href="/signup?plan=solo">Choose Solo</a></div><div><h3>Studio</h3><p>€29</p><p>per month, five people</p><a href="/signup?plan=studio">Get started</a></div></main></div>`,
      ),
      '/signup': html(
        { lang: 'en', title: 'Create your account | Ledgerly' },
        `<main><h1>Create your account</h1><form action="/api/signup" method="post"><label>Name <input name="name" autocomplete="name"></label><label>E-mail <input type="email" name="email"></label><label>Password <input type="password" name="password" autocomplete="new-password"></label><button type="submit" data-testid="signup-submit">Create account</button></form><p>By creating an account you accept our terms. You can cancel at any time.</p></main>`,
      ),
    },
    expect: {
      class: 'saas',
      first: 'trial_started',
      events: ['trial_started', 'demo_watched', 'signup_completed', 'plan_chosen'],
      absent: ['pricing_viewed'],
      providers: ['Google Analytics', 'Hotjar'],
      language: 'en',
    },
  },
  {
    name: 'schichtwerk',
    pages: {
      '/': html(
        {
          lang: 'de-DE',
          title: 'Schichtwerk – Dienstpläne ohne Tabellen',
          description: 'Schichtwerk ist die Software für Dienstpläne in Pflege und Gastronomie.',
          head: `<script src="https://web.cmp.usercentrics.eu/ui/loader.js"></script><script>var _paq=window._paq||[];_paq.push(['trackPageView']);</script>${jsonLd({ '@type': 'SoftwareApplication', name: 'Schichtwerk', applicationCategory: 'BusinessApplication' })}`,
        },
        `<header><nav><a href="/funktionen">Funktionen</a><a href="/preise">Preise</a><a href="/kunden">Kunden</a><a href="/login">Anmelden</a></nav><a class="btn btn-primary" href="/registrieren">Kostenlos testen</a></header>
        <main><h1>Dienstpläne für Pflegeteams, die alle verstehen</h1><p>Mit Schichtwerk planen Sie die Woche in zehn Minuten. Ihre Mitarbeiter sehen den Plan auf dem Telefon und tauschen Schichten selbst.</p><a class="btn-hero" href="/registrieren">Kostenlos testen</a><a class="btn-demo" href="/demo">Demo buchen</a><h2>Integrationen</h2><p>Schnittstellen zu Lohn und Zeiterfassung sind dabei, und die Daten liegen in Deutschland.</p><h2>Tarife</h2><p>Ab 3,50 € pro Nutzer und Monat, ohne Kreditkarte.</p></main><footer><a href="/impressum">Impressum</a><a href="/kontakt">Kontakt</a></footer>`,
      ),
    },
    expect: {
      class: 'saas',
      first: 'trial_started',
      events: ['trial_started', 'demo_requested'],
      providers: ['Matomo', 'Usercentrics'],
      language: 'de',
    },
  },
  {
    name: 'planivo',
    pages: {
      '/': html(
        {
          lang: 'fr',
          title: 'Planivo, le logiciel des associations',
          description: 'Planivo aide les associations à gérer leurs adhérents et leurs cotisations.',
          head: '<script src="https://plausible.io/js/script.js" data-domain="planivo.test"></script><script src="https://sdk.privacy-center.org/loader.js"></script>',
        },
        `<header><nav><a href="/fonctionnalites">Fonctionnalités</a><a href="/tarifs">Tarifs</a><a href="/clients">Clients</a><a href="/connexion">Se connecter</a></nav></header>
        <main><h1>La gestion des adhérents, pour les associations qui manquent de temps</h1><p>Avec Planivo, vous suivez les adhésions, les dons et les réunions dans un seul logiciel. Vos bénévoles apprennent à s'en servir en une heure.</p><a class="bouton principal" href="/inscription">Essai gratuit</a><button id="demande-demo">Demander une démo</button><h2>Intégrations</h2><p>Votre banque et votre messagerie sont déjà là. Sans carte bancaire, par mois et par utilisateur.</p></main><footer><a href="/contact">Nous contacter</a></footer>`,
      ),
    },
    expect: {
      class: 'saas',
      first: 'trial_started',
      events: ['trial_started', 'demo_requested'],
      providers: ['Plausible', 'Didomi'],
      language: 'fr',
    },
  },
  {
    name: 'pulsewatch',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Pulsewatch | Uptime for small APIs',
          description: 'Pulsewatch calls your endpoints every minute and tells your team when one is slow.',
          head: '<script>!function(){posthog.init("phc_test",{api_host:"https://eu.i.posthog.com"})}()</script><script src="https://widget.intercom.io/widget/abc"></script>',
        },
        `<nav><a href="/docs">Docs</a><a href="/pricing">Pricing</a><a href="/status">Status page</a><a href="/signin">Sign in</a><a href="/register" data-testid="nav-register">Sign up</a></nav>
        <main><h1>Know that your API is down before your customers do</h1><p>Built for teams of two to twenty who run their own servers. Alerts go to chat and phone.</p><form id="start" action="/register"><input type="email" name="email" placeholder="you@company.com"><button>Get started free</button></form><h2>Workflow</h2><p>Connect your dashboard, your roadmap and your deployments. Pricing is per user.</p><h2>Trusted by customers</h2></main><footer><a href="/contact-sales">Talk to sales</a></footer>`,
      ),
    },
    expect: {
      class: 'saas',
      first: 'signup_started',
      events: ['signup_started', 'signup_completed'],
      providers: ['PostHog', 'Intercom'],
      language: 'en',
    },
  },
  {
    name: 'fakturek',
    pages: {
      '/': html(
        {
          lang: 'pl',
          title: 'Fakturek – program do faktur',
          description: 'Fakturek to program do wystawiania faktur dla małych firm i freelancerów.',
          head: '<script src="https://cdn.mouseflow.com/projects/x.js"></script>',
        },
        `<header><nav><a href="/funkcje">Funkcje</a><a href="/cennik">Cennik</a><a href="/logowanie">Zaloguj się</a></nav><a class="przycisk" href="/rejestracja">Załóż konto</a></header>
        <main><h1>Faktury dla małych firm w dwie minuty</h1><p>Wystawiaj faktury, pilnuj terminów i wysyłaj dokumenty do księgowej. Twoje dane są bezpieczne, a program jest zawsze aktualny.</p><a class="glowny" href="/rejestracja">Wypróbuj za darmo</a><h2>Integracje</h2><p>Program łączy się z bankiem i z systemem księgowym. Bez karty, miesięcznie od 19 zł na użytkownika.</p></main>`,
      ),
    },
    expect: {
      class: 'saas',
      events: ['signup_completed'],
      providers: ['Mouseflow'],
      language: 'pl',
    },
  },
]
