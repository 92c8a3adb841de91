import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()

async function openPage(attributes = '', path = '/') {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}`)
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.goto(site.server.page(path))
  return page
}

/** Opens a page whose clock stands still, so that a slow machine does not use up the time. */
async function openPausedPage() {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet()}`)
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.clock.pauseAt(NOON.getTime() + 60_000)
  await page.goto(site.server.page())
  return page
}

test('events of 5 s are sent together, in their order, each with its own age', async () => {
  const page = await openPausedPage()
  await page.evaluate(() => window.aa!.track('first', { n: 1 }))
  await page.clock.runFor(1500)
  await page.evaluate(() => window.aa!.track('second'))
  expect(site.server.requests).toEqual([])
  await page.clock.runFor(5000)
  await eventually(() => expect(site.server.requests).toHaveLength(1))
  expect(site.server.requests[0]!.path).toBe('/track/batch')
  expect(site.server.events()).toMatchObject([
    { event: 'page_view' },
    { event: 'first', age: 5000, properties: { n: 1, path: '/' } },
    { event: 'second', age: 3500 },
  ])
})

test('a page that may be about to close sends its events at once', async () => {
  const page = await openPausedPage()
  await page.evaluate(() => dispatchEvent(new Event('beforeunload')))
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(1))
})

test('a page that is hidden or left sends its events at once', async () => {
  const page = await openPage()
  await page.evaluate(() => window.aa!.track('last'))
  await site.leave(page)
  await eventually(() =>
    expect(site.server.events().map(({ event }) => event)).toEqual(['page_view', 'last']),
  )
})

test('a closed tab sends its waiting events', async () => {
  const page = await openPage()
  await page.evaluate(() => window.aa!.track('last'))
  await page.close({ runBeforeUnload: true })
  await eventually(() =>
    expect(site.server.events().map(({ event }) => event)).toEqual(['page_view', 'last']),
  )
})

test('event properties win over `set`, `set` wins over automatic properties, and null removes a property', async () => {
  const page = await openPage('', '/?utm_source=news')
  await page.evaluate(() => {
    const aa = window.aa!
    aa.set({ plan: 'free', team: 'a', language: 'tlh', utm_source: 'set', email: 'ada@example.org' })
    aa.set({ team: null })
    aa.track('one', {
      plan: 'pro',
      first_utm_source: 'event',
      path: '/virtual',
      url: 'https://shop.test/virtual',
    })
    aa.track('two')
  })
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(3))
  const [, one, two] = site.server.events()
  expect(one!.properties).toMatchObject({
    plan: 'pro',
    language: 'tlh',
    utm_source: 'set',
    first_utm_source: 'event',
    path: '/virtual',
    url: 'https://shop.test/virtual',
  })
  expect(two!.properties).toMatchObject({ plan: 'free', language: 'tlh', utm_source: 'set', path: '/' })
  expect(two!.properties).not.toHaveProperty('team')
  expect(JSON.stringify(site.server.events())).not.toContain('ada@')
})

test('`page` sends a page view with its name, or with the current title', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.page('Checkout, step 2')
    document.title = 'Thanks, ada@example.org'
    window.aa!.page()
  })
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(3))
  expect(
    site.server.events().map(({ event, properties }) => [event, properties.page, properties.title]),
  ).toEqual([
    ['page_view', 'Shoes', 'Shoes'],
    ['page_view', 'Checkout, step 2', 'Shoes'],
    ['page_view', 'Thanks, [redacted]', 'Thanks, [redacted]'],
  ])
})

test('`getIdentity` returns the id that events have', async () => {
  const page = await openPage()
  const identity = await page.evaluate(() => window.aa!.getIdentity())
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(1))
  expect(identity).toEqual({ anonymousId: site.server.events()[0]!.user_id, userId: null })
})

test('no call throws for any argument, and events with valid arguments arrive', async () => {
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
      if (typeof aa[method] !== 'function' || /Consent$/.test(method)) continue
      for (const value of odd) {
        aa[method]!(value)
        aa[method]!('odd', value)
      }
    }
    aa.track!('good')
    aa.track!('x'.repeat(257))
    aa.track!('')
  })
  await site.leave(page)
  await eventually(() => expect(site.server.events().map(({ event }) => event)).toContain('good'))
  expect(site.server.events().map(({ event }) => event)).not.toContain('')
  for (const { event } of site.server.events()) expect(event.length).toBeLessThanOrEqual(256)
  expect(page.errors).toEqual([])
})

test('many large events are split into requests of at most 64 KiB, and each event stays below 8192 bytes', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    for (let n = 0; n < 30; n++)
      window.aa!.track(`big${n}`, { text: 'ä'.repeat(9000), more: 'x'.repeat(3000) })
  })
  await page.clock.runFor(5000)
  await eventually(() => expect(site.server.requests.length).toBeGreaterThan(0))
  for (const { body, events } of site.server.requests) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536)
    for (const { properties } of events)
      expect(Buffer.byteLength(JSON.stringify(properties))).toBeLessThan(8192)
  }
  await eventually(() =>
    expect(
      site.server
        .events()
        .map(({ event }) => event)
        .sort(),
    ).toEqual(['page_view', ...Array.from({ length: 30 }, (_, n) => `big${n}`)].sort()),
  )
})

test.each([
  ['is not there', () => Object.defineProperty(navigator, 'sendBeacon', { value: undefined })],
  ['refuses', () => Object.defineProperty(navigator, 'sendBeacon', { value: () => false })],
])('when the beacon %s, fetch sends the events without credentials', async (_, change) => {
  const { server } = site
  server.setPage(`<!doctype html><title>Shoes</title>${server.snippet()}`)
  const user = await site.newUser()
  await user.addCookies([{ name: 'dashboard', value: 'secret', domain: 'stats.test', path: '/' }])
  const page = await site.tab(user)
  await page.addInitScript(change)
  // The page has the origin of the service, as behind a proxy of the site, so a request could carry the
  // cookie.
  await page.goto(server.page('/', 'stats.test'))
  await site.leave(page)
  await eventually(() => expect(server.requests).toHaveLength(1))
  expect(server.requests[0]!.headers['content-type']).toMatch(/^text\/plain/)
  expect(server.requests[0]!.headers.cookie).toBeUndefined()
})

test('events that follow a large flush at once arrive whole, although the browser refuses more beacons', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    for (const user of ['ada', 'bob']) {
      for (let at = 0; at < 60; at++) window.aa!.track(`e${at}`, { text: 'x'.repeat(400) })
      window.aa!.identify(user)
    }
  })
  await eventually(() => expect(site.server.events()).toHaveLength(121))
  await eventually(() => expect(site.server.identifies()).toHaveLength(2))
})

test('a request that fails is not sent again, and nobody sees its error', async () => {
  const page = await openPage('data-track-errors="true"')
  await page.evaluate(() => {
    const posts: string[] = []
    Object.assign(window, { posts })
    Object.defineProperty(navigator, 'sendBeacon', { value: undefined })
    window.fetch = async address => {
      posts.push(String(address))
      throw new TypeError('Failed to fetch')
    }
  })
  await page.clock.runFor(30_000)
  expect(await page.evaluate(() => (window as unknown as { posts: string[] }).posts)).toEqual([
    site.server.page('/track', 'stats.test'),
  ])
  await site.leave(page)
  expect([page.errors, site.server.requests]).toEqual([[], []])
})

test('a page that breaks what the tracker needs gets no exception from it', async () => {
  site.server.setPage(
    `<!doctype html><title>Shoes</title>${site.server.snippet(
      'data-track-spa="true" data-track-vitals="true" data-track-errors="true" data-heartbeat="15"',
    )}<a id="go" href="#x">Go</a>`,
  )
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.addInitScript(() => {
    const broken = () => {
      throw new Error('broken')
    }
    for (const name of [
      'fetch',
      'localStorage',
      'sessionStorage',
      'PerformanceObserver',
      'IntersectionObserver',
      'Intl',
    ])
      Object.defineProperty(window, name, { get: broken })
    Object.defineProperty(navigator, 'sendBeacon', { get: broken })
    Object.defineProperty(performance, 'getEntriesByType', { value: broken })
  })
  await page.goto(site.server.page())
  await page.click('#go')
  await page.evaluate(() => {
    history.pushState({}, '', '/a')
    window.aa!.track('x')
    window.aa!.identify('ada')
    window.aa!.experiment('x', ['a'])
    window.aa!.grantConsent()
    window.aa!.revokeConsent()
  })
  await page.clock.runFor(60_000)
  await site.leave(page)
  expect(page.errors).toEqual([])
})
