/** A small site of each kind: its files, and what the snippet must become in them. */
export type FixtureSite = {
  kind: string
  files: Record<string, string>
  /** Each changed or new file, whole. `TAG`, `SPA` and `ATTRIBUTES` stand for what the snippet says. */
  after: Record<string, string>
}

const TAG = '<script defer ATTRIBUTES></script>'
const SPA_TAG = '<script defer ATTRIBUTES data-track-spa="true"></script>'
const manifest = (...names: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map(name => [name, '^5.0.0'])) })
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

const PAGE = `<!doctype html>
<html>
  <head>
    <!-- no </head> yet -->
    <title>Shop</title>
  </head>
  <body></body>
</html>
`
const PAGE_AFTER = (tag: string) => PAGE.replace('</title>\n', `</title>\n    ${tag}\n`)

const LAYOUT = `import type { Metadata } from "next";
import {
  Inter,
} from "next/font/google";
import "./globals.css";

const inter = Inter({ subsets: ["latin"] });

export default function RootLayout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en">
      <body className={inter.className}>{children}</body>
    </html>
  );
}
`

export const sites: Record<string, FixtureSite> = {
  'plain HTML with a minified page, a page with CR LF, and a page without a head': {
    kind: 'HTML pages',
    files: {
      'index.html': PAGE,
      'about/index.html': crlf(PAGE.replaceAll('  ', '\t')),
      'min.html': '<!doctype html><html><head><title>x</title></head><body></body></html>',
      'part.html': '<p>no head</p>\n',
      'node_modules/x/index.html': PAGE,
    },
    after: {
      'index.html': PAGE_AFTER(TAG),
      'about/index.html': crlf(PAGE_AFTER(TAG).replaceAll('  ', '\t')),
      'min.html': `<!doctype html><html><head><title>x</title>${TAG}</head><body></body></html>`,
    },
  },
  'Next.js with the app router': {
    kind: 'Next.js',
    files: {
      'package.json': manifest('next', 'react'),
      'app/layout.tsx': LAYOUT,
      'app/shop/layout.tsx':
        'export default function Layout({ children }) { return <div>{children}</div> }\n',
    },
    after: {
      'app/layout.tsx': LAYOUT.replace(
        'import "./globals.css";\n',
        'import "./globals.css";\nimport Script from "next/script";\n',
      ).replace('</body>\n', '</body>\n      <Script ATTRIBUTES data-track-spa="true" />\n'),
    },
  },
  'Next.js with an app router in JavaScript that has no import': {
    kind: 'Next.js',
    files: {
      'package.json': manifest('next'),
      'src/app/layout.js':
        "'use strict'\nexport default p => (\n  <html>\n    <body>{p.children}</body>\n  </html>\n)\n",
    },
    after: {
      'src/app/layout.js':
        "'use strict'\nimport Script from 'next/script'\n\nexport default p => (\n  <html>\n    <body>{p.children}</body>\n    <Script ATTRIBUTES data-track-spa=\"true\" />\n  </html>\n)\n",
    },
  },
  'Next.js with the pages router and a document': {
    kind: 'Next.js',
    files: {
      'package.json': manifest('next'),
      'pages/index.tsx': 'export default () => null\n',
      'pages/_document.tsx': '    <Html>\n      <Head />\n      <body>\n',
    },
    after: {
      'pages/_document.tsx': `    <Html>\n      <Head>\n        ${SPA_TAG}\n      </Head>\n      <body>\n`,
    },
  },
  'Next.js with the pages router and no document': {
    kind: 'Next.js',
    files: { 'package.json': manifest('next'), 'src/pages/index.jsx': 'export default () => null\n' },
    after: {
      'src/pages/_document.jsx': `import { Head, Html, Main, NextScript } from 'next/document'

export default function Document() {
  return (
    <Html>
      <Head>
        ${SPA_TAG}
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  )
}
`,
    },
  },
  'Vite without a router': {
    kind: 'Vite',
    files: { 'package.json': manifest('vite', 'react'), 'index.html': PAGE },
    after: { 'index.html': PAGE_AFTER(TAG) },
  },
  'Vite with a router': {
    kind: 'Vite',
    files: { 'package.json': manifest('vite', 'vue-router'), 'index.html': PAGE },
    after: { 'index.html': PAGE_AFTER(SPA_TAG) },
  },
  Astro: {
    kind: 'Astro',
    files: {
      'package.json': manifest('astro'),
      'src/layouts/Layout.astro': `---\nconst text = '</head>'\n---\n${PAGE}`,
      'src/pages/index.astro': '<Layout />\n',
    },
    after: {
      'src/layouts/Layout.astro': `---\nconst text = '</head>'\n---\n${PAGE_AFTER('<script is:inline defer ATTRIBUTES></script>')}`,
    },
  },
  'Astro with its client router': {
    kind: 'Astro',
    files: {
      'package.json': manifest('astro'),
      'src/layouts/Layout.astro': PAGE.replace('<title>Shop</title>', '<ClientRouter />'),
    },
    after: {
      'src/layouts/Layout.astro': PAGE.replace(
        '<title>Shop</title>\n',
        '<ClientRouter />\n    <script is:inline defer ATTRIBUTES data-track-spa="true"></script>\n',
      ),
    },
  },
  SvelteKit: {
    kind: 'SvelteKit',
    files: {
      'package.json': manifest('@sveltejs/kit', 'vite'),
      'src/app.html': '<html>\n\t<head>\n\t\t%sveltekit.head%\n\t</head>\n</html>\n',
    },
    after: {
      'src/app.html': `<html>\n\t<head>\n\t\t${SPA_TAG}\n\t\t%sveltekit.head%\n\t</head>\n</html>\n`,
    },
  },
  Nuxt: {
    kind: 'Nuxt',
    files: {
      'package.json': manifest('nuxt'),
      'nuxt.config.ts': 'export default defineNuxtConfig({})\n',
      'app/app.vue': '',
    },
    after: {
      'app/plugins/footfall.ts': `export default defineNuxtPlugin(() => {
  useHead({
    script: [
      {
        src: 'BASE/tracker.js',
        defer: true,
        'data-project': 'shop',
        'data-token': 'TOKEN',
        'data-track-spa': 'true',
      },
    ],
  })
})
`,
    },
  },
  'Hugo with a layout of its own': {
    kind: 'Hugo',
    files: { 'hugo.toml': '', 'layouts/_default/baseof.html': PAGE, 'package.json': manifest('vite') },
    after: { 'layouts/_default/baseof.html': PAGE_AFTER(TAG) },
  },
  'Hugo with the layout of a theme': {
    kind: 'Hugo',
    files: {
      'hugo.toml': "baseURL = 'https://x'\ntheme = 'blue'\n",
      'themes/blue/layouts/partials/head.html': '<head>\n{{/* </head> */}}\n</head>\n',
      'themes/red/layouts/partials/head.html': '<head>\n</head>\n',
    },
    after: { 'layouts/partials/head.html': `<head>\n{{/* </head> */}}\n${TAG}\n</head>\n` },
  },
  Jekyll: {
    kind: 'Jekyll',
    files: { '_config.yml': 'title: x\n', '_layouts/default.html': PAGE, 'index.html': '---\n---\nhello\n' },
    after: { '_layouts/default.html': PAGE_AFTER(TAG) },
  },
  'a WordPress theme': {
    kind: 'WordPress theme',
    files: {
      'style.css': '/*\nTheme Name: Shop\n*/\n',
      'header.php': '<html>\n<head>\n\t<?php // </head>\n\twp_head(); ?>\n</head>\n',
      'package.json': manifest('vite'),
    },
    after: { 'header.php': `<html>\n<head>\n\t<?php // </head>\n\twp_head(); ?>\n\t${TAG}\n</head>\n` },
  },
  'a WordPress theme of blocks': {
    kind: 'WordPress theme',
    files: { 'style.css': '/* Theme Name: Blocks */', 'functions.php': '<?php\nsetup();' },
    after: {
      'functions.php': `<?php\nsetup();\n\nadd_action( 'wp_head', function () {\n\t?>\n\t${TAG}\n\t<?php\n} );\n`,
    },
  },
}
