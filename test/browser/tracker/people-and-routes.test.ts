import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

/** Routes of single-page applications as they are written, and what is known of a person. */

const site = useTestSite()

async function openPage(attributes: string, path = '/') {
  site.server.setPage(`<!doctype html><title>Home</title>${site.server.snippet(attributes)}`)
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.clock.pauseAt(NOON.getTime() + 60_000)
  await page.goto(site.server.page(path))
  // The first view waits until the document is parsed and the script is evaluated.
  await page.clock.runFor(1)
  return page
}

/** Title and path of each page view, after the page was left. */
async function views(page: Page, count: number) {
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('page_view').length).toBeGreaterThanOrEqual(count))
  return site.server.propertiesOf('page_view').map(({ page, path }) => [page, path])
}

test('a title that comes with the data of a route is that of its view, whatever is tracked before', async () => {
  const page = await openPage('data-track-spa="true"')
  await page.evaluate(() => history.pushState({}, '', '/shoes/1'))
  await page.clock.runFor(700)
  await page.evaluate(() => {
    window.aa!.track('drawn')
    document.title = 'Red shoes'
  })
  await page.clock.runFor(10_000)
  await page.evaluate(() => {
    document.title = '(1) Red shoes'
    history.pushState({}, '', '/shoes/2')
  })
  await page.clock.runFor(1_500)
  await page.evaluate(() => {
    document.title = 'Blue shoes'
  })
  expect(await views(page, 3)).toEqual([
    ['Home', '/'],
    ['Red shoes', '/shoes/1'],
    ['Blue shoes', '/shoes/2'],
  ])
  const [, view, drawn] = site.server.events()
  // The view is first, and has the time of the change.
  expect([view!.event, drawn!.event]).toEqual(['page_view', 'drawn'])
  expect(view!.age! - drawn!.age!).toBe(700)
})

test('a title that never changes keeps no view back for longer than 2 s', async () => {
  const page = await openPage('data-track-spa="true"')
  await page.evaluate(() => history.pushState({}, '', '/a'))
  await page.clock.runFor(7_000)
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(2))
})

test.each([
  ['is one view', '', 1],
  ['is a view for each letter with data-track-query', 'data-track-query="true"', 6],
])('a search that writes each letter into the address %s', async (_, attributes, count) => {
  const page = await openPage(`data-track-spa="true" ${attributes}`, '/search')
  for (const query of ['?q=s', '?q=sh', '?q=sho', '?q=shoe', '?q=shoes'])
    await page.evaluate(query => history.replaceState({}, '', query), query)
  await page.evaluate(() => window.aa!.track('end'))
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('end')).toHaveLength(1))
  expect(site.server.propertiesOf('page_view')).toHaveLength(count)
})

test('with data-track-hash the routes of a fragment have their path, without what follows `?`', async () => {
  const page = await openPage('data-track-hash="true" data-heartbeat="15"', '/app')
  for (const hash of [
    '#/cart',
    '#/cart?coupon=zorvath',
    '#!/shoes/1?size=41',
    '#reviews',
    '#/mail/ada@example.org',
  ]) {
    await page.evaluate(hash => location.assign(hash), hash)
    await page.clock.runFor(2_500)
  }
  expect((await views(page, 5)).map(([, path]) => path)).toEqual([
    '/app',
    '/cart',
    '/shoes/1',
    '/app',
    '/mail/[redacted]',
  ])
  await eventually(() => expect(site.server.propertiesOf('$time_on_page')).toHaveLength(4))
  expect(site.server.propertiesOf('$time_on_page').map(({ path }) => path)).toContain('/shoes/1')
  expect(site.server.requests.map(({ body }) => body).join()).not.toMatch(/zorvath|size/)
})

test('without data-track-hash no part of a fragment is sent', async () => {
  const page = await openPage('data-track-spa="true"', '/app#/secret')
  await page.evaluate(() => location.assign('#/secret/2'))
  expect((await views(page, 2)).map(([, path]) => path)).toEqual(['/app', '/app'])
  expect(site.server.requests.map(({ body }) => body).join()).not.toContain('secret')
})

const keysOf = (page: Page) =>
  page.evaluate(() =>
    [...Object.keys(localStorage), ...Object.keys(sessionStorage)].map(key => key.split(':')[2]).sort(),
  )

test('after `reset` nothing is of the person before: ids, session, properties, campaign', async () => {
  const page = await openPage('', '/?utm_source=news')
  await page.evaluate(() => {
    const aa = window.aa!
    aa.identify('ada', { plan: 'pro' })
    aa.set({ plan: 'pro' })
    aa.track('before')
  })
  const before = await page.evaluate(() => window.aa!.getIdentity()!)
  await page.evaluate(() => {
    history.replaceState({}, '', '/')
    window.aa!.reset()
    window.aa!.track('after')
  })
  const after = await page.evaluate(() => window.aa!.getIdentity()!)
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('after')).toHaveLength(1))
  const [one] = site.server.events().filter(({ event }) => event === 'before')
  const [two] = site.server.events().filter(({ event }) => event === 'after')
  expect(one).toMatchObject({ user_id: 'ada', properties: { plan: 'pro' } })
  expect(two!.user_id).toMatch(/^anon_/)
  expect(two!.user_id).not.toBe(before.anonymousId)
  expect(after).toEqual({ anonymousId: two!.user_id, userId: null })
  expect(two!.session_id).not.toBe(one!.session_id)
  expect(two!.properties).toMatchObject({ session_count: 1, days_since_first_visit: 0 })
  expect(two!.properties).not.toHaveProperty('plan')
  expect(two!.properties).not.toHaveProperty('utm_source')
  expect(two!.properties).not.toHaveProperty('first_utm_source')
})

test('`consent` returns what the user has said, also on later pages and beside `requireConsent`', async () => {
  const page = await openPage('data-require-consent="true"')
  const consent = () => page.evaluate(() => window.aa!.consent())
  expect(await consent()).toBe('unknown')
  await page.evaluate(() => window.aa!.requireConsent())
  expect(await consent()).toBe('unknown')
  await page.evaluate(() => window.aa!.grantConsent())
  expect(await consent()).toBe('granted')
  await page.reload()
  expect(await consent()).toBe('granted')
  await page.evaluate(() => window.aa!.revokeConsent())
  expect(await consent()).toBe('refused')
  await page.reload()
  expect(await consent()).toBe('refused')
  await page.evaluate(() => window.aa!.requireConsent())
  expect(await consent()).toBe('refused')
  await page.evaluate(() => window.aa!.grantConsent())
  expect(await consent()).toBe('granted')
})

test('`revokeConsent` removes the ids and what depends on them; only the refusal and the opt-out stay', async () => {
  const page = await openPage('data-heartbeat="15"', '/?utm_source=news')
  await page.evaluate(() => {
    localStorage.setItem('aa:aat_1:disabled', 'false')
    localStorage.setItem('theirs', '1')
    window.aa!.set({ plan: 'pro' })
    window.aa!.identify('ada')
  })
  await page.clock.runFor(20_000)
  expect(await keysOf(page)).toEqual(
    expect.arrayContaining(['uid', 'identified_uid', 'ft', 'sid', 'time', 'utm']),
  )
  const before = await page.evaluate(() => window.aa!.getIdentity()!)
  await page.evaluate(() => window.aa!.revokeConsent())
  expect(await keysOf(page)).toEqual(['disabled', 'required', undefined])
  await page.evaluate(() => {
    window.aa!.track('held')
    window.aa!.grantConsent()
  })
  await eventually(() => expect(site.server.propertiesOf('held')).toHaveLength(1))
  const [held] = site.server.events().filter(({ event }) => event === 'held')
  expect(held!.user_id).toMatch(/^anon_/)
  expect(held!.user_id).not.toBe(before.anonymousId)
  expect(held!.properties).not.toHaveProperty('plan')
})
