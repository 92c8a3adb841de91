import { Html, type HtmlValue, html } from './html.ts'
import type { BufferedResponse, HttpResponse } from './http.ts'
import { STYLE, STYLE_SOURCE } from './page-style.ts'

export type Page = {
  status?: number
  title: string
  body: HtmlValue
  /** Who is signed in; the page then has the links of the account and the sign-out button. */
  viewer?: { email: string; csrfToken: string } | null
  /** Loads /pages.js, which adds the copy button. Every page works without it. */
  script?: boolean
  /** Addresses beside our own that a form of the page may lead to, as CSP sources. */
  formTargets?: readonly string[]
  headers?: Record<string, string>
  cookies?: readonly string[]
}

/** The name of the hidden field that carries the CSRF token. */
export const CSRF_FIELD = 'csrf'

/** A page for people: one style, no other request before the first paint, nothing kept on the way. */
export function pageResponse(page: Page): BufferedResponse {
  const { status = 200, headers = {}, cookies } = page
  return {
    status,
    headers: { ...pageHeaders(page), ...headers },
    body: pageText(page),
    ...(cookies !== undefined && { cookies }),
  }
}

/** Sends the browser to another address by GET, also after a form. */
export function redirect(location: string, cookies?: readonly string[]): HttpResponse {
  return {
    // 303 after a form: 302 leaves the method to the browser.
    status: 303,
    headers: { ...PRIVATE_HEADERS, Location: location },
    body: '',
    ...(cookies !== undefined && { cookies }),
  }
}

/** The hidden field that every form of a signed-in page carries. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${token}">`
}

/** Headers of everything that belongs to one browser and one moment. */
export const PRIVATE_HEADERS = Object.freeze({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // Forms of ours still send their Origin; other sites learn nothing of our addresses, which may hold codes.
  'Referrer-Policy': 'same-origin',
})

function pageHeaders({ script, formTargets = [] }: Page): Record<string, string> {
  return {
    ...PRIVATE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${STYLE_SOURCE}`,
      ...(script ? ["script-src 'self'"] : []),
      'img-src data:',
      `form-action ${["'self'", ...formTargets].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

function pageText({ title, body, viewer, script }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Footfall</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
${script && html`<script src="/pages.js" defer></script>`}
</head>
<body>
<header>
<a class="name" href="/"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><rect x="2" y="11" width="4" height="7" rx="1"/><rect x="8" y="6" width="4" height="12" rx="1"/><rect x="14" y="2" width="4" height="16" rx="1"/></svg>Footfall</a>
${viewer && navigation(viewer.csrfToken)}
</header>
<main>
${body}
</main>
<footer>${viewer && html`Signed in as ${viewer.email}`}</footer>
</body>
</html>
`.text
}

function navigation(csrfToken: string): Html {
  return html`<nav aria-label="Account">
<a href="/app">Dashboard</a>
<a href="/settings">Account</a>
<a href="/settings/sessions">Connections</a>
<a href="/settings/api-key">API key</a>
</nav>
<form method="post" action="/auth/logout">${csrfField(csrfToken)}<button class="link">Sign out</button></form>`
}
