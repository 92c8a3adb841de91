import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'

export type DemoSettings = {
  /** Address of the service, without a slash at the end. */
  baseUrl: string
  /** Name of the demo project. */
  project: string
  /** Public token of the demo project. */
  token: string
  /** Path of the file that has the API key alone. */
  apiKeyFile: string
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

const COMMON_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  // Only our own files: the site works without a network, and proves that the tracker needs no exception.
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

/**
 * Serves the demo site. The returned function responds to a request for one of its pages and returns true, or
 * returns false.
 */
export function createDemoSite(settings: DemoSettings) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const page = isRead ? demoPage((request.url ?? '/').split('?', 1)[0] as string, settings) : null
    if (page === null) return false
    response.writeHead(page.status, { ...page.headers, 'Content-Length': Buffer.byteLength(page.body) })
    response.end(page.body)
    return true
  }
}

/**
 * A page or file of the demo site, or null when the site has none at this path. Each page carries the tracker
 * and shows the commands that read the user's own events. `path` is the path of the request, without its
 * query.
 */
export function demoPage(path: string, settings: DemoSettings): DemoResponse | null {
  if (path === '/demo') return { status: 308, headers: { ...COMMON_HEADERS, Location: '/demo/' }, body: '' }
  if (!path.startsWith('/demo/')) return null
  const name = path.slice('/demo/'.length) || 'index'
  const type = Object.hasOwn(FILES, name) && FILES[name]
  if (type)
    return { status: 200, headers: { ...COMMON_HEADERS, 'Content-Type': type }, body: readSiteFile(name) }
  if (!Object.hasOwn(TITLES, name) || path === '/demo/index') return null
  return {
    status: 200,
    headers: { ...COMMON_HEADERS, 'Content-Type': 'text/html; charset=utf-8' },
    body: fillPlaceholders(
      readSiteFile('layout.html').replace('{{main}}', () => readSiteFile(`${name}.html`)),
      {
        title: TITLES[name as keyof typeof TITLES],
        base_url: settings.baseUrl,
        project: settings.project,
        project_query: encodeURIComponent(settings.project),
        token: settings.token,
        api_key_file: quoteForShell(settings.apiKeyFile),
      },
    ),
  }
}

function readSiteFile(name: string): string {
  return readFileSync(new URL(`site/${name}`, import.meta.url), 'utf8')
}

/** Replaces each `{{name}}` by its value, escaped for HTML. A placeholder without a value is our bug. */
function fillPlaceholders(html: string, values: Record<string, string>): string {
  return html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`The demo site has no value for the placeholder ${name}.`)
    return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  })
}

/** A file name as one word of a shell command. */
function quoteForShell(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
