import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()
const html = (attributes = '') => `<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}`

/**
 * Opens a page with a fake clock, tracks an event and identifies the user, waits two minutes and leaves.
 * Returns what was printed and stored.
 */
async function openPage(attributes: string, before?: () => void, host?: string) {
  site.server.setPage(html(attributes))
  const page = await site.tab()
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.clock.install({ time: NOON })
  if (before) await page.addInitScript(before)
  await page.goto(site.server.page('/', host))
  await page.evaluate(() => {
    window.aa!.track('clicked')
    window.aa!.identify('ada')
  })
  await page.clock.runFor(120_000)
  const stored = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
  await site.leave(page)
  return { page, printed, stored }
}

/**
 * Expects that the test's page has sent nothing. To be sure, it waits for an event of a second user: an event
 * of the first user would have arrived before.
 */
async function expectNothingSent() {
  site.server.setPage(html())
  const page = await site.tab()
  await page.goto(site.server.page('/proof'))
  await site.leave(page)
  await eventually(() =>
    expect(site.server.events().map(({ properties }) => properties.path)).toContain('/proof'),
  )
  expect(site.server.requests).toHaveLength(1)
}

const dnt = () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' })

test('with data-do-not-track, the tracker does not even read a storage of a user with Do Not Track, and its calls do nothing', async () => {
  site.server.setPage(html('data-do-not-track="true"'))
  const page = await site.tab()
  await page.addInitScript(dnt)
  await page.addInitScript(() => {
    const reads: string[] = []
    Object.assign(window, { reads })
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: () => reads.push(name) })
  })
  await page.goto(site.server.page())
  const results = await page.evaluate(() => {
    window.aa!.track('x')
    window.aa!.identify('ada')
    window.aa!.grantConsent()
    return [window.aa!.getIdentity(), (window as unknown as { reads: string[] }).reads]
  })
  expect(results).toEqual([null, []])
  await site.leave(page)
  expect(page.errors).toEqual([])
  await expectNothingSent()
})

test('without data-do-not-track, Do Not Track is ignored, and so is a browser that has it off', async () => {
  await openPage('', dnt)
  await openPage('data-do-not-track="true"', () =>
    Object.defineProperty(navigator, 'doNotTrack', { value: '0' }),
  )
  await eventually(() => expect(site.server.events()).toHaveLength(4))
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
  expect(printed.map(text => text.split(' ', 2).join(' '))).toEqual([
    '[aa-dev] page_view',
    '[aa-dev] clicked',
    '[aa-dev] /identify',
  ])
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
