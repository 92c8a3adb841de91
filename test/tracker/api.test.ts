import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { inPage, NOON } from './in-page.ts'

const here = inPage()

async function openPage(attributes = '') {
  here.server.serve(`<!doctype html><title>Shoes</title>${here.server.snippet(attributes)}`)
  const page = await here.tab()
  await page.clock.install({ time: NOON })
  await page.goto(here.server.page())
  return page
}

test('events wait for 5 s and leave together, in their order, with the time at which they happened', async () => {
  const page = await openPage()
  await page.clock.pauseAt(new Date(NOON.getTime() + 1000))
  await page.evaluate(() => window.aa!.track('first', { n: 1 }))
  await page.clock.runFor(1500)
  await page.evaluate(() => window.aa!.track('second'))
  expect(here.server.received).toEqual([])
  await page.clock.runFor(5000)
  await eventually(() => expect(here.server.received).toHaveLength(1))
  expect(here.server.received[0]!.path).toBe('/track/batch')
  expect(here.server.items()).toMatchObject([
    { event: 'page_view' },
    { event: 'first', timestamp: NOON.getTime() + 1000, properties: { n: 1, path: '/' } },
    { event: 'second', timestamp: NOON.getTime() + 2500 },
  ])
})

test('a page that is hidden or left sends at once', async () => {
  const page = await openPage()
  await page.evaluate(() => window.aa!.track('last'))
  await here.leave(page)
  await eventually(() => expect(here.server.items().map(item => item.event)).toEqual(['page_view', 'last']))
})

test('a tab that is closed sends what waits', async () => {
  const page = await openPage()
  await page.evaluate(() => window.aa!.track('last'))
  await page.close({ runBeforeUnload: true })
  await eventually(() => expect(here.server.items().map(item => item.event)).toEqual(['page_view', 'last']))
})

test('the event’s own properties win over `set`, and `set` over the automatic ones; null takes one away', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    const aa = window.aa!
    aa.set({ plan: 'free', team: 'a', language: 'tlh', email: 'ada@example.org' })
    aa.set({ team: null })
    aa.track('one', { plan: 'pro', path: '/virtual', url: 'https://shop.test/virtual' })
    aa.track('two')
  })
  await here.leave(page)
  await eventually(() => expect(here.server.items()).toHaveLength(3))
  const [, one, two] = here.server.items()
  expect(one!.properties).toMatchObject({
    plan: 'pro',
    language: 'tlh',
    path: '/virtual',
    url: 'https://shop.test/virtual',
  })
  expect(two!.properties).toMatchObject({ plan: 'free', language: 'tlh', path: '/' })
  expect(two!.properties).not.toHaveProperty('team')
  expect(JSON.stringify(here.server.items())).not.toContain('ada@')
})

test('`page` sends a page view with a name, or with the title at that time', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.page('Checkout, step 2')
    document.title = 'Thanks, ada@example.org'
    window.aa!.page()
  })
  await here.leave(page)
  await eventually(() => expect(here.server.items()).toHaveLength(3))
  expect(
    here.server.items().map(({ event, properties }) => [event, properties.page, properties.title]),
  ).toEqual([
    ['page_view', 'Shoes', 'Shoes'],
    ['page_view', 'Checkout, step 2', 'Shoes'],
    ['page_view', 'Thanks, [redacted]', 'Thanks, [redacted]'],
  ])
})

test('`getIdentity` gives the id under which events are sent', async () => {
  const page = await openPage()
  const identity = await page.evaluate(() => window.aa!.getIdentity())
  await here.leave(page)
  await eventually(() => expect(here.server.items()).toHaveLength(1))
  expect(identity).toEqual({ anonymousId: here.server.items()[0]!.user_id, userId: null })
})

test('no call throws, whatever it is given, and the good ones arrive', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    const aa = window.aa! as unknown as Record<string, (...args: unknown[]) => unknown>
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap')
        },
      },
    )
    const odd = [
      undefined,
      null,
      5,
      'text',
      [1],
      () => 1,
      Symbol('s'),
      10n,
      loop,
      document.body,
      window,
      trap,
    ]
    for (const method of Object.keys(aa)) {
      if (typeof aa[method] !== 'function' || method === 'requireConsent') continue
      for (const value of odd) {
        aa[method]!(value)
        aa[method]!('odd', value)
      }
    }
    aa.track!('good')
    aa.track!('x'.repeat(257))
    aa.track!('')
  })
  await here.leave(page)
  await eventually(() => expect(here.server.items().map(item => item.event)).toContain('good'))
  expect(here.server.items().map(item => item.event)).not.toContain('')
  for (const item of here.server.items()) expect(item.event.length).toBeLessThanOrEqual(256)
  expect(page.thrown).toEqual([])
})

test('many large events are cut into requests of at most 64 KiB, and each event stays below 8192 bytes', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    for (let n = 0; n < 30; n++)
      window.aa!.track(`big${n}`, { text: 'ä'.repeat(9000), more: 'x'.repeat(3000) })
  })
  await page.clock.runFor(5000)
  await eventually(() => expect(here.server.received.length).toBeGreaterThan(0))
  for (const { body, items } of here.server.received) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536)
    for (const item of items) expect(Buffer.byteLength(JSON.stringify(item.properties))).toBeLessThan(8192)
  }
  await eventually(() =>
    expect(
      here.server
        .items()
        .map(item => item.event)
        .sort(),
    ).toEqual(['page_view', ...Array.from({ length: 30 }, (_, n) => `big${n}`)].sort()),
  )
})

test.each([
  ['is not there', () => Object.defineProperty(navigator, 'sendBeacon', { value: undefined })],
  ['refuses', () => Object.defineProperty(navigator, 'sendBeacon', { value: () => false })],
])('where the beacon %s, fetch sends without credentials', async (_, change) => {
  const { server } = here
  server.serve(`<!doctype html><title>Shoes</title>${server.snippet()}`)
  const visitor = await here.visitor()
  await visitor.addCookies([{ name: 'dashboard', value: 'secret', domain: 'stats.test', path: '/' }])
  const page = await here.tab(visitor)
  await page.addInitScript(change)
  await page.goto(server.page())
  await here.leave(page)
  await eventually(() => expect(server.received).toHaveLength(1))
  expect(server.received[0]!.headers['content-type']).toMatch(/^text\/plain/)
  expect(server.received[0]!.headers.cookie).toBeUndefined()
})
