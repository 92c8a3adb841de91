import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

/** The smaller script, `/tracker.core.js`. What it shares with the other one is tested there. */

const site = useTestSite()
const snippet = (attributes = '') => site.server.snippet(attributes, 'tracker.core.js')

async function openPage(attributes = '', path = '/', user = site.newUser(), body = '') {
  site.server.setPage(`<!doctype html><title>Shoes</title>${snippet(attributes)}${body}`)
  const page = await site.tab(await user)
  await page.goto(site.server.page(path))
  return page
}

const names = () => site.server.events().map(({ event }) => event)

test('a page view has the page, the session and the screen, and no query', async () => {
  const page = await openPage('', '/shoes?utm_source=news&secret=4242#x')
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view']))
  const [request] = site.server.requests
  expect(request!.path).toBe('/track')
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
      url: site.server.page('/shoes'),
      path: '/shoes',
      hostname: 'shop.test',
      referrer: '',
      language: 'en-GB',
      screen: expect.stringMatching(/^\d+x\d+$/),
      timezone: expect.any(String),
      session_count: 1,
      days_since_first_visit: 0,
    },
  })
  expect(request!.body).not.toContain('4242')
  expect(page.errors).toEqual([])
})

test('routes of a single-page application are page views with their titles', async () => {
  const page = await openPage('data-track-spa="true"')
  await page.evaluate(() => {
    history.pushState({}, '', '/a?q=1')
    document.title = 'A'
    history.replaceState({}, '', '/a?q=12')
  })
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view', 'page_view']))
  expect(site.server.propertiesOf('page_view').map(({ page, path }) => [page, path])).toEqual([
    ['Shoes', '/'],
    ['A', '/a'],
  ])
})

test('an event has texts, numbers, true and false; keys with `email` and nested values are left out', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.set({ plan: 'pro', team: 'blue' })
    window.aa!.set({ team: null })
    window.aa!.track('order', {
      value: 59.9,
      gift: true,
      note: 'x'.repeat(5000),
      email: 'a@b.test',
      sizes: [41],
    })
    window.aa!.track('')
    window.aa!.track('later', 'wrong' as never)
  })
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view', 'order', 'later']))
  const [order] = site.server.propertiesOf('order')
  expect(order).toMatchObject({ value: 59.9, gift: true, note: 'x'.repeat(4096), plan: 'pro' })
  for (const absent of ['email', 'sizes', 'team']) expect(order).not.toHaveProperty(absent)
  // Each event has a request of its own, so that one that is refused takes no other with it.
  expect(site.server.requests.map(({ path }) => path)).toEqual(['/track', '/track', '/track'])
  expect(page.errors).toEqual([])
})

test('identify sends the ids and the traits, and later events have the id', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.identify('u-17', { plan: 'pro', email: ' Ada@Example.org ' })
    window.aa!.track('order')
  })
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view', 'order']))
  const [view, order] = site.server.events()
  expect(order!.user_id).toBe('u-17')
  expect(site.server.identifies()).toEqual([
    {
      token: 'aat_1',
      previous_id: view!.user_id,
      user_id: 'u-17',
      traits: { plan: 'pro', email: 'ada@example.org' },
    },
  ])
})

test('before the consent nothing is sent or stored; the consent sends what waits; a refusal forgets the person', async () => {
  const user = await site.newUser()
  const page = await openPage('data-require-consent="true"', '/', Promise.resolve(user))
  const stored = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
  expect(await page.evaluate(() => window.aa!.consent())).toBe('unknown')
  await page.evaluate(() => window.aa!.track('early'))
  await page.evaluate(() => dispatchEvent(new Event('beforeunload')))
  expect([await stored(), site.server.requests]).toEqual([[], []])
  await page.evaluate(() => window.aa!.grantConsent())
  await eventually(() => expect(names()).toEqual(['page_view', 'early', '$consent']))
  expect(await page.evaluate(() => window.aa!.consent())).toBe('granted')
  await page.evaluate(() => {
    window.aa!.track('dropped')
    window.aa!.revokeConsent()
  })
  expect(await page.evaluate(() => window.aa!.consent())).toBe('refused')
  expect(await stored()).toEqual(['aa:aat_1:required'])
  await site.leave(page)
  const proof = await openPage('', '/proof')
  await site.leave(proof)
  await eventually(() => expect(names()).toEqual(['page_view', 'early', '$consent', 'page_view']))
})

test('a session ends after 30 minutes without an event, and reset begins that of another person', async () => {
  const user = await site.newUser()
  const page = await site.tab(user)
  await page.clock.install({ time: new Date('2026-11-21T12:00:00Z') })
  site.server.setPage(`<!doctype html><title>Shoes</title>${snippet()}`)
  await page.goto(site.server.page())
  await page.clock.runFor('29:00')
  await page.evaluate(() => window.aa!.track('same'))
  await page.clock.runFor('30:01')
  await page.evaluate(() => window.aa!.track('second'))
  await page.evaluate(() => window.aa!.reset())
  await page.evaluate(() => window.aa!.track('other'))
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view', 'same', 'second', 'other']))
  const [view, same, second, other] = site.server.events()
  expect(same!.session_id).toBe(view!.session_id)
  expect(second!.session_id).not.toBe(view!.session_id)
  expect(second!.properties.session_count).toBe(2)
  expect(second!.user_id).toBe(view!.user_id)
  expect(other!.user_id).not.toBe(view!.user_id)
  expect(other!.properties.session_count).toBe(1)
})

test('attributes and calls of the other script do nothing and break nothing', async () => {
  const page = await openPage(
    'data-track-clicks="true" data-track-errors="true" data-heartbeat="15"',
    '/',
    site.newUser(),
    '<a href="#x">Link</a><button data-aa-event="signup">Sign up</button>',
  )
  await page.click('a')
  await page.click('button')
  expect(await page.evaluate(() => window.aa!.experiment('headline', ['long', 'short']))).toBe(null)
  await site.leave(page)
  await eventually(() => expect(names()).toEqual(['page_view']))
  expect(site.server.experimentRequests).toBe(0)
})
