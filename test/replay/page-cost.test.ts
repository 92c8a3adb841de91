import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { openPage, recorderScript, SETTINGS, startRecording } from './recorded-page.ts'

/**
 * What the recorder costs a page, on a processor that is four times slower, by the number of elements. `npm
 * run bench -- replay` prints the figures; `npm test` checks only that such a page is recorded whole.
 */

const IS_BENCH = process.env.REPLAY_BENCH === '1'
const ROUNDS = IS_BENCH ? 3 : 1
const SIZES = IS_BENCH ? [500, 1000, 2000, 5000, 20_000] : [500]
/** How long the bench changes the page, s. */
const CHANGES_S = IS_BENCH ? 2 : 0

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

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
  cat: string
  ph: string
  ts: number
  dur?: number
  /** Processor time of the thread, which other programs of the machine do not change. */
  tdur?: number
  pid: number
  tid: number
}

/**
 * Returns the longest task of the page's main thread while `work` runs, ms of the processor. `mark` is the
 * name of a
 * `performance.mark` of that page.
 */
async function longestTask(page: Page, mark: string, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const begin = trace.traceEvents.find(({ name }) => name === mark)
  if (!begin) throw new Error(`The trace has no mark ${mark}.`)
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid, ts, dur = 0 }) =>
      /RunTask/.test(name) && pid === begin.pid && tid === begin.tid && ts + dur >= begin.ts,
  )
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000))
}

/** Waits until the snapshot has all its parts. The page itself has little to do for it. */
async function untilWhole(page: Page): Promise<void> {
  await eventually(async () => {
    const flushes = await page.evaluate(
      () => (globalThis as unknown as { recorded: { flushes: number } }).recorded.flushes,
    )
    expect(flushes).toBe(2)
  })
}

test.each(SIZES)('a page of %i elements is recorded from its first snapshot on', async elements => {
  const tasks: number[] = []
  let snapshotBytes = 0
  let bytesPerMinute = 0
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(browser, table(elements))
    await page.evaluate(await recorderScript())
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const rows = (events: readonly string[]) => events.join('').split('"tagName":"tr"').length - 1
    let recording: Awaited<ReturnType<typeof startRecording>>
    const record = async () => {
      recording = await startRecording(page, { limits: { ...SETTINGS.limits, maxNodes: 100_000 } })
      await untilWhole(page)
    }
    if (IS_BENCH) tasks.push(await longestTask(page, 'start', record))
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
  if (IS_BENCH)
    console.log(
      `Recorder at 4x, ${elements} elements: longest task ${median(tasks).toFixed(0)} ms of the processor (of ${ROUNDS} pages at most ${Math.max(...tasks).toFixed(0)}), snapshot ${(snapshotBytes / 1000).toFixed(0)} KB, ten changes of a text a second ${(bytesPerMinute / 1000).toFixed(0)} KB a minute, before compression`,
    )
})
