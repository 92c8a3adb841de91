import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const html = (attributes = '') => `<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}`
const REQUIRED = 'data-require-consent="true"'

async function openPage(attributes = REQUIRED, path = '/', context = site.newUser()) {
  site.server.setPage(html(attributes))
  const page = await site.tab(await context)
  await page.goto(site.server.page(path))
  return page
}

const names = () => site.server.events().map(({ event }) => event)

/** Waits for an event of a second user. An event of the first user would have arrived before. */
async function expectNothingElseSent(expected: string[] = []) {
  const requestsBefore = site.server.experimentRequests
  const page = await openPage('', '/proof')
  // A page that is left before its first route has begun asks for no experiments.
  await eventually(() => expect(site.server.experimentRequests).toBeGreaterThan(requestsBefore))
  await site.leave(page)
  await eventually(() => expect(site.server.events().at(-1)?.properties.path).toBe('/proof'))
  expect(names()).toEqual([...expected, 'page_view'])
}

test('before the consent nothing leaves the page and nothing is stored', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.identify('ada')
    window.aa!.track('x')
  })
  expect(await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])).toEqual(
    [],
  )
  await site.leave(page)
  await expectNothingElseSent()
  // The second page has no consent to wait for, so it alone asks for experiments.
  await eventually(() => expect([site.server.identifies(), site.server.experimentRequests]).toEqual([[], 1]))
})

test('the consent sends everything that waits, `$consent` last, and stays for later pages', async () => {
  const user = await site.newUser()
  const page = await openPage(REQUIRED, '/a', Promise.resolve(user))
  await page.evaluate(() => {
    window.aa!.track('early')
    window.aa!.identify('ada', { plan: 'pro' })
    window.aa!.identify('ada', { plan: 'pro' })
    window.aa!.track('late')
    window.aa!.grantConsent()
    window.aa!.grantConsent()
  })
  await eventually(() => expect(names()).toEqual(['page_view', 'early', 'late', '$consent']))
  const [view, early, late, consent] = site.server.events()
  expect(early!.user_id).toBe(view!.user_id)
  expect([late!.user_id, consent!.user_id]).toEqual(['ada', 'ada'])
  expect(consent!.properties).toMatchObject({ action: 'granted' })
  await eventually(() => expect(site.server.identifies()).toHaveLength(2))
  expect(site.server.identifies()).toEqual([
    { token: 'aat_1', previous_id: view!.user_id, user_id: 'ada', traits: { plan: 'pro' } },
    // The second call has equal ids and traits.
    { token: 'aat_1', previous_id: 'ada', user_id: 'ada', traits: { plan: 'pro' } },
  ])
  expect(await page.evaluate(() => localStorage.getItem('aa:aat_1:consent'))).toBe('granted')

  await page.goto(site.server.page('/b'))
  await site.leave(page)
  await eventually(() => expect(site.server.events().at(-1)?.properties.path).toBe('/b'))
  expect(site.server.events().at(-1)).toMatchObject({
    event: 'page_view',
    user_id: 'ada',
    session_id: view!.session_id,
  })
})

test('240 events that wait arrive whole, in requests of at most 100 events and 64 KiB', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    for (let at = 0; at < 238; at++) window.aa!.track(`e${at}`, { text: 'x'.repeat(400) })
    window.aa!.grantConsent()
  })
  await eventually(() => expect(site.server.events()).toHaveLength(240))
  expect(names().toSorted()).toEqual(
    ['page_view', '$consent', ...Array.from({ length: 238 }, (_, at) => `e${at}`)].toSorted(),
  )
  for (const { body, events } of site.server.requests) {
    expect(events.length).toBeLessThanOrEqual(100)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536)
  }
})

test('`requireConsent` holds events, also those in the queue, until the consent', async () => {
  const page = await openPage('')
  await page.evaluate(() => window.aa!.requireConsent())
  await site.leave(page)
  await expectNothingElseSent()
})

test('`revokeConsent` drops what waits, and from then on nothing is sent, also where no consent was required, and from later pages', async () => {
  const page = await openPage('')
  await page.evaluate(() => {
    window.aa!.grantConsent()
    window.aa!.track('dropped')
    window.aa!.revokeConsent()
    window.aa!.track('held')
    window.aa!.identify('ada')
  })
  await eventually(() => expect(names()).toEqual(['page_view', '$consent']))
  expect(await page.evaluate(() => localStorage.getItem('aa:aat_1:consent'))).toBeNull()
  await page.goto(site.server.page('/later'))
  await site.leave(page)
  await expectNothingElseSent(['page_view', '$consent'])
  expect(site.server.identifies()).toEqual([])
})

test('a consent that the browser does not remove counts as removed', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.grantConsent()
    const store = new Proxy(localStorage, {
      deleteProperty() {
        throw new Error('blocked')
      },
      get: (target, name) => target[String(name)],
    })
    Object.defineProperty(window, 'localStorage', { value: store })
    window.aa!.revokeConsent()
    window.aa!.track('held')
  })
  await site.leave(page)
  await expectNothingElseSent(['page_view', '$consent'])
})

const LINK = (action: string) => `${html()}<a href="/next" onclick="window.aa.${action}()">Answer</a>`

test.each([
  ['without attribute', ''],
  ['with data-require-consent', REQUIRED],
])(
  '`revokeConsent` of a user who never consented holds on later pages, %s on the first',
  async (_, attributes) => {
    const page = await openPage(attributes)
    await page.evaluate(() => window.aa!.revokeConsent())
    expect(await page.evaluate(() => localStorage.getItem('aa:aat_1:required'))).toBe('true')
    site.server.setPage(html())
    await page.goto(site.server.page('/later'))
    await page.evaluate(() => window.aa!.track('held'))
    await site.leave(page)
    await expectNothingElseSent()
  },
)

test('`revokeConsent` in a link that leaves the page at once drops what waits, and holds on the next page', async () => {
  site.server.setPage(LINK('revokeConsent'))
  const page = await site.tab()
  await page.goto(site.server.page())
  await page.click('a')
  await page.waitForURL('**/next')
  await site.leave(page)
  await expectNothingElseSent()
})

test('`grantConsent` in a link that leaves the page at once sends everything that waits, and holds on the next page', async () => {
  site.server.setPage(LINK('grantConsent').replace('data-token', `${REQUIRED} data-token`))
  const page = await site.tab()
  await page.goto(site.server.page())
  await page.evaluate(() => {
    for (let at = 0; at < 120; at++) window.aa!.track(`e${at}`, { text: 'x'.repeat(20) })
    window.aa!.identify('ada')
  })
  await page.click('a')
  await page.waitForURL('**/next')
  await site.leave(page)
  // Requests may come in any order.
  await eventually(() => expect(site.server.events()).toHaveLength(123))
  await eventually(() => expect(site.server.identifies()).toHaveLength(1))
  expect(names()).toEqual(expect.arrayContaining(['page_view', 'e0', 'e119', '$consent']))
  // No more than a browser sends for a page that has gone.
  const sent = site.server.requests.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  expect(sent).toBeLessThan(65_536)
})
