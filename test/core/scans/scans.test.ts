import { afterEach, describe, expect, test } from 'vitest'
import { RUN_MS } from '#core/scans/running-scans'
import { DAY_MS } from '#core/time'
import { FREE, NOW, type OpenScansOptions, openScans, PRO } from './test-scans.ts'

const HOUR_MS = 3_600_000
const opened: Awaited<ReturnType<typeof openScans>>[] = []
afterEach(async () => {
  for (const scans of opened.splice(0)) await scans.close()
})

async function open(options: Partial<OpenScansOptions> = {}) {
  const scans = await openScans({
    answer: url => (url.endsWith('robots.txt') ? null : `<h1>${url}</h1>`),
    ...options,
  })
  opened.push(scans)
  return scans
}

const request = (url: string, isFull = false) => ({ url, isFull })

describe('an anonymous preview', () => {
  test('is of the root domain, has a token that reads it again, and of which only a hash is kept', async () => {
    const { scans, network, state } = await open()
    const { scan, preview, resumeToken, isCached } = await scans.startAnonymous(
      { url: 'https://app.shop.example.com/pricing?a=1#b' },
      '192.0.2.1',
    )
    expect(scan).toMatchObject({
      url: 'https://example.com/',
      hostname: 'example.com',
      status: 'succeeded',
      stage: 'done',
    })
    expect(network.requests).toEqual(['https://example.com/'])
    expect([preview?.result.framing, isCached]).toEqual(['preview  <h1>https://example.com/</h1>', false])
    expect(resumeToken).toMatch(/^rst_[0-9a-f]{64}$/)
    const read = await scans.resume(scan.id, resumeToken as string)
    expect([read.preview, read.resumeToken]).toEqual([preview, null])
    const { Items = [] } = await state.client.scan({ TableName: state.table })
    expect(JSON.stringify(Items)).not.toContain((resumeToken as string).slice(4, 20))
  })

  test.each([
    ['a wrong token', `rst_${'0'.repeat(64)}`],
    ['a token of another form', 'rst_1'],
    ['no token', ''],
  ])('is not read with %s', async (_, token) => {
    const { scans } = await open()
    const { scan } = await scans.startAnonymous({ url: 'example.com' }, null)
    await expect(scans.resume(scan.id, token)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(scans.read(scan.id, FREE)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is the one of the last day for everybody, then a new one', async () => {
    const { scans, network, wait } = await open()
    const first = await scans.startAnonymous({ url: 'https://example.com' }, '192.0.2.1')
    const second = await scans.startAnonymous({ url: 'http://www.example.com/other' }, '192.0.2.2')
    expect([second.isCached, second.resumeToken, second.scan.id]).toEqual([true, null, first.scan.id])
    expect(second.preview).toEqual(first.preview)
    expect(network.requests).toHaveLength(1)
    wait(DAY_MS)
    const third = await scans.startAnonymous({ url: 'https://example.com' }, '192.0.2.1')
    expect([third.isCached, network.requests.length]).toEqual([false, 2])
    expect(third.scan.id).not.toBe(first.scan.id)
  })

  test('is gone after 30 days, without the deletion of expired items', async () => {
    const { scans, wait } = await open()
    const { scan, resumeToken } = await scans.startAnonymous({ url: 'example.com' }, null)
    wait(30 * DAY_MS - 1_000)
    expect((await scans.resume(scan.id, resumeToken as string)).preview).not.toBeNull()
    wait(1_000)
    await expect(scans.resume(scan.id, resumeToken as string)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is tried at the host that was sent when the root domain has no website, and by http at last', async () => {
    const refused = (url: string) => {
      if (url === 'http://www.example.com/') return '<h1>Here</h1>'
      throw Object.assign(new Error('refused'), { name: 'x' })
    }
    const { scans, network } = await open({
      answer: async url => {
        const { OutboundFailure } = await import('#core/outbound/outbound-failure')
        try {
          return refused(url)
        } catch {
          throw new OutboundFailure('connect', 'no')
        }
      },
    })
    const { preview } = await scans.startAnonymous({ url: 'www.example.com' }, null)
    expect(preview?.coverage.pages).toEqual([
      { url: 'http://www.example.com/', status: 200, rendered: false },
    ])
    expect(network.requests).toEqual([
      'https://example.com/',
      'http://example.com/',
      'https://www.example.com/',
      'http://www.example.com/',
    ])
  })
})

describe('quotas', () => {
  test('the sixth anonymous preview of an address within an hour is refused, with a time after which it works', async () => {
    const { scans, wait } = await open({ profile: 'hosted', answer: () => ({ status: 500 }) })
    const start = () => scans.startAnonymous({ url: 'example.com' }, '192.0.2.1').catch(error => error)
    for (let i = 0; i < 5; i++) expect((await start()).code).toBe('SCAN_FAILED')
    const refused = await start()
    expect([refused.code, refused.status]).toEqual(['SCAN_BUSY', 429])
    const seconds = refused.extras.fields.retry_after_seconds
    expect([seconds, seconds <= 3_720]).toEqual([refused.extras.retryAfter, true])
    expect(refused.extras.headers).toEqual({
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': expect.stringMatching(/^\d{10}$/),
    })
    expect((await scans.startAnonymous({ url: 'example.com' }, '192.0.2.2').catch(error => error)).code).toBe(
      'SCAN_FAILED',
    )
    wait(seconds * 1_000)
    expect((await start()).code).toBe('SCAN_FAILED')
  })

  test('a free account has three full analyses a month, and failed ones do not count', async () => {
    let isDown = true
    const { scans, wait } = await open({
      profile: 'hosted',
      answer: url => (isDown ? { status: 503 } : url.endsWith('.txt') ? null : '<h1>Up</h1>'),
    })
    const start = () => scans.start(request('https://example.com/', true), FREE as never)
    for (let i = 0; i < 4; i++) await expect(start()).rejects.toMatchObject({ code: 'SCAN_FAILED' })
    isDown = false
    for (let i = 0; i < 3; i++) expect((await start()).full).not.toBeNull()
    const refused = await start().catch(error => error)
    expect(refused.code).toBe('SCAN_BUSY')
    // Until the first of December.
    expect(refused.extras.retryAfter).toBe((Date.UTC(2026, 11) - NOW) / 1_000)
    // A preview is not of the month, and the Pro plan includes more.
    expect((await scans.start(request('https://example.com/'), FREE as never)).preview).not.toBeNull()
    expect((await scans.start(request('https://example.com/', true), PRO as never)).full).not.toBeNull()
    wait(refused.extras.retryAfter * 1_000)
    expect((await start()).full).not.toBeNull()
  })

  test('an account has twenty analyses an hour where the profile says so', async () => {
    const { scans, wait } = await open({ profile: 'hosted' })
    const start = () => scans.start(request('https://example.com/'), PRO as never)
    for (let i = 0; i < 20; i++) await start()
    await expect(start()).rejects.toMatchObject({ code: 'SCAN_BUSY' })
    wait(HOUR_MS * 1.1)
    await start()
  })
})

describe('at the same time', () => {
  test('another caller of a running host is told to wait, and the time is true', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const { scans, wait } = await open({
      answer: async () => {
        await gate
        return '<h1>Late</h1>'
      },
    })
    const first = scans.start(request('https://example.com/a'), FREE as never)
    await expect
      .poll(
        async () =>
          (await scans.start(request('https://example.com/b'), PRO as never).catch(error => error)).code,
      )
      .toBe('SCAN_BUSY')
    const busy = await scans.startAnonymous({ url: 'https://example.com/' }, null).catch(error => error)
    expect([busy.code, busy.extras.fields.retry_after_seconds]).toEqual(['SCAN_BUSY', RUN_MS.preview / 1_000])
    openGate()
    expect((await first).preview).not.toBeNull()
    wait(busy.extras.retryAfter * 1_000)
    expect((await scans.startAnonymous({ url: 'https://example.com/' }, null)).preview).not.toBeNull()
  })

  test('the same request again waits for the same analysis', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const { scans, running, network } = await open({
      answer: async () => {
        await gate
        return '<h1>Once</h1>'
      },
    })
    const first = scans.start(request('https://example.com/a'), FREE as never)
    await expect.poll(async () => (await running.list()).length).toBe(1)
    const second = scans.start(request('https://example.com/a'), FREE as never)
    openGate()
    const views = await Promise.all([first, second])
    expect(views[0].scan.id).toBe(views[1].scan.id)
    expect(network.requests).toHaveLength(1)
  })

  test('eight analyses run in parallel, and the ninth is told when there is room', async () => {
    const { scans, running } = await open({ isHeld: true, waitMs: 0 })
    const hosts = Array.from({ length: 8 }, (_, i) => `https://h${i}.example.com/`)
    for (const url of hosts) await scans.start(request(url, true), PRO as never)
    expect(await running.list()).toHaveLength(8)
    const refused = await scans.start(request('https://h9.example.com/'), PRO as never).catch(error => error)
    expect([refused.code, refused.extras.retryAfter]).toEqual(['SCAN_BUSY', RUN_MS.full / 1_000])
  })

  test('silent hosts of strangers leave places for accounts, and for other strangers', async () => {
    const { scans, running, wait } = await open({ isHeld: true, waitMs: 0 })
    const scan = (i: number, address: string, isOfOtherSite = false) =>
      scans.startAnonymous({ url: `https://silent${i}.example/`, isOfOtherSite }, address).then(
        () => 'begun',
        error => [error.code, error.extras.retryAfter, error.message],
      )
    const busy = (reason: RegExp) => ['SCAN_BUSY', RUN_MS.preview / 1_000, expect.stringMatching(reason)]
    // Eight hosts of one address, also through the pages that others look at, and then of another address.
    for (const i of [1, 2]) expect(await scan(i, '192.0.2.1')).toBe('begun')
    for (const i of [3, 4, 5, 6, 7, 8]) expect(await scan(i, '192.0.2.1')).toEqual(busy(/one address/))
    expect(await scan(3, '192.0.2.2')).toBe('begun')
    expect(await scan(4, '192.0.2.2')).toEqual(busy(/as many analyses as possible/))
    expect(await scan(5, '192.0.2.3', true)).toEqual(busy(/as many analyses as possible/))
    for (let i = 0; i < 5; i++) await scans.start(request(`https://own${i}.example/`, true), FREE as never)
    expect(await running.list()).toHaveLength(8)
    wait(RUN_MS.preview)
    expect(await scan(4, '192.0.2.1')).toBe('begun')
  })

  test('strangers who ask at the same time get no place more', async () => {
    const { scans, running } = await open({ isHeld: true, waitMs: 0 })
    const asked = Array.from({ length: 8 }, (_, i) =>
      scans.startAnonymous({ url: `https://silent${i}.example/` }, `192.0.2.${i % 4}`),
    )
    await Promise.allSettled(asked)
    expect(await running.list()).toHaveLength(3)
  })

  test('what the page of another site asks for does not spend what the network of its visitor may do', async () => {
    const { scans, wait } = await open({ profile: 'hosted' })
    // With a focus the preview of before does not serve.
    const scan = (isOfOtherSite: boolean) =>
      scans.startAnonymous({ url: 'example.com', focus: 'sales', isOfOtherSite }, '192.0.2.1').then(
        () => 'begun',
        error => error.code,
      )
    for (let i = 0; i < 5; i++) expect(await scan(true)).toBe('begun')
    expect(await scan(true)).toBe('SCAN_BUSY')
    expect(await scan(false)).toBe('begun')
    wait(HOUR_MS * 2)
    expect(await scan(true)).toBe('begun')
  })

  test('of two requests at once for a host one begins', async () => {
    const { scans } = await open({ isHeld: true, waitMs: 0 })
    const urls = ['https://example.com/a', 'https://example.com/b', 'https://example.com/c']
    const results = await Promise.allSettled(urls.map(url => scans.start(request(url), PRO as never)))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})

describe('upgrade', () => {
  test('gives an anonymous preview to the account, under the same id, and the token ends', async () => {
    const { scans } = await open()
    const { scan, resumeToken, preview } = await scans.startAnonymous({ url: 'example.com' }, null)
    await expect(scans.upgrade(scan.id, {}, FREE as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const token = { resumeToken: resumeToken as string }
    const full = await scans.upgrade(scan.id, token, FREE as never)
    expect(full.scan).toMatchObject({ id: scan.id, mode: 'full', account_id: FREE.id, status: 'succeeded' })
    expect([full.preview, full.full?.result.framing]).toEqual([
      preview,
      'full  <h1>https://example.com/</h1>',
    ])
    await expect(scans.resume(scan.id, token.resumeToken)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await scans.read(scan.id, FREE)).full).toEqual(full.full)
    await expect(scans.read(scan.id, PRO)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(scans.upgrade(scan.id, token, PRO as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('of a full analysis returns it as it is', async () => {
    const { scans, network } = await open()
    const { scan } = await scans.start(request('https://example.com/'), FREE as never)
    const full = await scans.upgrade(scan.id, {}, FREE as never)
    const requests = network.requests.length
    expect(await scans.upgrade(scan.id, {}, FREE as never)).toEqual(full)
    expect(network.requests.length).toBe(requests)
  })
})

test('an analysis that takes longer than a request waits is shown as it is, and is polled', async () => {
  const { scans, jobs, worker } = await open({ isHeld: true, waitMs: 0 })
  const { scan, preview } = await scans.start(request('https://example.com/'), FREE as never)
  expect([scan.status, scan.stage, preview]).toEqual(['pending', 'queued', null])
  for (const job of jobs) await worker.run(job)
  expect((await scans.read(scan.id, FREE)).scan).toMatchObject({ status: 'succeeded', stage: 'done' })
})

test('a request for a host that is not one of the project is refused', async () => {
  const { scans } = await open()
  const project = { id: 'proj_1', allowed_origins: 'https://www.example.com,https://example.org' } as never
  const refused = scans.start({ ...request('https://example.net/'), project }, FREE as never)
  await expect(refused).rejects.toMatchObject({ code: 'MISSING_FIELDS' })
  expect(
    (await scans.start({ ...request('https://example.com/'), project }, FREE as never)).scan.project_id,
  ).toBe('proj_1')
})
