import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createScanThread } from '#local/scans/scan-thread'
import { goodAnswer, sayText, startConverse } from '#test/providers/bedrock/converse-server'
import { SITE } from '#test/support/test-scans'
import { ACCOUNT, openScanThreads } from './open-scan-threads.ts'

const cleanups: (() => Promise<unknown>)[] = []
const { serve, open } = openScanThreads(cleanups)
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

test('an analysis runs in the thread, with the real network and the real reader', async () => {
  const url = await serve((response, path) =>
    path.endsWith('.txt') || path.endsWith('.xml')
      ? response.writeHead(404).end()
      : response.setHeader('Content-Type', 'text/html').end(SITE),
  )
  const { start, logged } = await open()
  const { scans } = start()
  const { full, scan } = await scans.start({ url, isFull: true }, ACCOUNT)
  expect(scan.status).toBe('succeeded')
  expect(full?.result.minimum_viable_instrumentation.length).toBeGreaterThanOrEqual(5)
  expect(full?.coverage.pages.length).toBeGreaterThan(3)
  expect(logged).toEqual([])
})

test('a text model that was chosen words full analyses, and no previews', async () => {
  const model = await startConverse((call, response) =>
    sayText(
      response,
      goodAnswer(call, words => words.replace(/\.$/, ' today.')),
    ),
  )
  cleanups.push(model.close)
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', model.endpoint)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  cleanups.push(async () => vi.unstubAllEnvs())
  const url = await serve((response, path) =>
    path === '/' ? response.setHeader('Content-Type', 'text/html').end(SITE) : response.writeHead(404).end(),
  )
  const { start, logged } = await open({ textModel: 'amazon.nova-lite-v1:0' })
  const { scans } = start()
  const { preview } = await scans.start({ url, isFull: false }, ACCOUNT)
  expect(JSON.stringify(preview)).not.toContain(' today."')
  expect(model.calls).toHaveLength(0)
  const { full } = await scans.start({ url, isFull: true }, ACCOUNT)
  expect(full?.result.minimum_viable_instrumentation[0]?.why_this_matters_now).toMatch(/ today\.$/)
  expect(model.calls).toHaveLength(1)
  expect(logged).toEqual(['SCAN_POLISHED'])
})

test('an analysis whose thread was stopped begins again with the next start', async () => {
  let requests = 0
  const url = await serve(response => {
    requests += 1
    // The first request never gets an answer.
    if (requests > 1) response.setHeader('Content-Type', 'text/html').end(SITE)
  })
  const { start } = await open()
  const first = start()
  const waiting = first.scans.start({ url, isFull: false }, ACCOUNT)
  await expect.poll(() => requests, { timeout: 60_000 }).toBe(1)
  await first.thread.stop()
  const second = start()
  await second.maintenance.resumeAll()
  // The request of before still waits, and sees the end.
  const { scan, preview } = await waiting
  expect([scan.status, scan.attempts, preview?.coverage.pages.length]).toEqual(['succeeded', 2, 1])
})

test('without a browser the page is read as it came, and the answer says so', async () => {
  const shell = '<title>App</title><div id="root"></div><script src="/app.js"></script>'
  const url = await serve(response => response.setHeader('Content-Type', 'text/html').end(shell))
  const { preview } = await (await open({ chromiumPath: '/nowhere/chromium' }))
    .start()
    .scans.start({ url, isFull: false }, ACCOUNT)
  expect(preview?.coverage).toMatchObject({ rendering: 'failed', pages: [{ rendered: false }] })
})

/** Looks of the parent in these tests: fifteen of them are less than the time of a service (1 s each). */
const CHECK_MS = 300

describe('an analysis that stops the thread', () => {
  const entry = new URL('./blocking-thread.ts', import.meta.url)

  test.each([
    ['by a page that never ends', 'never ends'],
    ['by a page that ends the thread', 'ends everything'],
  ])('%s fails alone, and no page of it is read again', async (_, words) => {
    const asked = { bad: 0, other: 0 }
    const html = (response: ServerResponse, text: string) =>
      void response.setHeader('Content-Type', 'text/html').end(text)
    const bad = await serve(response => {
      asked.bad += 1
      html(response, `<h1>${words}</h1>`)
    })
    const other = await serve(response => {
      asked.other += 1
      // The first request never gets an answer, so the analysis is there when the thread stops.
      if (asked.other > 1) html(response, SITE)
    })
    const { start, logged } = await open({ entry, checkMs: CHECK_MS })
    const { scans, thread } = start()
    const waiting = scans.start({ url: other, isFull: false }, ACCOUNT)
    await expect.poll(() => asked.other, { timeout: 60_000 }).toBe(1)
    const url = bad.replace('shop.', 'bad.')
    const refused = await scans.start({ url, isFull: false }, ACCOUNT).catch(error => error)
    expect([refused.code, refused.message]).toEqual([
      'SCAN_FAILED',
      expect.stringMatching(/^The page http:\/\/bad\.example\.com.* takes too long to read\. Start/),
    ])
    const { scan, preview } = await waiting
    expect([scan.status, preview?.coverage.pages.length]).toEqual(['succeeded', 1])
    if (words === 'never ends') expect(logged).toContain('JOB_FAILED')

    await thread.stop()
    const requests = asked.bad
    const next = start()
    await next.maintenance.resumeAll()
    const id = String(refused.extras.fields.analysis_id)
    expect((await next.scans.read(id, ACCOUNT)).scan.status).toBe('failed')
    // All that was to begin again has begun before this one.
    await expect(next.scans.start({ url: `${other}new`, isFull: false }, ACCOUNT)).resolves.toBeDefined()
    expect(asked.bad).toBe(requests)
  })
})

test('when nobody knows whose work blocks a thread, all that it had begins again in another one', async () => {
  const begun: string[] = []
  const log = (code: string, fields: Record<string, unknown> = {}) =>
    void begun.push(code === 'JOB_FAILED' ? code : [fields.id, ...Object.keys(fields).slice(3)].join(' '))
  const thread = createScanThread({ dataDir: '/nowhere', userAgent: 'x', fence: 'none' }, log, {
    entry: new URL('./blocked-thread.ts', import.meta.url),
    checkMs: 100,
  })
  cleanups.push(thread.stop)
  const job = (id: string) => ({ kind: 'scan', account_id: 'acc_1', id }) as const
  await thread.send(job('blocks'))
  await thread.send(job('other'))
  await expect.poll(() => begun, { timeout: 60_000 }).toContain('other takesOver')
  expect(begun).toEqual(expect.arrayContaining(['JOB_FAILED', 'blocks takesOver']))
  // The blocked thread has not begun the second analysis, and no job is to blame or innocent.
  expect(
    begun.filter(line => !['JOB_FAILED', 'blocks', 'blocks takesOver', 'other takesOver'].includes(line)),
  ).toEqual([])
})
