import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { openPage, recorderScript, SETTINGS, startRecording, untilWhole } from './recorded-page.ts'

/**
 * What the recorder costs a page, on a processor that is four times slower, by the number of elements. `npm
 * run bench -- replay` prints the figures; `npm test` checks only that such a page is recorded whole.
 */

const IS_BENCH = process.env.REPLAY_BENCH === '1'
const ROUNDS = IS_BENCH ? 3 : 1
const SIZES = IS_BENCH ? [500, 1000, 2000, 5000, 20_000] : [500]
/** How long the bench changes the page, s. */
const CHANGES_S = IS_BENCH ? 2 : 0
const SLOWDOWN = 4
/** Shorter tasks do not count, microseconds. */
const MIN_TASK_US = 500
/** How far the two clocks of a task may be apart, microseconds. */
const CLOCK_ERROR_US = 200

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

function table(elements: number): string {
  const rows = Array.from(
    { length: elements / 5 },
    (_, at) =>
      `<tr class="row r${at}"><td data-id="${at}">Order ${at}</td><td><a href="/order/${at}?x=1" title="Order">Blue shoes, size ${at % 50}</a></td><td style="color: red">59.90</td></tr>`,
  )
  return `<!doctype html><title>Orders</title><style>td { padding: 2px }</style><table>${rows.join('')}</table>`
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

type TraceEvent = {
  name: string
  ph: string
  ts: number
  dur?: number
  /** Processor time of the thread. */
  tdur?: number
  pid: number
  tid: number
}

type Tasks = {
  /** The longest one of those that no other program has disturbed, ms. */
  longest: number
  /** The share of tasks that none has disturbed. */
  undisturbed: number
}

/**
 * Measures the tasks of the page's main thread while `work` runs, on a processor that is SLOWDOWN times
 * slower. `mark` is the name of a `performance.mark` of that page.
 *
 * The clock of the page runs SLOWDOWN times faster, and tasks count SLOWDOWN times. The slowdown of Chromium
 * also counts the time in which other programs run, SLOWDOWN - 1 times, as work of the page. A task that was
 * interrupted is left out, because a virtual machine counts time for it that it did not use. Some such tasks
 * have more processor time than time on the clock.
 */
async function measureTasks(page: Page, mark: string, work: () => Promise<void>): Promise<Tasks> {
  await page.evaluate(slowdown => {
    const now = performance.now.bind(performance)
    performance.now = () => now() * slowdown
  }, SLOWDOWN)
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const begin = trace.traceEvents.find(({ name }) => name === mark)
  if (!begin) throw new Error(`The trace has no mark ${mark}.`)
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid, ts, dur = 0, tdur = 0 }) =>
      /RunTask/.test(name) &&
      pid === begin.pid &&
      tid === begin.tid &&
      ts + dur >= begin.ts &&
      Math.max(dur, tdur) > MIN_TASK_US,
  )
  const undisturbed = tasks.filter(
    ({ dur = 0, tdur = 0 }) => dur > tdur - CLOCK_ERROR_US && dur < tdur * 1.25 + CLOCK_ERROR_US,
  )
  return {
    longest: (Math.max(0, ...undisturbed.map(({ tdur = 0 }) => tdur)) * SLOWDOWN) / 1_000,
    undisturbed: undisturbed.length / tasks.length,
  }
}

test.each(SIZES)('a page of %i elements is recorded from its first snapshot on', async elements => {
  const tasks: Tasks[] = []
  let snapshotBytes = 0
  let bytesPerMinute = 0
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(browser, table(elements))
    await page.evaluate(await recorderScript())
    const rows = (events: readonly string[]) => events.join('').split('"tagName":"tr"').length - 1
    let recording: Awaited<ReturnType<typeof startRecording>>
    const record = async () => {
      recording = await startRecording(page, { limits: { ...SETTINGS.limits, maxNodes: 100_000 } })
      await untilWhole(page)
    }
    if (IS_BENCH) tasks.push(await measureTasks(page, 'start', record))
    else await record()
    snapshotBytes = (await recording!.recorded()).events.join('').length
    await page.evaluate(async seconds => {
      for (let at = 0; at < seconds * 10; at++) {
        document.querySelectorAll('td')[at]!.textContent = `Order ${at} was changed`
        await new Promise(resolve => setTimeout(resolve, 100))
      }
    }, CHANGES_S)
    const { events, ends } = await recording!.recorded()
    expect(ends).toEqual([])
    expect(rows(events)).toBe(elements / 5)
    if (IS_BENCH) bytesPerMinute = ((events.join('').length - snapshotBytes) / CHANGES_S) * 60
    await page.context().close()
  }
  if (!IS_BENCH) return
  const longest = tasks.map(task => task.longest)
  const undisturbed = Math.min(...tasks.map(task => task.undisturbed))
  console.log(
    [
      `Recorder at ${SLOWDOWN}x, ${elements} elements: longest task ${median(longest).toFixed(0)} ms (of ${ROUNDS} pages at most ${Math.max(...longest).toFixed(0)})`,
      `at least ${(undisturbed * 100).toFixed(0)} % of the tasks were not disturbed by other programs`,
      `snapshot ${(snapshotBytes / 1000).toFixed(0)} KB`,
      `ten changes of a text a second ${(bytesPerMinute / 1000).toFixed(0)} KB a minute, before compression`,
    ].join(', '),
  )
})
