import { readFileSync } from 'node:fs'

export type DemoSettings = {
  /** Where the service is reached, without a slash at the end. */
  baseUrl: string
  /** Name of the demo project. */
  project: string
  /** Its public token. */
  token: string
  /** The file that holds the API key, as a shell in the folder of the service names it. */
  credentialsFile: string
}

export type DemoResponse = { status: number; headers: Record<string, string>; body: string }

const TITLES = {
  index: 'Heronry – field notes, kept together',
  guide: 'Four birds of the still water – Heronry',
  pricing: 'Pricing – Heronry',
  join: 'Open your notebook – Heronry',
}

const FILES: Record<string, string> = {
  'style.css': 'text/css; charset=utf-8',
  'demo.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

const COMMON = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  // Nothing from elsewhere: the site must work without a network, and shows that the tracker needs no exception.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

function read(file: string): string {
  return readFileSync(new URL(`site/${file}`, import.meta.url), 'utf8')
}

/**
 * A page of the demo site, which carries the tracker and says how to see one's own visit; `path` is that of the
 * request, without its query. Null when the site has no such page.
 */
export function demoPage(path: string, settings: DemoSettings): DemoResponse | null {
  if (path === '/demo') return { status: 308, headers: { ...COMMON, Location: '/demo/' }, body: '' }
  if (!path.startsWith('/demo/')) return null
  const name = path.slice('/demo/'.length) || 'index'
  const type = Object.hasOwn(FILES, name) && FILES[name]
  if (type) return { status: 200, headers: { ...COMMON, 'Content-Type': type }, body: read(name) }
  if (!Object.hasOwn(TITLES, name) || path === '/demo/index') return null
  return {
    status: 200,
    headers: { ...COMMON, 'Content-Type': 'text/html; charset=utf-8' },
    body: fill(
      read('layout.html').replace('{{main}}', () => read(`${name}.html`)),
      {
        title: TITLES[name as keyof typeof TITLES],
        base_url: settings.baseUrl,
        project: settings.project,
        project_query: encodeURIComponent(settings.project),
        token: settings.token,
        credentials: inShell(settings.credentialsFile),
      },
    ),
  }
}

/** Puts the values in the places `{{name}}`, as text. A place without a value is a mistake of ours. */
function fill(html: string, values: Record<string, string>): string {
  return html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined)
      throw new Error(`the demo page has a place for ${name}, but there is no such value`)
    return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  })
}

/** A file name as one word of a shell. */
function inShell(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
