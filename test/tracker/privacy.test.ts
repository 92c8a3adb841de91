import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()
const html = (attributes = '') => `<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}`

/** Opens a page with a fake clock, tracks an event, waits two minutes and leaves. Returns what was printed and stored. */
async function openPage(attributes: string, before?: () => void, host?: string) {
  site.server.setPage(html(attributes))
  const page = await site.tab()
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.clock.install({ time: NOON })
  if (before) await page.addInitScript(before)
  await page.goto(site.server.page('/', host))
  await page.evaluate(() => window.aa!.track('clicked'))
  await page.clock.runFor(120_000)
  const stored = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
  await site.leave(page)
  return { page, printed, stored }
}

/**
 * Expects that the test's page has sent nothing. To be sure, it waits for an event of a second user: an event of the first
 * user would have arrived before.
 */
async function expectNothingSent() {
  site.server.setPage(html())
  const page = await site.tab()
  await page.goto(site.server.page('/proof'))
  await site.leave(page)
  await eventually(() =>
    expect(site.server.events().map(({ properties }) => properties.path)).toContain('/proof'),
  )
  expect(site.server.events()).toHaveLength(1)
}

const dnt = () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' })

test('with data-do-not-track, a page sends and stores nothing for a user with Do Not Track', async () => {
  const { page, stored } = await openPage('data-do-not-track="true"', dnt)
  expect(stored).toEqual([])
  expect(page.errors).toEqual([])
  await expectNothingSent()
})

test('without data-do-not-track, Do Not Track is ignored', async () => {
  await openPage('', dnt)
  await eventually(() => expect(site.server.events()).toHaveLength(2))
})

test.each([
  ['disabled in the scope of the project', () => localStorage.setItem('aa:aat_1:disabled', 'true')],
  ['aa_disabled', () => localStorage.setItem('aa_disabled', 'true')],
  ['window.aa_disabled', () => Object.assign(window, { aa_disabled: true })],
])('after an opt-out by %s, the tracker sends and stores nothing', async (_, optOut) => {
  const { stored } = await openPage('', optOut)
  expect(stored.filter(name => !name.endsWith('disabled'))).toEqual([])
  await expectNothingSent()
})

test('an opt-out works at once, also for events in the queue', async () => {
  site.server.setPage(html())
  const page = await site.tab()
  await page.goto(site.server.page())
  await page.evaluate(() => {
    localStorage.setItem('aa_disabled', 'true')
    window.aa!.track('after')
  })
  await site.leave(page)
  await expectNothingSent()
})

test.each(['localhost', '127.0.0.1'])('on %s events are printed and not sent', async host => {
  const { printed } = await openPage('', undefined, host)
  expect(printed).toHaveLength(2)
  expect(printed[0]).toMatch(/^\[aa-dev\] page_view/)
  await expectNothingSent()
})

test('with data-localhost, events from localhost are sent', async () => {
  const { printed } = await openPage('data-localhost="true"', undefined, 'localhost')
  await eventually(() => expect(site.server.events()).toHaveLength(2))
  expect(printed).toEqual([])
})

test('a script without a token warns once, and its events have none', async () => {
  site.server.setPage(html().replace('data-token="aat_1"', ''))
  const page = await site.tab()
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.goto(site.server.page())
  await page.evaluate(() => {
    window.aa!.track('x')
    window.aa!.identify('ada')
  })
  expect(await page.evaluate(() => Object.keys(localStorage))).toContain('aa:shop:uid')
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(2))
  expect(site.server.events()[0]).not.toHaveProperty('token')
  expect(site.server.identifies()).toEqual([])
  expect(printed.filter(text => text.includes('data-token'))).toHaveLength(1)
})
