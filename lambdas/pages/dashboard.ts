import { ApiError } from '#core/errors'
import { html } from '#lambdas/http/html'
import type { BufferedResponse, HttpRequest } from '#lambdas/http/http'
import { PRIVATE_HEADERS } from '#lambdas/http/page'
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

/** Headers of a page whose address is a secret. */
const SECRET_ADDRESS = {
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
}

/**
 * The page of the dashboard: the same for every address, because the script reads the address. A browser
 * without a session signs in first and comes back; the demo is open to everybody, and the part of a project
 * that a share link shows is open to whoever has the link.
 */
export function dashboardPages(
  {
    dashboard,
    shareLinks,
    refreshSeconds,
    readsTogether,
  }: Pick<PagesServices, 'dashboard' | 'shareLinks' | 'refreshSeconds' | 'readsTogether'>,
  browser: BrowserSteps,
) {
  const closed = browser.signedIn(({ request, viewer }) => page(request, { csrf: viewer.csrfToken }))
  const open = browser.open(request => page(request))
  const shared = browser.open(request => sharedPage(request))
  const page = async ({ params }: HttpRequest, data: PageData = {}) =>
    dashboardPage(await dashboard(), viewOf(params), {
      ...data,
      'refresh-seconds': refreshSeconds,
      ...(readsTogether && { 'reads-together': 'true' }),
    })

  /**
   * The secret of the link is in the address, so no request of the page tells where it comes from, and no
   * search engine lists it: somebody may put the link on a page.
   */
  async function sharedPage({ params: { secret = '', view = 'overview' } }: HttpRequest) {
    const found = await shareLinks.byToken(secret)
    if (found === null) {
      throw new ApiError('NOT_FOUND', 'This link shows nothing, or not any more. Ask its owner for another.')
    }
    const { link, project } = found
    const shown = link.views.some(each => each === view) ? view : (link.views[0] ?? '')
    const { name, display_name, timezone } = project
    const response = dashboardPage(await dashboard(), shown, {
      project: name,
      title: display_name ?? name,
      views: link.views.join(' '),
      timezone: timezone ?? '',
      'refresh-seconds': refreshSeconds,
    })
    return { ...response, headers: { ...response.headers, ...SECRET_ADDRESS } }
  }

  return {
    dashboardSites: closed,
    dashboardAccount: (request: HttpRequest) =>
      request.params.view === 'demo' ? open(request) : closed(request),
    dashboardDemo: open,
    dashboardProject: closed,
    dashboardView: closed,
    sharedDashboard: shared,
    sharedView: shared,
  }
}

/** The name of the view whose script the page loads at once, if there is one of that name. */
function viewOf({
  project,
  view = project === undefined ? 'sites' : 'overview',
}: HttpRequest['params']): string {
  return view === 'demo' ? 'overview' : view
}

/**
 * What the script cannot ask for. A share link reads no project record: the name of its project, what people
 * read for it, the names of its views, and the time zone or an empty text. `csrf`: what the form to sign out
 * sends.
 */
type PageData = { project: string; title: string; views: string; timezone: string } | { csrf?: string }

/** Every page says how often an open view asks again, and some that its reads are one call. */
type Refresh = { 'refresh-seconds': number; 'reads-together'?: 'true' }

function dashboardPage(
  { script, style, views }: DashboardEntry,
  view: string,
  data: PageData & Refresh,
): BufferedResponse {
  const preloads = Object.hasOwn(views, view) ? (views[view] ?? []) : []
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${'views' in data && html`<meta name="robots" content="noindex, nofollow, noarchive">\n`}<title>Footfall</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app/assets/${style}">
<script type="module" src="/app/assets/${script}"></script>
${preloads.map(name => html`<link rel="modulepreload" href="/app/assets/${name}">\n`)}
</head>
<body>
<div id="app"${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}></div>
<noscript><p>The dashboard needs JavaScript. <a href="/llms.txt">The same numbers without it.</a></p></noscript>
</body>
</html>
`.text
  return { status: 200, headers: HEADERS, body }
}
