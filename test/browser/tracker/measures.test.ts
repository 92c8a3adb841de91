import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()

async function openPage(attributes: string, body = '<p>Text</p>') {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}${body}`)
  return site.tab()
}

/** Hides the page and shows it again, as changing tabs does. */
function setVisibility(state: 'hidden' | 'visible') {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
}

/**
 * Waits until the browser has told observers, of which the tracker is the first, of an entry of this type.
 * `name`: only of one with this name.
 */
const untilMeasured = (page: Page, type: string, name?: string) =>
  page.evaluate(
    ({ type, name }) =>
      new Promise<void>(resolve => {
        const options = { type, buffered: true, durationThreshold: 16 }
        new PerformanceObserver(list => {
          if (name === undefined || list.getEntriesByName(name).length > 0) resolve()
        }).observe(options)
      }),
    { type, name },
  )

test('`$performance` has the times of the page load, in whole ms', async () => {
  const page = await openPage('data-track-performance="true"')
  await page.goto(site.server.page('/shop'), { waitUntil: 'load' })
  await page.waitForFunction(
    () => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventEnd > 0,
  )
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$performance')).toHaveLength(1))
  const sent = site.server.propertiesOf('$performance')[0]!
  const times = ['dns', 'tcp', 'ttfb', 'dom_interactive', 'dom_complete', 'load'].map(
    name => sent[`perf_${name}`] as number,
  )
  for (const time of times) expect(Number.isInteger(time) && time >= 0).toBe(true)
  const [, , ttfb, interactive, complete, load] = times as [number, number, number, number, number, number]
  expect([ttfb, interactive, complete, load]).toEqual(
    [ttfb, interactive, complete, load].toSorted((a, b) => a - b),
  )
  expect(sent.path).toBe('/shop')
})

test('`$web_vitals` has the paint, the shift and the slowest interaction, once', async () => {
  const page = await openPage(
    'data-track-vitals="true"',
    `<h1 style="font-size: 60px">Shoes for everybody</h1><button id="slow">Slow</button><div id="gap"></div><p>Text that moves</p>
     <script>document.getElementById('slow').onclick = () => { const end = performance.now() + 60; while (performance.now() < end); }</script>`,
  )
  await page.goto(site.server.page())
  await untilMeasured(page, 'largest-contentful-paint')
  await page.evaluate(() => {
    document.getElementById('gap')!.style.height = '300px'
  })
  await untilMeasured(page, 'layout-shift')
  // The observer is there before the click. One that came later would see only events of 104 ms and more.
  // The movement of the pointer to the button may be an event before the click.
  const interaction = untilMeasured(page, 'event', 'click')
  await page.click('#slow')
  await interaction
  await page.evaluate(setVisibility, 'hidden' as const)
  await page.evaluate(setVisibility, 'visible' as const)
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$web_vitals')).toHaveLength(1))
  const { path, cwv_lcp, cwv_cls, cwv_inp } = site.server.propertiesOf('$web_vitals')[0] as Record<
    string,
    number
  >
  expect(path).toBe('/')
  expect(cwv_lcp).toBeGreaterThan(0)
  expect(cwv_cls).toBeGreaterThan(0)
  expect(Math.round(cwv_cls! * 1000) / 1000).toBe(cwv_cls)
  expect(cwv_inp).toBeGreaterThanOrEqual(56)
})

test('`$web_vitals` has the worst series of shifts and the 98th percentile of the interactions', async () => {
  const page = await openPage('data-track-vitals="true"')
  await page.addInitScript(() => {
    const shift = (startTime: number, value: number, hadRecentInput = false) => ({
      entryType: 'layout-shift',
      startTime,
      value,
      hadRecentInput,
    })
    const event = (interactionId: number, duration: number) => ({
      entryType: 'event',
      interactionId,
      duration,
    })
    const entries = [
      { entryType: 'largest-contentful-paint', startTime: 800.7 },
      { entryType: 'largest-contentful-paint', startTime: 1234.5 },
      // A series of 0.3, then one of 0.25 after a gap of a second, then 0.1 that the user has caused.
      shift(100, 0.1),
      shift(1000, 0.2),
      shift(2100, 0.12345),
      shift(3000, 0.12655),
      shift(3100, 0.1, true),
      // A series of 0.331, one shift each 0.9 s. The last shift is more than 5 s after the first, so it
      // begins a new series.
      ...Array.from({ length: 7 }, (_, at) => shift(10_000 + at * 900, at < 6 ? 0.05512 : 0.2)),
      // 60 interactions with two events each, and an event that belongs to no interaction. INP ignores the
      // slowest of 50 interactions.
      ...Array.from({ length: 60 }, (_, at) => [event(at + 1, 10 + at), event(at + 1, 5)]).flat(),
      event(0, 5000),
      // A browser that knows events and no interactions.
      { entryType: 'event', startTime: 5000, duration: 5000 },
    ]
    Object.defineProperty(window, 'PerformanceObserver', {
      value: class {
        static supportedEntryTypes = ['layout-shift', 'event', 'largest-contentful-paint']
        observe() {}
        takeRecords() {
          return entries.splice(0)
        }
      },
    })
  })
  await page.goto(site.server.page())
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$web_vitals')).toHaveLength(1))
  expect(site.server.propertiesOf('$web_vitals')[0]).toMatchObject({
    cwv_lcp: 1234,
    cwv_cls: 0.331,
    cwv_inp: 68,
  })
})

test('`$scroll_depth` has the deepest position, once; a page that is short, was not scrolled, or became shorter has its own', async () => {
  const depths: unknown[] = []
  for (const [height, tops, laterHeight] of [
    ['4000px', [2400, 0], '4000px'],
    ['4000px', [], '4000px'],
    ['10px', [], '10px'],
    ['4000px', [2400], '1000px'],
  ] as const) {
    const page = await openPage(
      'data-track-scroll-depth="true"',
      `<body style="margin:0"><div style="height:${height}">`,
    )
    await page.goto(site.server.page())
    for (const top of tops) {
      await page.evaluate(
        top =>
          new Promise<void>(resolve => {
            document.addEventListener('scrollend', () => resolve(), { once: true })
            scrollTo(0, top)
          }),
        top,
      )
    }
    await page.evaluate(height => {
      document.querySelector('div')!.style.height = height
    }, laterHeight)
    await page.evaluate(setVisibility, 'hidden' as const)
    await page.evaluate(setVisibility, 'visible' as const)
    await site.leave(page)
    await eventually(() => expect(site.server.propertiesOf('$scroll_depth')).toHaveLength(1))
    depths.push(site.server.propertiesOf('$scroll_depth')[0]!.scroll_depth)
    site.server.requests.length = 0
    await page.context().close()
  }
  expect(depths).toEqual([80, 20, 100, 100])
})

test('`$time_on_page` has the visible seconds so far, each time the page is hidden', async () => {
  const page = await openPage('data-heartbeat="1" data-track-spa="true"')
  await page.clock.install({ time: NOON })
  // Before the page opens, so that a slow machine does not use up the time.
  await page.clock.pauseAt(NOON.getTime() + 60_000)
  await page.goto(site.server.page('/a'))
  const hide = async (forMs: number) => {
    await page.evaluate(setVisibility, 'hidden' as const)
    await page.clock.runFor(forMs)
    await page.evaluate(setVisibility, 'visible' as const)
  }
  await page.clock.runFor(20_000)
  await hide(60_000)
  await page.clock.runFor(5000)
  await hide(60_000)
  await page.evaluate(() => history.pushState({}, '', '/b'))
  // The end of a route is sent at once: the timer of the queue does not run here. It was not seen any longer.
  await eventually(() => expect(site.server.propertiesOf('$time_on_page')).toHaveLength(2))
  await page.clock.runFor(2500)
  // The last route is visible for less than a second, so it has no event.
  await page.evaluate(() => history.pushState({}, '', '/c'))
  await page.evaluate(setVisibility, 'hidden' as const)
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(3))
  const sent = site.server.propertiesOf('$time_on_page').map(({ time_on_page, path }) => [time_on_page, path])
  expect(sent.map(([, path]) => path)).toEqual(['/a', '/a', '/b'])
  const seconds = sent.map(([time]) => time as number)
  // The clock of the browser also runs a little between the steps.
  for (const [at, expected] of [20, 25, 2].entries()) {
    expect(seconds[at]).toBeGreaterThanOrEqual(expected)
    expect(seconds[at]).toBeLessThanOrEqual(expected + 2)
  }
})

test.each(['0', '-5', 'often', undefined])('a heartbeat of %s measures no time', async heartbeat => {
  const page = await openPage(heartbeat === undefined ? '' : `data-heartbeat="${heartbeat}"`)
  await page.clock.install({ time: NOON })
  await page.goto(site.server.page('/a'))
  await page.clock.runFor(20_000)
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(1))
  expect(site.server.propertiesOf('$time_on_page')).toEqual([])
})

test.each([
  [1, 30],
  [15, 30],
  [25, 25],
])(
  'a killed tab with a heartbeat of %i s has saved %i of 40 s, because 15 s is the shortest',
  async (heartbeat, saved) => {
    const page = await openPage(`data-heartbeat="${heartbeat}"`)
    await page.clock.install({ time: NOON })
    await page.clock.pauseAt(NOON.getTime() + 60_000)
    await page.goto(site.server.page('/a'))
    await page.clock.runFor(40_000)
    // A killed tab sends nothing, and its session storage comes back with it.
    await page.addInitScript(
      saved => sessionStorage.setItem('aa:aat_1:time', saved),
      (await page.evaluate(() => sessionStorage.getItem('aa:aat_1:time')))!,
    )
    await site.leave(page)
    await eventually(() => expect(site.server.propertiesOf('$time_on_page')).toHaveLength(1))
    site.server.requests.length = 0
    await page.goto(site.server.page('/b'))
    await page.evaluate(() => dispatchEvent(new Event('beforeunload')))
    await eventually(() => expect(site.server.propertiesOf('$time_on_page')).toHaveLength(1))
    expect(site.server.propertiesOf('$time_on_page')[0]).toMatchObject({ time_on_page: saved, path: '/a' })
  },
)
