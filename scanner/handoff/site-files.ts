/** Where a site of a framework has the head of every page, and where its pages are. */
type SiteFiles = {
  head: string
  pages: string
  /** What sends the events of a server, on a platform whose server is not the site's own. */
  server?: string
}

const FILES: Readonly<Record<string, SiteFiles>> = {
  'Next.js': { head: 'app/layout.tsx (or pages/_document.tsx)', pages: 'app/ or pages/' },
  Nuxt: { head: 'nuxt.config.ts (app.head.script) or app.vue', pages: 'pages/ and components/' },
  SvelteKit: { head: 'src/app.html', pages: 'src/routes/' },
  Gatsby: { head: 'gatsby-ssr.js (onRenderBody)', pages: 'src/pages/ and src/components/' },
  Remix: { head: 'app/root.tsx', pages: 'app/routes/' },
  Astro: { head: 'src/layouts/', pages: 'src/pages/ and src/components/' },
  Angular: { head: 'src/index.html', pages: 'src/app/' },
  Vue: { head: 'index.html', pages: 'src/' },
  React: { head: 'index.html or public/index.html', pages: 'src/' },
  WordPress: {
    head: 'header.php of the theme (before </head>)',
    pages: 'the templates of the theme, or the block editor',
    server: 'a function of the theme or a plugin on the hook of the form or member plugin',
  },
  WooCommerce: {
    head: 'header.php of the theme (before </head>)',
    pages: 'woocommerce/ in the theme',
    server: 'a function of the theme or a plugin on hooks such as woocommerce_payment_complete',
  },
  Shopify: {
    head: 'layout/theme.liquid',
    pages: 'sections/ and snippets/',
    server:
      'a small function of your own that gets the webhooks of the shop (Settings, Notifications, Webhooks). Cart attributes carry the id of the visitor into the order',
  },
  Shopware: { head: 'Resources/views/storefront/base.html.twig', pages: 'Resources/views/storefront/' },
  Ghost: {
    head: 'default.hbs of the theme, or Settings, Code injection',
    pages: 'the templates of the theme',
    server: 'a small function of your own that gets the webhooks of a custom integration',
  },
  Hugo: { head: 'layouts/partials/head.html', pages: 'layouts/ and content/' },
  Jekyll: { head: '_includes/head.html', pages: '_layouts/ and the pages' },
  Eleventy: { head: 'the base layout in _includes/', pages: '_includes/ and the pages' },
  Docusaurus: { head: 'docusaurus.config (scripts)', pages: 'docs/ and src/' },
  MkDocs: { head: 'overrides/main.html', pages: 'docs/' },
  VitePress: { head: '.vitepress/config (head)', pages: 'docs/' },
  Sphinx: { head: '_templates/layout.html', pages: 'the sources of the pages' },
  Discourse: {
    head: 'the theme, Common, </head>',
    pages: 'a theme component',
    server: 'a small function of your own that gets the webhooks of the forum (Admin, API, Webhooks)',
  },
  Webflow: { head: 'Project settings, Custom code, Head', pages: 'the element settings, Custom attributes' },
  Squarespace: { head: 'Settings, Advanced, Code injection', pages: 'a code block' },
  Wix: { head: 'Settings, Custom code', pages: 'the element, Custom attributes' },
  Framer: { head: 'Site settings, Custom code', pages: 'a code override' },
}

const PLAIN: SiteFiles = {
  head: 'the template with the <head> of every page',
  pages: 'the template or component of the page',
}

/** Which files of the site have the head and the pages, by its framework. */
export function siteFiles(framework: string | null): SiteFiles {
  return FILES[framework ?? ''] ?? PLAIN
}
