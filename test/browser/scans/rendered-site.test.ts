import { afterEach, expect, test } from 'vitest'
import { findFence } from '#local/scans/find-fence'
import { createScanThread } from '#local/scans/scan-thread'
import { routes } from '#schemas/routes'
import { type ScanResponse, scanResponse } from '#schemas/scan-requests'
import { CORPUS } from '#test/scans/corpus/corpus'
import { serveCorpus } from '#test/scans/corpus/serve-corpus'
import { openHttpService } from '#test/support/http-service'
import { linkBrowser } from './link-browser.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/**
 * The service over HTTP, with the thread of one machine and a real browser. The corpus is on this machine.
 */
async function openService() {
  const served = await serveCorpus(CORPUS.filter(({ rendered }) => rendered !== undefined))
  cleanups.push(served.close)
  let folder = ''
  const { fence } = await findFence('', undefined)
  const service = await openHttpService({
    scanJobs: dataDir => {
      folder = dataDir
      const settings = { dataDir, userAgent: 'FootfallScan/1.0 (+http://localhost/)', fence }
      const entry = new URL('../../local/scans/loopback-thread.ts', import.meta.url)
      const thread = createScanThread(settings, () => {}, { entry })
      cleanups.push(thread.stop)
      return thread
    },
  })
  // The thread ends before the state that it writes to.
  cleanups.splice(-1, 0, service.close)
  await linkBrowser(folder)
  return { service, urlOf: served.urlOf }
}

test('an app shell of the corpus is rendered end to end, and the answer says so and what was not reached', async () => {
  const { service, urlOf } = await openService()
  const url = urlOf('tidyboard', '/')
  const { createScan, readScan } = routes
  let response = await service.call(createScan, { body: { url, full: true } })
  // A busy machine may need more than the wait of one request.
  const id = String(response.body.analysis_id)
  await expect
    .poll(
      async () => {
        response = await service.call(readScan, { id })
        return response.body.status
      },
      { timeout: 120_000 },
    )
    .toBe('succeeded')
  const { coverage, result, agent_handoff } = scanResponse.parse(response.body) as ScanResponse
  expect(coverage).toMatchObject({
    rendering: 'used',
    pages: [{ url, status: 200, rendered: true }],
  })
  const reasons = Object.fromEntries(coverage?.not_reached.map(({ url, reason }) => [url, reason]) ?? [])
  expect(reasons).toMatchObject({
    [urlOf('tidyboard', '/pricing')]: 'the server answers with status 404',
    [urlOf('tidyboard', '/login')]: 'the server answers with status 404',
  })
  expect(result?.framing).toContain('is a software service')
  expect(result?.minimum_viable_instrumentation[0]).toMatchObject({
    event: 'signup_started',
    placement: { words: 'Get started free', selector: `button[data-testid="hero-signup"]` },
  })
  expect(agent_handoff.prompt).toContain('"Get started free"')
})
