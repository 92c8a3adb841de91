import { html } from '#lambdas/html'
import type { BufferedResponse, HttpRequest } from '#lambdas/http'
import { PRIVATE_HEADERS } from '#lambdas/page'
import type { BrowserSteps } from './browser.ts'
import type { DashboardEntry, PagesServices } from './services.ts'

/**
 * Scripts and styles come from files of the service alone, and nothing is asked of another host. `blob:` is
 * the picture of a chart that is saved as PNG.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  ...PRIVATE_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
}

/**
 * The page of the dashboard: the same for every address, because the script reads the address. A browser
 * without a session signs in first and comes back; the demo is open to everybody.
 */
export function dashboardPages({ dashboard }: Pick<PagesServices, 'dashboard'>, browser: BrowserSteps) {
  const closed = browser.signedIn(({ request }) => page(request))
  const open = browser.open(request => page(request))
  const page = async ({ params }: HttpRequest) => dashboardPage(await dashboard(), viewOf(params))

  return {
    dashboardSites: closed,
    dashboardAccount: (request: HttpRequest) =>
      request.params.view === 'demo' ? open(request) : closed(request),
    dashboardDemo: open,
    dashboardProject: closed,
    dashboardView: closed,
  }
}

/** The name of the view whose script the page loads at once, if there is one of that name. */
function viewOf({
  project,
  view = project === undefined ? 'sites' : 'overview',
}: HttpRequest['params']): string {
  return view === 'demo' ? 'overview' : view
}

function dashboardPage({ script, style, views }: DashboardEntry, view: string): BufferedResponse {
  const preloads = Object.hasOwn(views, view) ? (views[view] ?? []) : []
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Footfall</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app/assets/${style}">
<script type="module" src="/app/assets/${script}"></script>
${preloads.map(name => html`<link rel="modulepreload" href="/app/assets/${name}">\n`)}
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard needs JavaScript. <a href="/llms.txt">The same numbers without it.</a></p></noscript>
</body>
</html>
`.text
  return { status: 200, headers: HEADERS, body }
}
