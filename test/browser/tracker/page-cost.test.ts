import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

/**
 * What the tracker costs a page, with every attribute, on a processor that is four times slower. Times are
 * asserted by `npm run bench -- tracker` only, because `npm test` must not depend on how busy the machine is.
 * The median of several loads is taken, because Chromium runs a few of them at full speed.
 */

const site = useTestSite()
const IS_BENCH = process.env.TRACKER_BENCH === '1'
const LOADS = IS_BENCH ? 20 : 1
const ALL = [
  'outgoing',
  'clicks',
  'errors',
  'performance',
  'vitals',
  'downloads',
  'forms',
  '404',
  'scroll-depth',
  'spa',
]
const ATTRIBUTES = `${ALL.map(name => `data-track-${name}="true"`).join(' ')} data-heartbeat="15" data-link-domains="other.test"`

type TraceEvent = { name: string; tdur?: number; args: { data?: { url?: string; type?: string } } }

/** Returns the processor time of each piece of work of the tracker in a trace, ms. */
function trackerTasks(trace: Buffer): number[] {
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString())
  return traceEvents
    .filter(
      ({ name, args }) =>
        /^(EvaluateScript|FunctionCall)$/.test(name) && /\/tracker(\.core)?\.js$/.test(args.data?.url ?? ''),
    )
    .map(({ tdur = 0 }) => tdur / 1000)
}

/** Opens a page with the tracker in a renderer process of its own, as for a visitor of a landing page. */
async function loadFresh() {
  const page = await site.tab()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await page.goto(site.server.page('/'), { waitUntil: 'load' })
  await page.waitForFunction(() => sessionStorage.length > 0)
  const tasks = trackerTasks(await browser.stopTracing())
  return { page, tasks }
}

test.each(['tracker.js', 'tracker.core.js'] as const)(
  'in a fresh renderer at a quarter of the speed, %s evaluates in less than 10 ms, without a long task or a layout shift',
  async script => {
    const { server } = site
    const elements = Array.from(
      { length: 200 },
      (_, at) => `<p><a href="https://other.test/${at}">Link ${at}</a></p>`,
    )
    server.setPage(
      `<!doctype html><head><title>Shoes</title>${server.snippet(`defer ${ATTRIBUTES}`, script)}</head>${elements.join('')}`,
    )
    const loads: number[][] = []
    for (let load = 0; load < LOADS; load++) {
      const { page, tasks } = await loadFresh()
      loads.push(tasks)
      const shifts = await page.evaluate(async () => {
        // A shift belongs to a frame, so two frames have all shifts of what the script did.
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
        const observer = new PerformanceObserver(() => {})
        observer.observe({ type: 'layout-shift', buffered: true })
        return observer.takeRecords().length
      })
      expect(shifts).toBe(0)
      await page.context().close()
    }
    const evaluations = loads.map(tasks => tasks[0]!)
    const longest = loads.map(tasks => Math.max(...tasks))
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
    const print = (values: number[]) => `${median(values).toFixed(1)} ms`
    console.log(
      `${script} at 4x in a fresh renderer, medians of processor time: evaluation ${print(evaluations)}, longest task ${print(longest)}, the whole load ${print(loads.map(tasks => tasks.reduce((sum, ms) => sum + ms, 0)))}`,
    )
    expect(evaluations.every(ms => ms > 0)).toBe(true)
    if (!IS_BENCH) return
    expect(median(evaluations)).toBeLessThan(10)
    expect(median(longest)).toBeLessThan(50)
  },
)

/** Events that come many times a second while a user scrolls or moves. */
const BUSY_EVENTS = ['scroll', 'wheel', 'touchmove', 'pointermove', 'mousemove', 'resize']

test('the tracker listens to nothing while a user scrolls, and reads the position once afterwards', async () => {
  const { server } = site
  server.setPage(
    `<!doctype html><title>Shoes</title>${server.snippet(ATTRIBUTES)}<div style="height: 20000px"></div>`,
  )
  const page = await site.tab()
  await page.addInitScript(() => {
    // Whatever makes the browser compute the layout.
    const reads = { position: 0, layout: 0 }
    Object.assign(window, { reads })
    const count = (owner: object, name: string, kind: 'position' | 'layout') => {
      const { get } = Object.getOwnPropertyDescriptor(owner, name)!
      Object.defineProperty(owner, name, {
        get() {
          reads[kind]++
          return get!.call(this)
        },
      })
    }
    for (const name of ['scrollY', 'pageYOffset']) count(window, name, 'position')
    for (const name of ['scrollTop', 'scrollHeight', 'clientHeight']) count(Element.prototype, name, 'layout')
    for (const name of ['offsetHeight', 'offsetTop']) count(HTMLElement.prototype, name, 'layout')
    const { getBoundingClientRect } = Element.prototype
    Element.prototype.getBoundingClientRect = function () {
      reads.layout++
      return getBoundingClientRect.call(this)
    }
  })
  await page.goto(server.page())
  const devtools = await page.context().newCDPSession(page)
  for (const expression of ['window', 'document', 'document.documentElement', 'document.body']) {
    const { result } = await devtools.send('Runtime.evaluate', { expression })
    const { listeners } = await devtools.send('DOMDebugger.getEventListeners', { objectId: result.objectId! })
    expect(listeners.map(({ type }) => type).filter(type => BUSY_EVENTS.includes(type))).toEqual([])
  }
  await page.evaluate(() => {
    const counts = { scroll: 0, scrollend: 0 }
    Object.assign(window, { counts })
    document.addEventListener('scroll', () => counts.scroll++)
    document.addEventListener('scrollend', () => counts.scrollend++)
  })
  const counts = () => page.evaluate(() => (window as unknown as { counts: Record<string, number> }).counts)
  await page
    .context()
    .browser()!
    .startTracing(page, { categories: ['devtools.timeline'] })
  await page.mouse.move(200, 200)
  for (let at = 0; at < 10; at++) await page.mouse.wheel(0, 400)
  await eventually(async () => expect((await counts()).scrollend).toBeGreaterThan(0))
  const tasks = trackerTasks(await page.context().browser()!.stopTracing())
  const { scroll, scrollend } = await counts()
  expect(scroll).toBeGreaterThan(0)
  const reads = await page.evaluate(() => (window as unknown as { reads: Record<string, number> }).reads)
  expect(reads.layout).toBe(0)
  expect(reads.position).toBeGreaterThan(0)
  expect(reads.position).toBeLessThanOrEqual(scrollend!)
  // This browser ends each turn of the wheel at once. A listener for `scroll` would add its calls to those of
  // `scrollend`.
  expect(tasks.length).toBeLessThan(scroll! + scrollend!)
})
