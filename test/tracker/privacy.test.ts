import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { inPage, NOON } from './in-page.ts'

const here = inPage()
const html = (attributes = '') => `<!doctype html><title>Shoes</title>${here.server.snippet(attributes)}`

/** Opens a page with a fake clock, calls the API, and lets two minutes pass. */
async function visit(attributes: string, before?: () => void, host?: string) {
  here.server.serve(html(attributes))
  const page = await here.tab()
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.clock.install({ time: NOON })
  if (before) await page.addInitScript(before)
  await page.goto(here.server.page('/', host))
  await page.evaluate(() => window.aa!.track('clicked'))
  await page.clock.runFor(120_000)
  const kept = await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
  await here.leave(page)
  return { page, printed, kept }
}

/** A second visitor's event that does arrive: by then a forbidden one would have arrived as well. */
async function expectNothingButProof() {
  here.server.serve(html())
  const page = await here.tab()
  await page.goto(here.server.page('/proof'))
  await here.leave(page)
  await eventually(() => expect(here.server.items().map(item => item.properties.path)).toContain('/proof'))
  expect(here.server.items()).toHaveLength(1)
}

const dnt = () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' })

test('a page that honours Do Not Track sends nothing and stores nothing for a visitor who asks for it', async () => {
  const { page, kept } = await visit('data-do-not-track="true"', dnt)
  expect(kept).toEqual([])
  expect(page.thrown).toEqual([])
  await expectNothingButProof()
})

test('Do Not Track is not looked at unless the page says so', async () => {
  await visit('', dnt)
  await eventually(() => expect(here.server.items()).toHaveLength(2))
})

test('a page that asks for consent sends nothing before it', async () => {
  await visit('data-require-consent="true"')
  await expectNothingButProof()
})

test('`requireConsent` holds back also what was waiting', async () => {
  here.server.serve(html())
  const page = await here.tab()
  await page.goto(here.server.page())
  await page.evaluate(() => window.aa!.requireConsent())
  await here.leave(page)
  await expectNothingButProof()
})

test.each([
  ['disabled in the scope of the project', () => localStorage.setItem('aa:aat_1:disabled', 'true')],
  ['aa_disabled', () => localStorage.setItem('aa_disabled', 'true')],
])('an opt-out by %s stops the tracker before it stores anything', async (_, optOut) => {
  const { kept } = await visit('', optOut)
  expect(kept).toHaveLength(1)
  await expectNothingButProof()
})

test('an opt-out works from the moment it is set, also for what waits', async () => {
  here.server.serve(html())
  const page = await here.tab()
  await page.goto(here.server.page())
  await page.evaluate(() => {
    localStorage.setItem('aa_disabled', 'true')
    window.aa!.track('after')
  })
  await here.leave(page)
  await expectNothingButProof()
})

test.each(['localhost', '127.0.0.1'])('on %s events are printed, not sent', async host => {
  const { printed } = await visit('', undefined, host)
  expect(printed).toHaveLength(2)
  expect(printed[0]).toMatch(/^\[aa-dev\] page_view/)
  await expectNothingButProof()
})

test('data-localhost sends from localhost too', async () => {
  const { printed } = await visit('data-localhost="true"', undefined, 'localhost')
  await eventually(() => expect(here.server.items()).toHaveLength(2))
  expect(printed).toEqual([])
})

test('a script without a token is inert', async () => {
  here.server.serve(html().replace('data-token="aat_1"', ''))
  const page = await here.tab()
  await page.goto(here.server.page())
  await page.evaluate(() => window.aa!.track('x'))
  expect(
    await page.evaluate(() => [window.aa!.getIdentity(), window.aa!.experiment('x'), localStorage.length]),
  ).toEqual([null, null, 0])
  await here.leave(page)
  await expectNothingButProof()
})
