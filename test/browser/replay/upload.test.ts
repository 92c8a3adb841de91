import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { openShop, setVisibility } from './recorded-shop.ts'
import { openConfigured, openReplaySite, type ReplaySite } from './replay-site.ts'

/** From a page in a real browser to what the service has stored. */

let site: ReplaySite
beforeAll(async () => {
  site = await openReplaySite()
})
afterAll(() => site?.close())

const SHOP = {
  '/': '<!doctype html><html><head><title>Shop</title></head><h1>Blue shoes</h1><input id="name"><a href="/cart">Cart</a></html>',
  '/cart': '<!doctype html><html><head><title>Cart</title></head><h1>Your cart</h1></html>',
}
const LEFT = 'about:blank'

test('a replay has the session of the tracker, and goes on over the pages of the session', async () => {
  const shop = await site.newSite(SHOP)
  const user = await site.newUser()
  const page = await user.newPage()
  await page.goto(shop.url('/?q=ada'))
  await page.fill('#name', 'Ada Lovelace')
  await eventually(async () => expect(await shop.replays()).toHaveLength(1))
  await page.click('a')
  await eventually(async () => {
    const [replay] = await shop.replays()
    expect(JSON.stringify(await shop.events(replay!.id))).toContain('Your cart')
  })
  await page.evaluate(() => document.body.append('A last change'))
  await page.goto(LEFT)
  const session = await eventually(async () => {
    const [replay, ...others] = await shop.replays()
    expect(others).toEqual([])
    const events = await shop.events(replay!.id)
    expect(JSON.stringify(events)).toContain('A last change')
    expect(events.flatMap(({ type, data }) => (type === 4 ? [data.href] : []))).toEqual([
      shop.url('/?q='),
      shop.url('/cart'),
    ])
    expect(replay!.chunks.map(({ index }) => index)).toEqual(replay!.chunks.map((_, at) => at))
    expect(JSON.stringify(events)).not.toMatch(/Ada|Lovelace/)
    return replay!
  })
  expect(session).toMatchObject({ entry_page: '/', analytics_session_id: expect.stringMatching(/^sess_/) })
  await eventually(async () => {
    const { body } = await site.call('GET', `/sessions?project=${shop.name}`)
    expect(body.sessions).toMatchObject([
      { session_id: session.analytics_session_id, has_replay: true, replay_count: 1 },
    ])
  })
  await user.close()
})

test.each([
  ['leaves it', 'visible'],
  ['hides its tab, and closes it later', 'hidden'],
] as const)(
  'the length of a replay is that of the visit of a user who only looks at the page, and %s',
  async (_, visibility) => {
    const { shop, user, page } = await openShop(site, { hasClock: true })
    const ms = 60_000
    await page.clock.runFor(ms)
    if (visibility === 'hidden') {
      await setVisibility(page, 'hidden')
      await page.clock.runFor(3 * ms)
    }
    await page.goto(LEFT)
    await eventually(async () => {
      const [replay] = await shop.replays()
      expect(replay).toMatchObject({ status: 'complete', has_full_snapshot: true })
      expect(replay!.duration_ms).toBeGreaterThanOrEqual(ms)
      expect(replay!.duration_ms).toBeLessThan(3 * ms)
    })
    await user.close()
  },
)

test('nothing is recorded or asked for further when replay is off', async () => {
  const shop = await site.newSite(SHOP, { settings: { enabled: false } })
  const user = await site.newUser()
  const page = await user.newPage()
  await page.clock.install()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await openConfigured(page, shop.url())
  // Time for a recorder that looks each second, and for the queue of the tracker, which goes on.
  await page.clock.runFor(10_000)
  await eventually(() => expect(asked).toContain('/track'))
  expect(asked.filter(path => path.startsWith('/replay/') && path !== '/replay/config')).toEqual([])
  await user.close()
})

test.each([
  [
    'throws',
    () => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('The operation is insecure.', 'SecurityError')
          },
        })
    },
  ],
  [
    'is not there',
    () => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { value: null })
    },
  ],
])('a page whose storage %s gets no error, and is not recorded', async (_, change) => {
  const shop = await site.newSite({ '/': '<p>Shoes</p>' })
  const user = await site.newUser()
  const page = await user.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  await page.addInitScript(change)
  await page.clock.install()
  await openConfigured(page, shop.url())
  // The recorder looks again each second.
  await page.clock.runFor(3_000)
  await page.evaluate(() => (window as unknown as { aaReplay: { consent(): void } }).aaReplay.consent())
  await user.close()
  expect(errors).toEqual([])
  expect(await shop.replays()).toEqual([])
})

test('a document that is not http(s) is not recorded, unless the tag says that it is an app', async () => {
  const shop = await site.newSite({ '/': '<p>Outer</p>' }, { withoutRecorder: true })
  const frame = (attributes: string) => {
    const src = `${site.service.baseUrl}/replay.js`
    const inner = `<!doctype html><script src="${src}" data-token="${shop.token}" ${attributes}></script><p>Inner</p>`
    return `<!doctype html><iframe srcdoc="${inner.replaceAll('"', '&quot;')}"></iframe>`
  }
  const user = await site.newUser()
  const page = await user.newPage()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const host = new URL(shop.url()).hostname
  site.pages.set(`${host}/saved`, frame(''))
  site.pages.set(`${host}/app`, frame('data-app="true"'))
  await page.goto(shop.url('/saved'))
  expect(await page.frames()[1]!.evaluate(() => 'aaReplay' in window)).toBe(true)
  await page.goto(shop.url('/app'))
  await eventually(() => expect(asked).toContain('/replay/config'))
  expect(asked.filter(path => path === '/replay/config')).toHaveLength(1)
  await user.close()
})
