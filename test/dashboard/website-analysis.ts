import { routes } from '#schemas/routes'
import { type ScanResponse, scanResponse } from '#schemas/scan-requests'
import { scanVerification } from '#schemas/website-scans'
import { openHttpService } from '#test/support/http-service'

/**
 * Analyses for the tests of the dashboard. The service of these tests reads no sites, because no test may
 * reach another host. So another service, on a network without sockets, analyses a site, and pages get its
 * answers.
 */

/** Words and attributes of a page that tries to be more than text. */
export const HOSTILE = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const HOSTILE_SITE = `<!doctype html><html lang="en"><head><title>${escaped(HOSTILE)}</title>
<meta name="description" content="${escaped(HOSTILE)}"></head><body>
<header><nav><a href="/pricing">Pricing</a> <a class="cta" href="/signup">Start free ${escaped(HOSTILE)}</a></nav></header>
<main><h1>Invoices in a minute ${escaped(HOSTILE)}</h1>
<p>Acme writes, sends and follows up your invoices, so that you are paid in time. It is for freelancers who would rather work.</p>
<form action="/subscribe" method="post"><input type="email" name="email"><button type="submit">Subscribe ${escaped(HOSTILE)}</button></form>
<a href="/contact">Contact us</a> <a href="/demo">Book a demo ${escaped(HOSTILE)}</a></main></body></html>`

/** A full analysis of a site of one page, as the API answers it. */
export async function analysisOf(site: string): Promise<ScanResponse> {
  const service = await openHttpService({ site: url => (/\.(txt|xml)$/.test(url) ? null : site) })
  try {
    const { name } = await service.createProject()
    const { status, body } = await service.call(routes.createProjectScan, {
      body: { url: 'https://example.com', project: name, full: true },
    })
    if (status !== 200) throw new Error(`The analysis gave ${status}: ${JSON.stringify(body)}`)
    return scanResponse.parse(body)
  } finally {
    await service.close()
  }
}

/**
 * What the service would answer to a read of the analysis, and to one of what has arrived; undefined for
 * another path. The first event has arrived, without the property `missing`.
 */
export function answerOfAnalysis(path: string, scan: ScanResponse, missing = 'plan'): object | undefined {
  if (!/^\/(cli\/)?website-scans(\/|$)/.test(path)) return undefined
  if (!path.endsWith('/verify')) return scan
  const events = (scan.result?.minimum_viable_instrumentation ?? []).map(({ event }, i) => ({
    ...{ event, arrived: i === 0, count: i === 0 ? 12 : 0, last_seen_at: i === 0 ? Date.now() : null },
    ...{ missing_properties: i === 0 ? [missing] : [], warnings: [] },
    from: i === 0 ? [{ page: `/${missing}`, place: 'header', count: 12 }] : [],
    fix: i === 0 ? { file_hint: 'app/', change: `Add data-aa-event-${missing}.` } : null,
  }))
  const answer = { analysis_id: scan.analysis_id, checked_at: Date.now(), events, refused: [] }
  return scanVerification.parse(answer)
}
