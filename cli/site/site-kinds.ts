import { type Change, changesOf, headChanges, newFile } from './changes.ts'
import { appended, insertedBefore } from './insert.ts'
import { newDocument, withScriptComponent, withScriptInHead } from './next.ts'
import type { Site } from './site-files.ts'
import { type Snippet, SPA, scriptTag } from './snippet.ts'

export type SiteKind = {
  name: string
  is(site: Site): boolean
  /** What writes the snippet into the site. Empty: the site has no place that is safe to change. */
  changes(site: Site, snippet: Snippet): Change[]
  /** Where a person puts it when there is no such place. */
  where: string
  /** Each page has a head of its own, so each needs the snippet. */
  isByPage?: true
}

/** Most pages that one run changes, because a person looks at the differences. */
export const MAX_PAGES = 200

/**
 * In this order: a WordPress theme or a Hugo site may have packages of Vite, and nearly all have HTML files.
 */
export const siteKinds: readonly SiteKind[] = [
  {
    name: 'WordPress theme',
    is: site => /^[ \t/*]*Theme Name:/im.test(site.read('style.css') ?? ''),
    changes: wordPressChanges,
    where: 'the head in header.php, or a function of the hook wp_head in functions.php',
  },
  {
    name: 'Hugo',
    is: ({ paths }) =>
      paths.some(path => /^(hugo\.(toml|ya?ml|json)|config\/_default\/(hugo|config)\.\w+)$/.test(path)) ||
      (paths.includes('config.toml') && paths.some(path => /^(content|layouts|themes)\//.test(path))),
    changes: hugoChanges,
    where: 'the head of layouts/baseof.html; copy the one of the theme there first',
  },
  {
    name: 'Jekyll',
    is: ({ paths }) => paths.some(path => /^_config\.ya?ml$/.test(path)),
    changes: jekyllChanges,
    where:
      'the head of _includes/head.html; copy the one of the theme there first (bundle info --path minima)',
  },
  {
    name: 'Next.js',
    is: site => hasPackage(site, 'next'),
    changes: nextChanges,
    where: 'app/layout.tsx as a Script of next/script, or the Head of pages/_document.tsx',
  },
  {
    name: 'Nuxt',
    is: site => hasPackage(site, 'nuxt'),
    changes: nuxtChanges,
    where: 'app.head.script of nuxt.config.ts',
  },
  {
    name: 'SvelteKit',
    is: site => hasPackage(site, '@sveltejs/kit'),
    changes: (site, snippet) =>
      changesOf(
        site,
        ['src/app.html'],
        text =>
          insertedBefore(text, /%sveltekit\.head%/, scriptTag(snippet, SPA)) ??
          insertedBefore(text, /<\/head\s*>/i, scriptTag(snippet, SPA)),
      ),
    where: 'src/app.html, before %sveltekit.head%',
  },
  {
    name: 'Astro',
    is: site => hasPackage(site, 'astro'),
    changes: (site, snippet) =>
      headChanges(site, below(site, /^src\/.*\.astro$/), text =>
        scriptTag(snippet, /\b(ClientRouter|ViewTransitions)\b/.test(text) ? SPA : {}, 'is:inline defer'),
      ),
    where: 'the head of the layout below src/layouts, with is:inline',
  },
  {
    name: 'Vite',
    is: site => hasPackage(site, 'vite') || site.paths.some(path => /^vite\.config\.\w+$/.test(path)),
    changes: (site, snippet) =>
      headChanges(site, below(site, /^[^/]+\.html$/), scriptTag(snippet, hasRouter(site) ? SPA : {})),
    where: 'the head of index.html',
  },
  {
    name: 'HTML pages',
    is: ({ paths }) => paths.some(path => /^[^/]+\.html?$/i.test(path)),
    changes: (site, snippet) => headChanges(site, below(site, /\.html?$/i), scriptTag(snippet)),
    where: 'the head of each page',
    isByPage: true,
  },
]

/** The kind of a site; null: none that is known. */
export function siteKindOf(site: Site): SiteKind | null {
  return siteKinds.find(kind => kind.is(site)) ?? null
}

function below({ paths }: Site, pattern: RegExp): string[] {
  return paths.filter(path => pattern.test(path))
}

const ROUTERS =
  /^(react-router|react-router-dom|vue-router|@tanstack\/(react|solid)-router|@solidjs\/router|wouter|preact-iso|preact-router|svelte-routing)$/

function hasRouter(site: Site): boolean {
  return packagesOf(site).some(([name]) => ROUTERS.test(name))
}

function hasPackage(site: Site, name: string): boolean {
  return packagesOf(site).some(([each]) => each === name)
}

function packagesOf(site: Site): [name: string, version: string][] {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(site.read('package.json') ?? '{}')
    return Object.entries({ ...dependencies, ...devDependencies })
  } catch {
    return []
  }
}

function nextChanges(site: Site, snippet: Snippet): Change[] {
  const layouts = below(site, /^(src\/)?app\/(.*\/)?layout\.[jt]sx?$/)
  const pages = below(site, /^(src\/)?pages\/(?!api\/).*\.[jt]sx?$/)
  const app = changesOf(site, layouts, text => withScriptComponent(text, snippet))
  if (pages.length === 0) return app
  const documents = pages.filter(path => /^(src\/)?pages\/_document\.[jt]sx?$/.test(path))
  if (documents.length > 0)
    return [...app, ...changesOf(site, documents, text => withScriptInHead(text, snippet))]
  const folder = pages[0]?.startsWith('src/') ? 'src/pages' : 'pages'
  const type = pages.some(path => /\.tsx?$/.test(path)) ? 'tsx' : 'jsx'
  return [...app, ...newFile(site, `${folder}/_document.${type}`, newDocument(snippet))]
}

/** A plugin, because the configuration may be code of any form. */
function nuxtChanges(site: Site, { src, project, token }: Snippet): Change[] {
  const [, version = ''] = packagesOf(site).find(([name]) => name === 'nuxt') ?? []
  if (/^\D*2\b/.test(version)) return []
  const hasAppFolder = site.paths.some(path =>
    /^app\/(app\.vue$|(pages|layouts|components|plugins)\/)/.test(path),
  )
  const type = site.paths.some(path => /^(tsconfig\.json|nuxt\.config\.ts)$/.test(path)) ? 'ts' : 'js'
  const text = `export default defineNuxtPlugin(() => {
  useHead({
    script: [
      {
        src: '${src}',
        defer: true,
        'data-project': '${project}',
        'data-token': '${token}',
        'data-track-spa': 'true',
      },
    ],
  })
})
`
  return newFile(site, `${hasAppFolder ? 'app/' : ''}plugins/footfall.${type}`, text)
}

/** Without a layout of its own the pages have heads of their own, or the theme has the layout. */
function jekyllChanges(site: Site, snippet: Snippet): Change[] {
  const layouts = headChanges(site, below(site, /^(_layouts|_includes)\/.*\.html$/), scriptTag(snippet))
  return layouts.length > 0 ? layouts : headChanges(site, below(site, /\.html$/), scriptTag(snippet))
}

const THEME = /^[ \t]*"?theme"?\s*[:=]\s*(?:\[\s*)?["']?([\w.-]+)/m

/** A layout of the theme is copied to the same place of the site, which Hugo prefers. */
function hugoChanges(site: Site, snippet: Snippet): Change[] {
  const own = headChanges(site, below(site, /^layouts\/.*\.html$/), scriptTag(snippet))
  if (own.length > 0) return own
  const config = site.paths.filter(path => /^(hugo|config|config\/_default\/(hugo|config))\.\w+$/.test(path))
  const named = config.map(path => THEME.exec(site.read(path) ?? '')?.[1]).find(name => name !== undefined)
  const layouts = below(site, /^themes\/[^/]+\/layouts\/.*\.html$/).filter(
    path => named === undefined || path.startsWith(`themes/${named}/`),
  )
  const copies = headChanges(site, layouts, scriptTag(snippet))
  return copies.flatMap(({ path, after }) => newFile(site, path.replace(/^themes\/[^/]+\//, ''), after))
}

function wordPressChanges(site: Site, snippet: Snippet): Change[] {
  const header = headChanges(site, ['header.php'], scriptTag(snippet))
  if (header.length > 0) return header
  const before = site.paths.includes('functions.php') ? site.read('functions.php') : ''
  if (before === null) return []
  const isPhp = before.lastIndexOf('<?php') > before.lastIndexOf('?>')
  const hook = [
    ...(isPhp ? [''] : ['<?php']),
    `add_action( 'wp_head', function () {`,
    `\t?>`,
    `\t${scriptTag(snippet)}`,
    `\t<?php`,
    `} );`,
  ]
  return [
    {
      path: 'functions.php',
      before: site.paths.includes('functions.php') ? before : null,
      after: appended(before, hook),
    },
  ]
}
