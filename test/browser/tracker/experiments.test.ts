import { expect, test } from 'vitest'
import { bucketOf, chooseVariant, splitEqually } from '#schemas/assignment'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const LOADING = '<style>.aa-loading [data-aa-experiment] { visibility: hidden }</style>'
const CTA = `<h1 id="cta" data-aa-experiment="cta" data-aa-variant-blue="<b>Blue</b>" data-aa-variant-red="Red">Control</h1>
  <p id="copy" data-aa-experiment="cta" data-aa-variant-blue="Blue too">Control</p>`
const EVEN = [{ key: 'cta', variants: splitEqually(['control', 'Blue', 'red']) }]
const ONLY_BLUE = [{ key: 'cta', variants: [{ key: 'Blue', weight: 100 }] }]

async function openPage(path = '/', attributes = '', body = CTA, host?: string) {
  site.server.setPage(
    `<!doctype html><html class="aa-loading"><title>Shoes</title>${LOADING}${site.server.snippet(attributes)}${body}`,
  )
  const page = await site.tab()
  await page.goto(site.server.page(path, host))
  return page
}

type Page = Awaited<ReturnType<typeof openPage>>
const isLoading = (page: Page) =>
  page.evaluate(() => document.documentElement.classList.contains('aa-loading'))
const texts = (page: Page) =>
  page.evaluate(() => ['cta', 'copy'].map(id => document.getElementById(id)!.textContent))
const shown = (page: Page) => eventually(async () => expect(await isLoading(page)).toBe(false))

test('the variant of a user is that of the hash, and its exposure is sent once', async () => {
  site.server.experiments = EVEN
  for (let user = 0; user < 6; user++) {
    const page = await openPage('/', 'data-track-spa="true"')
    await shown(page)
    const { anonymousId } = (await page.evaluate(() => window.aa!.getIdentity()))!
    const variant = chooseVariant(EVEN[0]!.variants, bucketOf('cta', anonymousId))!
    const expected = {
      control: ['Control', 'Control'],
      Blue: ['<b>Blue</b>', 'Blue too'],
      red: ['Red', 'Control'],
    }
    expect(await texts(page)).toEqual(expected[variant as keyof typeof expected])
    expect(await page.evaluate(() => window.aa!.experiment('cta', ['x', 'y']))).toBe(variant)
    await page.evaluate(() => history.pushState({}, '', '/next'))
    await site.leave(page)
    await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(2))
    // A page asks once, whatever its routes and calls are.
    expect(site.server.experimentRequests).toBe(user + 1)
    const exposures = site.server.propertiesOf('$experiment_exposure')
    expect(exposures).toMatchObject([{ experiment: 'cta', variant }])
    expect(exposures[0]).not.toHaveProperty('forced')
    site.server.requests.length = 0
    await page.context().close()
  }
})

/** The text of `cta` for an id. */
const textOf = (id: string) => {
  const variant = chooseVariant(EVEN[0]!.variants, bucketOf('cta', id))!
  return { control: 'Control', Blue: '<b>Blue</b>', red: 'Red' }[variant]
}
/** An id of a site whose variant is another one than that of the given id. */
const idWithAnotherText = (id: string) =>
  Array.from({ length: 100 }, (_, i) => `customer-${i}`).find(other => textOf(other) !== textOf(id))!
const idsOf = async (page: Page) => (await page.evaluate(() => window.aa!.getIdentity()))!

test('a visitor who signs in keeps the text, on this page and later ones, until `reset`', async () => {
  site.server.experiments = EVEN
  const page = await openPage()
  await shown(page)
  const { anonymousId } = await idsOf(page)
  const customer = idWithAnotherText(anonymousId)
  await page.evaluate(id => window.aa!.identify(id), customer)
  await page.reload()
  await shown(page)
  expect((await idsOf(page)).userId).toBe(customer)
  expect((await texts(page))[0]).toBe(textOf(anonymousId))
  // The next person of the browser is another one.
  await page.evaluate(() => window.aa!.reset())
  await page.reload()
  await shown(page)
  const next = (await idsOf(page)).anonymousId
  expect(next).not.toBe(anonymousId)
  expect((await texts(page))[0]).toBe(textOf(next))
  await page.context().close()
})

test('a customer who signed in before the first experiment has the text of the own id, as on other devices', async () => {
  site.server.experiments = []
  const page = await openPage('/', '', '')
  await page.waitForFunction(() => window.aa)
  const customer = idWithAnotherText((await idsOf(page)).anonymousId)
  await page.evaluate(id => window.aa!.identify(id), customer)
  site.server.experiments = EVEN
  site.server.setPage(
    `<!doctype html><html class="aa-loading"><title>Shoes</title>${LOADING}${site.server.snippet('')}${CTA}`,
  )
  await page.reload()
  await shown(page)
  expect((await texts(page))[0]).toBe(textOf(customer))
  await page.context().close()
})

test('a revoked consent forgets the id by which the visitor had a text', async () => {
  site.server.experiments = EVEN
  const page = await openPage()
  await shown(page)
  const kept = () => page.evaluate(() => Object.keys(localStorage).filter(key => key.endsWith(':id')))
  expect(await kept()).toHaveLength(1)
  await page.evaluate(() => window.aa!.revokeConsent())
  expect(await kept()).toEqual([])
  await page.context().close()
})

test('a variant in the address is forced when its key exists', async () => {
  site.server.experiments = ONLY_BLUE
  for (const [key, experiments, text] of [
    ['red', EVEN, 'Red'],
    ['purple', ONLY_BLUE, '<b>Blue</b>'],
  ] as const) {
    site.server.experiments = [...experiments]
    const page = await openPage(`/?aa_variant_cta=${key}`)
    await shown(page)
    expect((await texts(page))[0]).toBe(text)
    await site.leave(page)
    await eventually(() => expect(site.server.propertiesOf('$experiment_exposure')).toHaveLength(1))
    expect(site.server.propertiesOf('$experiment_exposure')[0]!.forced).toBe(key === 'red' ? true : undefined)
    site.server.requests.length = 0
    await page.context().close()
  }
})

test('`experiment` before the configuration splits its own keys equally, and keeps that for the page', async () => {
  site.server.experiments = ONLY_BLUE
  const page = await openPage(
    '/',
    '',
    `<script>window.early = [aa.experiment('cta', ['a', 'b', 'c']), aa.experiment('none')]</script>`,
  )
  await shown(page)
  const { anonymousId } = (await page.evaluate(() => window.aa!.getIdentity()))!
  const variant = chooseVariant(splitEqually(['a', 'b', 'c']), bucketOf('cta', anonymousId))
  // A later sign-in changes no id of assignment, also for further experiments.
  const names = Array.from({ length: 20 }, (_, at) => `test${at}`)
  const assigned = await page.evaluate(names => {
    window.aa!.identify('ada')
    return names.map(name => window.aa!.experiment(name, ['a', 'b']))
  }, names)
  expect(assigned).toEqual(
    names.map(name => chooseVariant(splitEqually(['a', 'b']), bucketOf(name, anonymousId))),
  )
  expect(
    await page.evaluate(() => [
      (window as unknown as { early: unknown }).early,
      window.aa!.experiment('cta'),
    ]),
  ).toEqual([[variant, null], variant])
})

test('`experiment` after the configuration has the variants of the service', async () => {
  site.server.experiments = ONLY_BLUE
  const page = await openPage('/', '', '')
  await shown(page)
  expect(await page.evaluate(() => window.aa!.experiment('cta', ['a', 'b']))).toBe('Blue')
})

test('without an answer of the service, elements keep their texts and are shown', async () => {
  site.server.experiments = null
  const page = await openPage()
  await shown(page)
  expect(await texts(page)).toEqual(['Control', 'Control'])
  expect(await page.evaluate(() => ['a', 'b'].includes(window.aa!.experiment('other', ['a', 'b'])!))).toBe(
    true,
  )
  expect(page.errors).toEqual([])
})

test('elements are shown after 3 s when the service does not answer', async () => {
  const user = await site.newUser()
  const page = await site.tab(user)
  // Paused before the page opens, so that a slow machine does not use up the time.
  const start = Date.now()
  await page.clock.install({ time: start })
  await page.clock.pauseAt(start + 60_000)
  await page.route('**/experiments/config?*', () => {})
  site.server.setPage(
    `<!doctype html><html class="aa-loading"><title>Shoes</title>${site.server.snippet()}${CTA}`,
  )
  await page.goto(site.server.page())
  await page.clock.runFor(2500)
  expect(await isLoading(page)).toBe(true)
  await page.clock.runFor(600)
  expect(await isLoading(page)).toBe(false)
})

test.each([
  ['on localhost', '', 'localhost', undefined],
  ['after an opt-out', '', 'shop.test', () => localStorage.setItem('aa_disabled', 'true')],
  [
    'with Do Not Track',
    'data-do-not-track="true"',
    'shop.test',
    () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' }),
  ],
  ['before the consent', 'data-require-consent="true"', 'shop.test', undefined],
])('%s, elements are shown at once, and the service is not asked', async (_, attributes, host, before) => {
  site.server.experiments = ONLY_BLUE
  site.server.setPage(
    `<!doctype html><html class="aa-loading"><title>Shoes</title>${site.server.snippet(attributes)}${CTA}`,
  )
  const page = await site.tab()
  if (before) await page.addInitScript(before)
  await page.goto(site.server.page('/', host))
  expect(await isLoading(page)).toBe(false)
  expect([site.server.experimentRequests, await texts(page)]).toEqual([0, ['Control', 'Control']])
  if (host === 'localhost' || before)
    expect(await page.evaluate(() => window.aa!.experiment('x', ['a']))).toBeNull()
})

test('the consent starts the experiments', async () => {
  site.server.experiments = ONLY_BLUE
  const page = await openPage('/', 'data-require-consent="true"')
  await page.evaluate(() => window.aa!.grantConsent())
  await eventually(async () => expect((await texts(page))[0]).toBe('<b>Blue</b>'))
})

test('a project without experiments is asked once a session, unless a page has an element or a call with one', async () => {
  site.server.experiments = []
  const page = await openPage('/', '', '')
  await page.waitForFunction(() => sessionStorage.getItem('aa:aat_1:experiments'))
  await page.goto(site.server.page('/next'))
  await shown(page)
  expect(site.server.experimentRequests).toBe(1)

  await page.evaluate(() => window.aa!.experiment('cta', ['a', 'b']))
  await eventually(() => expect(site.server.experimentRequests).toBe(2))
  await page.waitForFunction(() => sessionStorage.getItem('aa:aat_1:experiments'))
  site.server.experiments = ONLY_BLUE
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet()}${CTA}`)
  await page.goto(site.server.page('/next'))
  await eventually(async () => expect((await texts(page))[0]).toBe('<b>Blue</b>'))
  expect(await page.evaluate(() => sessionStorage.getItem('aa:aat_1:experiments'))).toBeNull()
})
