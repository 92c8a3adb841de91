import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()

/** Opens a page with this script element, and returns what the tracker warned about. */
async function openPage(script: string, before?: () => void) {
  site.server.setPage(`<!doctype html><title>Shoes</title>${script}`)
  const page = await site.tab()
  const warnings: string[] = []
  page.on('console', message => {
    if (message.type() === 'warning') warnings.push(message.text())
  })
  if (before) await page.addInitScript(before)
  await page.goto(site.server.page())
  return { page, warnings }
}

const src = () => /src="([^"]*)"/.exec(site.server.snippet())![1]!
const FOREIGN = '<script type="text/plain" src="http://other.test/tracker.js"></script>'

test.each([
  ['a module script', () => site.server.snippet('type="module"')],
  [
    'a module script after a foreign script that is called tracker',
    () => FOREIGN + site.server.snippet('type="module"'),
  ],
  [
    'an injected script',
    () => `<script>{
      const script = document.createElement('script')
      script.src = '${src()}'
      script.dataset.token = 'aat_1'
      document.head.append(script)
    }</script>`,
  ],
  [
    'an injected module script',
    () => `<script>{
      const script = document.createElement('script')
      script.type = 'module'
      script.src = '${src()}'
      script.dataset.token = 'aat_1'
      document.head.append(script)
    }</script>`,
  ],
])('%s sends its page view to the service of its address', async (_, script) => {
  const { page, warnings } = await openPage(script())
  await page.waitForFunction(() => window.aa)
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toMatchObject([{ event: 'page_view', token: 'aat_1' }]))
  expect([warnings, page.errors]).toEqual([[], []])
})

test.each([
  [
    'throws',
    () =>
      Object.defineProperty(document, 'currentScript', {
        get: () => {
          throw new Error('blocked')
        },
      }),
  ],
  ['is null', () => Object.defineProperty(document, 'currentScript', { value: null })],
])('the tracker finds its element when document.currentScript %s', async (_, before) => {
  const { page, warnings } = await openPage(site.server.snippet(), before)
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(1))
  expect([warnings, page.errors]).toEqual([[], []])
})

test('a script that was pasted into the page has no service: it warns, and its calls do nothing', async () => {
  const code = await (await fetch(src().replace('stats.test', '127.0.0.1'))).text()
  const { page, warnings } = await openPage(`<script data-token="aat_1">${code}</script>`)
  const result = await page.evaluate(() => {
    window.aa!.track('x')
    window.aa!.grantConsent()
    return [window.aa!.getIdentity(), window.aa!.experiment('x', ['a']), Object.keys(localStorage)]
  })
  expect(result).toEqual([null, null, []])
  expect(warnings).toEqual([expect.stringContaining('No data-token or src')])
  expect(page.errors).toEqual([])
})

/**
 * Records the accesses to storages, time zones, elements and timings while the script runs, and in the task
 * after it.
 */
function recordAccesses(): void {
  const accesses: string[] = []
  Object.assign(window, { accesses })
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    const { get } = Object.getOwnPropertyDescriptor(window, name)!
    Object.defineProperty(window, name, {
      get() {
        accesses.push(name)
        return get!.call(window)
      },
    })
  }
  for (const [owner, name] of [
    [Document.prototype, 'querySelectorAll'],
    [Performance.prototype, 'getEntriesByType'],
  ] as const) {
    const original = (owner as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!
    Object.assign(owner, {
      [name](...args: unknown[]) {
        accesses.push(name)
        return original.apply(this, args)
      },
    })
  }
  const { DateTimeFormat } = Intl
  Object.defineProperty(Intl, 'DateTimeFormat', {
    value(...options: []) {
      accesses.push('Intl')
      return DateTimeFormat(...options)
    },
  })
}

test('while the script is evaluated it opens no storage and no time zone and searches no elements, also for calls of the page', async () => {
  const attributes =
    'data-heartbeat="15" data-link-domains="a.test" data-track-vitals="true" data-track-404="true"'
  const inline = `<script>aa.track('early', { n: 1 }); aa.set({ plan: 'pro' }); window.first = window.accesses.length</script>`
  // The end of the body is parsed, so the page view is recorded while the script is evaluated.
  const injected = site.server.snippet(`defer ${attributes}`)
  const { page } = await openPage(
    `${injected}<script defer src="data:text/javascript,${encodeURIComponent(inline.replace(/<\/?script>/g, ''))}"></script>`,
    recordAccesses,
  )
  await page.waitForFunction(() => sessionStorage.length > 0)
  const [first, all] = await page.evaluate(() => {
    const { first, accesses } = window as unknown as { first: number; accesses: string[] }
    return [first, accesses] as const
  })
  expect(first).toBe(0)
  expect(all).toEqual(expect.arrayContaining(['localStorage', 'querySelectorAll', 'getEntriesByType']))
  expect(all).not.toContain('Intl')
  await site.leave(page)
  await eventually(() => expect(site.server.events().at(-1)?.event).toBe('$web_vitals'))
  const [view, early] = site.server.events()
  expect([view!.event, early!.event]).toEqual(['page_view', 'early'])
  expect(view!.properties).toMatchObject({
    timezone: 'Europe/Berlin',
    page: 'Shoes',
    title: 'Shoes',
    session_count: 1,
  })
  expect(early!.properties).toMatchObject({ n: 1 })
  expect(early!.properties).not.toHaveProperty('plan')
})

test('a browser without Temporal gets its time zone from Intl', async () => {
  const { page } = await openPage(site.server.snippet(), () =>
    Object.defineProperty(window, 'Temporal', { value: undefined }),
  )
  await site.leave(page)
  await eventually(() =>
    expect(site.server.propertiesOf('page_view')[0]).toMatchObject({ timezone: 'Europe/Berlin' }),
  )
})

test('an event has the title, the address and the properties of the moment of its call', async () => {
  const { page } = await openPage(`${site.server.snippet('data-track-spa="true"')}<script>
    const properties = { n: 1 }
    aa.track('early', properties)
    properties.n = 2
    document.title = 'Boots'
  </script>`)
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('early')).toMatchObject([{ n: 1, title: 'Shoes' }]))
})

test('more calls than the bound while the page loads are recorded in their order', async () => {
  const { page } = await openPage(`${site.server.snippet('data-require-consent="true"')}<script>
    for (let at = 0; at < 1200; at++) aa.track('e' + at)
  </script>`)
  await page.evaluate(() => window.aa!.grantConsent())
  await eventually(() => expect(site.server.events()).toHaveLength(1000))
  // Ten requests are on their way at the same time, and any of them may arrive first.
  const names = site.server.events().map(({ event }) => event)
  const requests = Array.from({ length: 10 }, (_, i) => names.slice(i * 100, (i + 1) * 100))
  const numberOf = (name = '') => Number(name.slice(1))
  const sent = requests.toSorted(([a], [b]) => numberOf(a) - numberOf(b)).flat()
  expect(sent).toEqual(Array.from({ length: 1000 }, (_, at) => `e${at}`))
  await site.leave(page)
})

test('without a token the tracker warns, and does not ask for experiments', async () => {
  const { page, warnings } = await openPage(
    `<script defer src="${src()}"></script><h1 data-aa-experiment="cta">Control</h1>`,
  )
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toMatchObject([{ event: 'page_view' }]))
  expect(warnings).toEqual([expect.stringContaining('No data-token or src')])
  expect(site.server.experimentRequests).toBe(0)
})
