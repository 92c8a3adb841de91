import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()

async function openPage() {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet()}`)
  const page = await site.tab()
  await page.goto(site.server.page())
  return page
}

test('`identify` sends waiting events first, then both ids and the traits, with no key of e-mail but `email`', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.track('before')
    window.aa!.identify('ada', {
      email: ' Ada@Example.ORG ',
      work_email: 'ada@work.test',
      plan: 'pro',
      address: { Email: 'x@y.test', city: 'Ghent' },
    })
    window.aa!.track('after')
  })
  await eventually(() => expect(site.server.identifies()).toHaveLength(1))
  // They have a request of their own.
  await eventually(() => expect(site.server.events()).toHaveLength(2))
  const before = site.server.events()
  expect(before.map(({ event }) => event)).toEqual(['page_view', 'before'])
  expect(site.server.identifies()).toEqual([
    {
      token: 'aat_1',
      previous_id: before[0]!.user_id,
      user_id: 'ada',
      traits: { email: 'ada@example.org', plan: 'pro', address: { city: 'Ghent' } },
    },
  ])
  expect(site.server.requests.find(({ path }) => path === '/identify')!.headers['content-type']).toBe(
    'text/plain;charset=UTF-8',
  )
  expect(await page.evaluate(() => window.aa!.getIdentity())).toEqual({
    anonymousId: before[0]!.user_id,
    userId: 'ada',
  })
  await site.leave(page)
  await eventually(() =>
    expect(site.server.events().at(-1)).toMatchObject({ event: 'after', user_id: 'ada' }),
  )
})

test('a known user is sent again only with traits', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    window.aa!.identify(42)
    window.aa!.identify(42)
    window.aa!.identify('42', {})
    window.aa!.identify('42', { plan: 'pro' })
    window.aa!.identify('')
    window.aa!.identify('x'.repeat(257))
  })
  await eventually(() => expect(site.server.identifies()).toHaveLength(2))
  await site.leave(page)
  expect(site.server.identifies()).toEqual([
    { token: 'aat_1', previous_id: expect.stringMatching(/^anon_/), user_id: '42' },
    { token: 'aat_1', previous_id: '42', user_id: '42', traits: { plan: 'pro' } },
  ])
})

test('traits that are too big are made to fit into 8192 bytes', async () => {
  const page = await openPage()
  await page.evaluate(() =>
    window.aa!.identify('ada', { a: 'x'.repeat(4000), b: 'y'.repeat(4000), c: 'z'.repeat(4000) }),
  )
  await eventually(() => expect(site.server.identifies()).toHaveLength(1))
  expect(Buffer.byteLength(JSON.stringify(site.server.identifies()[0]!.traits))).toBeLessThan(8192)
})
