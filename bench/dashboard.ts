import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { buildDashboard } from '#dashboard/build'
import { launchChromium } from './bench-browser.ts'
import { cachedLake, parseCount } from './cached-lake.ts'
import { type LakeService, startLakeService } from './lake-service.ts'
import { median } from './percentile.ts'

/**
 * `npm run bench -- dashboard`: how long a person waits for the dashboard of a project with a month of
 * traffic, in Chromium, at the full speed of the processor and at a quarter of it. A cold page: an empty
 * cache, until the first headline number and until every panel is drawn. A click on each view of the
 * navigation: until its panels are drawn, the first time and again. Also the rounds of requests, which wait
 * for one another, and the bytes of script with gzip. The service and the browser share the
 * processor; its time is printed too, because other load does not change it much.
 *
 * - `--events 1M`: events of the project
 * - `--repeat 5`: cold pages, and rounds of clicks
 */

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '1M' }, repeat: { type: 'string', default: '5' } },
})
const repeat = Number(options.repeat)

const PAUSE_MS = 1_500
/** Runs in the page before its scripts: notes when a view was first seen, and when it was whole. */
const WATCH = `(() => {
  const seen = { from: 0, title: null, number: null, whole: null }
  window.seen = seen
  const look = () => {
    const main = document.querySelector('main')
    if (!main || (seen.title !== null && document.querySelector('h1')?.textContent !== seen.title)) return
    if (seen.number === null && main.querySelector('.num')) note('number')
    if (seen.whole === null && main.children.length > 0 && !main.querySelector('.skeleton')) note('whole')
  }
  // The time of the frame that shows it.
  const note = name => {
    seen[name] = -1
    requestAnimationFrame(() => setTimeout(() => { seen[name] = performance.now() - seen.from }))
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
  addEventListener('click', event => {
    const link = event.target.closest?.('#views a')
    if (!link) return
    Object.assign(seen, { from: event.timeStamp, title: link.textContent, number: null, whole: null })
    performance.clearResourceTimings()
  }, true)
})()`

/** The longest chain of calls of which each began after the one before had ended. */
const ROUNDS = `(() => {
  const calls = performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType === 'fetch')
    .sort((a, b) => a.startTime - b.startTime)
  const rounds = []
  calls.forEach((call, i) => {
    const before = calls.slice(0, i).map((other, j) => other.responseEnd <= call.startTime ? rounds[j] : 0)
    rounds.push(1 + Math.max(0, ...before))
  })
  return { calls: calls.length, rounds: Math.max(0, ...rounds) }
})()`

type Seen = { number: number; whole: number; calls: number; rounds: number }

async function seen(page: Page): Promise<Seen> {
  await page.waitForFunction(() => {
    const { number, whole } = (globalThis as unknown as { seen: Seen }).seen
    return whole > 0 && number !== -1
  })
  const { number, whole } = await page.evaluate<{ number: number; whole: number }>('seen')
  return { number, whole, ...(await page.evaluate<{ calls: number; rounds: number }>(ROUNDS)) }
}

const service = await startLakeService(
  await cachedLake({ events: parseCount(options.events), projects: 20, eventsWithIds: 0 }),
)
const browser = await launchChromium()
try {
  await printSizes()
  const cookie = await signIn(service)
  for (const slowdown of [1, 4]) await measure(browser, cookie, slowdown)
} finally {
  await browser.close()
  await service.stop()
}

async function printSizes(): Promise<void> {
  const { files, entry } = await buildDashboard()
  const kb = (names: readonly string[]) => {
    const bytes = names.map(name => gzipSync(files[name]?.text ?? '', { level: 9 }).length)
    return `${(bytes.reduce((sum, each) => sum + each, 0) / 1_024).toFixed(1)} KB`
  }
  const all = Object.keys(files).filter(name => name.endsWith('.js'))
  console.log(
    `script with gzip: overview ${kb([entry.script, ...(entry.views.overview ?? [])])}, all ${kb(all)}`,
  )
}

/** The cookie of the owner, by the setup link. */
async function signIn({ baseUrl, setupPath }: LakeService): Promise<string> {
  const headers = { Origin: baseUrl, Accept: 'text/html' }
  const response = await fetch(baseUrl + setupPath, { method: 'POST', redirect: 'manual', headers })
  const cookie = response.headers.getSetCookie().find(each => each.includes('session'))
  if (cookie === undefined) throw new Error(`The setup link gave status ${response.status}.`)
  return cookie.split(';')[0] as string
}

async function measure(chromium: Browser, cookie: string, slowdown: number): Promise<void> {
  console.log(`\nprocessor at 1/${slowdown}; ms: the median and the longest of ${repeat}`)
  const cold: Seen[] = []
  const processorMs: number[] = []
  const clicks = new Map<string, { first: Seen[]; again: Seen[] }>()
  for (let i = 0; i < repeat; i++) {
    const before = service.processorMs()
    const page = await openPage(chromium, cookie, slowdown)
    cold.push(await seen(page))
    processorMs.push(service.processorMs() - before)
    const titles = await page.locator('#views a[href^="/app/p/"]').allInnerTexts()
    for (const turn of ['first', 'again'] as const) {
      // The cold page is the overview, so that comes last.
      for (const title of titles.toSorted((a, b) => Number(a === 'Overview') - Number(b === 'Overview'))) {
        const known = clicks.get(title) ?? { first: [], again: [] }
        clicks.set(title, known)
        known[turn].push(await click(page, title))
      }
    }
    await page.context().close()
  }
  print('cold page, first number', cold, each => each.number)
  print('cold page, whole', cold, each => each.whole)
  console.log(`the service used ${median(processorMs)} ms of processor time for a cold page`)
  for (const [title, { first, again }] of clicks) {
    // The overview is the cold page itself.
    if (title !== 'Overview') print(`click on ${title}`, first, each => each.whole)
    print(`click on ${title} again`, again, each => each.whole)
  }
}

async function openPage(chromium: Browser, cookie: string, slowdown: number): Promise<Page> {
  const { baseUrl } = service
  const context = await chromium.newContext({ viewport: { width: 1_440, height: 900 }, baseURL: baseUrl })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: baseUrl }])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(WATCH)
  await page.goto('/app/p/demo')
  return page
}

async function click(page: Page, title: string): Promise<Seen> {
  // The scripts of the other views come while nobody does anything, and nobody clicks so fast.
  await sleep(PAUSE_MS)
  await page.locator('#views').getByRole('link', { name: title, exact: true }).click()
  return await seen(page)
}

function print(name: string, measured: readonly Seen[], timeOf: (each: Seen) => number): void {
  const times = measured.map(timeOf)
  const longest = Math.max(...times)
  const { calls = 0, rounds = 0 } = measured.at(-1) ?? {}
  console.log(
    `${name.padEnd(30)} ${median(times).toFixed(0).padStart(6)} ${longest.toFixed(0).padStart(6)}   ${calls} calls in ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
  )
}
