import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '#test/support/browser'
import { openPage, SETTINGS, startRecording } from './recorded-page.ts'

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

test.each(SIZES)('a page of %i elements is recorded from its first snapshot on', async elements => {
  const starts: number[] = []
  let snapshotBytes = 0
  let bytesPerMinute = 0
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(browser, table(elements))
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const recording = await startRecording(page, { limits: { ...SETTINGS.limits, maxNodes: 100_000 } })
    starts.push(await page.evaluate(() => performance.getEntriesByName('recorder')[0]!.duration))
    snapshotBytes = (await recording.recorded()).events.join('').length
    await page.evaluate(async seconds => {
      for (let at = 0; at < seconds * 10; at++) {
        document.querySelectorAll('td')[at]!.textContent = `Order ${at} was changed`
        await new Promise(resolve => setTimeout(resolve, 100))
      }
    }, CHANGES_S)
    const { events, ends } = await recording.recorded()
    expect(ends).toEqual([])
    expect(events.join('').split('"tagName":"tr"')).toHaveLength(elements / 5 + 1)
    if (IS_BENCH) bytesPerMinute = ((events.join('').length - snapshotBytes) / CHANGES_S) * 60
    await page.context().close()
  }
  console.log(
    `Recorder at 4x, ${elements} elements: first task ${median(starts).toFixed(0)} ms, snapshot ${(snapshotBytes / 1000).toFixed(0)} KB, ten changes of a text a second ${(bytesPerMinute / 1000).toFixed(0)} KB a minute, before compression`,
  )
})
