import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { type RecordingServer, startRecordingServer } from '#test/tracker/recording-server'
import { openPage, recorderScript, SETTINGS, startRecording, untilWhole } from './recorded-page.ts'
import { PAGES } from './untouched-pages.ts'

/**
 * Pages use what tracker and recorder wrap, once without them and once with both. What the calls return and
 * throw, the errors that nobody handles, and their order must be the same.
 */

/** Tabs that work at the same time. The machine has two cores. */
const TABS = 4

let server: RecordingServer
const results = new Map<string, [without: unknown[], withBoth: unknown[], events: number]>()

beforeAll(async () => {
  server = await startRecordingServer()
  const browser = await sharedBrowser()
  const recorder = await recorderScript()
  const context = await browser.newContext(HUMAN_BROWSER)
  await context.addInitScript(`
    window.log = []
    addEventListener('error', ({ message }) => log.push('uncaught ' + message))
    addEventListener('unhandledrejection', ({ reason }) => log.push('rejected ' + reason))`)
  const waiting = [...PAGES]
  const work = async () => {
    const tab = await context.newPage()
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, html = '', before = '', run } = next
      const path = `/${encodeURIComponent(name)}`
      const page = (head: string) =>
        `<!doctype html><script>${before}</script>${head}<title>Page</title><style id="style">.a { color: red } .b { color: blue }</style><div id="app"></div>${html}`
      server.setPage(page(''), path)
      await tab.goto(server.page(path))
      const without = await runIn(tab, run)
      const scripts = server.snippet(
        'data-track-spa="true" data-track-clicks="true" data-track-errors="true" data-track-forms="true"',
      )
      server.setPage(page(`${scripts}<script>${recorder}</script>`), path)
      await tab.goto(server.page(path))
      await record(tab)
      results.set(name, [without, await runIn(tab, run), await recordedEvents(tab)])
    }
  }
  await Promise.all(Array.from({ length: TABS }, work))
  await context.close()
})
afterAll(() => server?.close())

/** Starts the recorder as its script does, and waits until the page is known. */
async function record(tab: Page): Promise<void> {
  await tab.evaluate(settings => {
    const { recorder } = window as unknown as {
      recorder: typeof import('#replay/recorder/start-recorder')
    }
    Object.assign(window, { written: [] })
    return new Promise<void>(resolve => {
      let flushes = 0
      recorder.startRecorder(settings, {
        write: event => (window as unknown as { written: string[] }).written.push(event),
        flush: () => ++flushes === 2 && resolve(),
        end: () => resolve(),
      })
    })
  }, SETTINGS)
}

const recordedEvents = (tab: Page) =>
  tab.evaluate(() => (window as unknown as { written: string[] }).written.length)

/** Runs the code of a page, lets its tasks run, and returns what it has noted. */
async function runIn(tab: Page, run: string): Promise<unknown[]> {
  return tab.evaluate(async run => {
    const { log } = window as unknown as { log: unknown[] }
    const script = document.createElement('script')
    script.textContent = `
      const note = (what, call) => {
        try { const value = call(); log.push(what + ' = ' + show(value)); return value }
        catch (error) { log.push(what + ' throws ' + error.name) }
      }
      const show = value => typeof value === 'object' && value ? Object.prototype.toString.call(value) : String(value)
      window.done = (async () => { ${run} })().catch(error => log.push('fails ' + error.name))`
    document.body.append(script)
    await (window as unknown as { done: Promise<void> }).done
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setTimeout(resolve))
    return log
  }, run)
}

test('there are at least 30 pages, each notes something, and each was recorded', () => {
  expect(PAGES.length).toBeGreaterThanOrEqual(30)
  for (const { name } of PAGES) {
    const [without, , events] = results.get(name)!
    expect(without, name).not.toEqual([])
    expect(events, name).toBeGreaterThan(1)
  }
})

test.each(PAGES.map(({ name }) => name))('a page with %s is the same with both scripts', name => {
  const [without, withBoth] = results.get(name)!
  expect(withBoth).toEqual(without)
})

test('a page that adds more at once than may be recorded gets no error, and the recording goes on', async () => {
  const page = await openPage(await sharedBrowser(), '<!doctype html><title>Shop</title><div id="app"></div>')
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  const { limits } = SETTINGS
  const recording = await startRecording(page, {
    limits: { ...limits, burstBytes: 20_000, bytesPerSecond: 20_000 },
  })
  await untilWhole(page)
  await page.evaluate(() => {
    document.getElementById('app')!.innerHTML = `<p>${'x'.repeat(1_000)}</p>`.repeat(1_000)
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('aa-gap'))
  await eventually(async () => {
    const { events } = await recording.recorded()
    expect(events.filter(event => JSON.parse(event).type === 2).length).toBeGreaterThan(1)
  })
  expect(errors).toEqual([])
  await page.context().close()
})

/** Changes of a list of adopted style sheets, in their order, and what is adopted after each of them. */
const ADOPTIONS: [change: string, adopted: string[]][] = [
  [`list.push(sheet('one'))`, ['one']],
  [`list[1] = sheet('two')`, ['one', 'two']],
  [`list[0] = sheet('three')`, ['three', 'two']],
  [`list.splice(1, 1, sheet('four'), sheet('five'))`, ['three', 'four', 'five']],
  [`list.reverse()`, ['five', 'four', 'three']],
  [`list.pop()`, ['five', 'four']],
  [`list.length = 0`, []],
  [`host.adoptedStyleSheets = [sheet('six'), sheet('seven')]`, ['six', 'seven']],
  [`host.adoptedStyleSheets = host.adoptedStyleSheets.slice(1)`, ['seven']],
  [`host.adoptedStyleSheets = new Set([sheet('eight')])`, ['eight']],
  [`host.adoptedStyleSheets = []`, []],
]

test.each([
  ['a document', 'document'],
  ['a shadow tree', 'document.getElementById("host").shadowRoot'],
  ['a frame', 'document.getElementById("frame").contentDocument'],
  ['a shadow tree that came later', 'document.getElementById("late").shadowRoot'],
])('every change of the adopted style sheets of %s is recorded', async (_, host) => {
  const page = await openPage(
    await sharedBrowser(),
    '<!doctype html><title>Shop</title><div id="host"></div><iframe id="frame" srcdoc="<p>Frame</p>"></iframe>',
  )
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  await page.evaluate(
    host => {
      document.getElementById('host')!.attachShadow({ mode: 'open' }).append('x')
      // A page may keep the list from before the recorder.
      Object.assign(window, { list: new Function(`return ${host}?.adoptedStyleSheets`)() })
    },
    host.replace('("late")', '("late")?'),
  )
  const recording = await startRecording(page)
  await untilWhole(page)
  await page.evaluate(host => {
    document.body.insertAdjacentHTML('beforeend', '<div id="late"></div>')
    document.getElementById('late')!.attachShadow({ mode: 'open' }).append('y')
    const { list } = window as unknown as { list?: unknown }
    Object.assign(window, { list: list ?? new Function(`return ${host}.adoptedStyleSheets`)() })
  }, host)
  for (const [change, adopted] of ADOPTIONS) {
    const before = (await recording.recorded()).events.length
    await page.evaluate(
      ([change, host]) => {
        const { list } = window as unknown as { list: CSSStyleSheet[] }
        const sheet = (name: string) => {
          const owner = new Function(`return ${host}`)() as Document | ShadowRoot
          const window = (owner.ownerDocument ?? (owner as Document)).defaultView!
          const made = new (window as unknown as typeof globalThis).CSSStyleSheet()
          made.replaceSync(`.${name} { color: red }`)
          return made
        }
        new Function('list', 'host', 'sheet', change!)(list, new Function(`return ${host}`)(), sheet)
      },
      [change, host],
    )
    await eventually(async () => {
      const { events } = await recording.recorded()
      expect(events.length, change).toBeGreaterThan(before)
      expect(adoptedNames(events), change).toEqual(adopted)
    })
  }
  expect(errors).toEqual([])
  await page.context().close()
})

/** Returns the names of the sheets of the last list that was recorded. */
function adoptedNames(events: string[]): string[] {
  const names = new Map<number, string>()
  let last: number[] = []
  for (const event of events) {
    const { type, data } = JSON.parse(event)
    if (type !== 3 || data.source !== 15) continue
    for (const { styleId, rules } of data.styles ?? []) names.set(styleId, rules[0].rule.match(/\w+/)[0])
    last = data.styleIds
  }
  return last.map(id => names.get(id)!)
}
