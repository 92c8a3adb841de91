import type { Page } from 'playwright-core'
import type { ScanResponse } from '#schemas/scan-requests'
import { answerOfAnalysis } from '#test/dashboard/website-analysis'

/** Answers reads of an analysis in the place of the service, which reads no sites in tests. */
export async function serveAnalysis(page: Page, scan: () => ScanResponse): Promise<void> {
  await page.route(/\/website-scans(\/|$)/, (route, request) => {
    const json = answerOfAnalysis(new URL(request.url()).pathname, scan())
    return json === undefined ? route.continue() : route.fulfill({ json })
  })
}
