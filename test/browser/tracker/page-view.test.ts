import { expect, test } from 'vitest'
import { builtTracker } from '#test/setup/built-tracker'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()
const PAGE = (snippet: string) =>
  `<!doctype html><html><head>${snippet}<title>Shoes</title></head><body></body></html>`

test('a page view has the automatic properties, and goes to the origin of the script as text/plain', async () => {
  const { server } = site
  server.setPage(PAGE(server.snippet()))
  const page = await site.tab()
  await page.goto(server.page('/shoes/red?size=42&utm_source=news&card=4242#reviews'))
  await site.leave(page)
  await eventually(() => expect(server.requests).toHaveLength(1))

  const [request] = server.requests
  expect(request).toMatchObject({ path: '/track', headers: { 'content-type': 'text/plain;charset=UTF-8' } })
  expect(request!.headers.host).toMatch(/^stats\.test/)
  expect(request!.events[0]).toEqual({
    project: 'shop',
    token: 'aat_1',
    event: 'page_view',
    user_id: expect.stringMatching(/^anon_\d{8,20}$/),
    session_id: expect.stringMatching(/^sess_\d{8,20}$/),
    age: expect.any(Number),
    properties: {
      page: 'Shoes',
      title: 'Shoes',
      url: server.page('/shoes/red'),
      path: '/shoes/red',
      hostname: 'shop.test',
      referrer: '',
      language: 'en-GB',
      screen: '1280x800',
      timezone: 'Europe/Berlin',
      session_count: 1,
      days_since_first_visit: 0,
      utm_source: 'news',
      first_utm_source: 'news',
    },
  })
  for (const secret of ['4242', 'size', 'reviews']) expect(request!.body).not.toContain(secret)
})

test('an inline script does not know the address of the service, so its calls do nothing', async () => {
  const { server } = site
  const { code } = await builtTracker()
  server.setPage(PAGE(`<script data-token="aat_1">${code}</script>`))
  const page = await site.tab()
  await page.goto(server.page())
  expect(
    await page.evaluate(() => {
      window.aa!.track('x')
      return [window.aa!.getIdentity(), Object.keys(localStorage)]
    }),
  ).toEqual([null, []])
  await site.leave(page)
  expect([page.errors, server.requests]).toEqual([[], []])
})

test('a page view has its referrer without the query', async () => {
  const { server } = site
  server.setPage(PAGE(`${server.snippet()}<meta name="referrer" content="unsafe-url">`))
  const page = await site.tab()
  await page.goto(server.page('/from?q=secret'))
  await page.evaluate(to => location.assign(to), server.page('/to'))
  await page.waitForURL('**/to')
  await site.leave(page)
  await eventually(() => expect(server.events()).toHaveLength(2))
  expect(server.events()[1]!.properties.referrer).toBe(server.page('/from'))
})

test.each(['async', 'defer', ''])(
  'a script in the head with attribute %j sends the title that comes after it',
  async attribute => {
    const { server } = site
    server.setPage(PAGE(server.snippet(attribute)))
    const page = await site.tab()
    await page.goto(server.page())
    await site.leave(page)
    await eventually(() =>
      expect(server.events()).toMatchObject([{ properties: { title: 'Shoes', page: 'Shoes' } }]),
    )
  },
)

test('a page that is left before it is parsed sends its page view', async () => {
  const { server } = site
  server.setPage(`<!doctype html><title>Shoes</title><script>
    Object.defineProperty(document, 'readyState', { value: 'loading' })
    document.addEventListener('DOMContentLoaded', event => event.stopImmediatePropagation(), true)</script>${server.snippet()}`)
  const page = await site.tab()
  await page.goto(server.page('/slow'))
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')))
  await eventually(() =>
    expect(server.propertiesOf('page_view')).toMatchObject([{ path: '/slow', page: 'Shoes' }]),
  )
})

test('a script that another script inserts works too', async () => {
  const { server } = site
  const source = /src="([^"]*)"/.exec(server.snippet())![1]
  server.setPage(
    PAGE(`<script>
      const s = document.createElement('script')
      s.src = '${source}'; s.dataset.token = 'aat_1'
      document.head.append(s)
    </script>`),
  )
  const page = await site.tab()
  await page.goto(server.page())
  await page.waitForFunction(() => window.aa?.getIdentity())
  await site.leave(page)
  await eventually(() => expect(server.events()).toMatchObject([{ event: 'page_view', project: 'default' }]))
})

test('a script that is loaded twice sends each event once', async () => {
  const { server } = site
  server.setPage(PAGE(server.snippet() + server.snippet()))
  const page = await site.tab()
  await page.goto(server.page())
  await site.leave(page)
  await eventually(() => expect(server.events()).toHaveLength(1))
  await page.goto(server.page('/next'))
  await site.leave(page)
  await eventually(() =>
    expect(server.events().map(({ properties }) => properties.path)).toEqual(['/', '/next']),
  )
})

test('a prerendered page sends its events only when it is shown', async () => {
  const { server } = site
  server.setPage(PAGE(server.snippet()))
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.addInitScript(() => {
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
  })
  await page.goto(server.page('/ahead?utm_source=news'))
  await page.evaluate(() => window.aa!.track('early'))
  await page.clock.runFor(60_000)
  expect(server.requests).toEqual([])
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([])

  await page.evaluate(() => {
    Object.defineProperty(document, 'prerendering', { value: false })
    document.dispatchEvent(new Event('prerenderingchange'))
  })
  await page.clock.runFor(5000)
  await eventually(() =>
    expect(server.events()).toMatchObject([
      { event: 'page_view', properties: { utm_source: 'news' } },
      { event: 'early' },
    ]),
  )
  // It happened when it was shown.
  expect(server.events()[0]!.age).toBeLessThan(60_000)
})

test('the script adds nothing to the page but its two names', async () => {
  const { server } = site
  const names = async (html: string) => {
    server.setPage(html)
    const page = await site.tab()
    await page.goto(server.page())
    return page.evaluate(() => Object.getOwnPropertyNames(window))
  }
  const before = await names(PAGE(''))
  const after = await names(PAGE(server.snippet()))
  expect(after.filter(name => !before.includes(name))).toEqual(['footfall', 'aa'])
})
