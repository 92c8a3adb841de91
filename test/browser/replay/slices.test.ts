import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { playPage, showPage } from './played-page.ts'
import { openPage, SETTINGS, startRecording, untilWhole } from './recorded-page.ts'

/** A large page is recorded in many short tasks, while it changes. */

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

function table(rows: number): string {
  const cells = (at: number) => `<td>Row ${at}</td><td><b>blue</b> and <i>red</i></td><td>end</td>`
  return `<!doctype html><style>td { color: red }</style><table><tbody>${Array.from({ length: rows }, (_, at) => `<tr>${cells(at)}</tr>`).join('')}</tbody></table>`
}

const LIMITS = { ...SETTINGS.limits, maxNodes: 100_000, burstBytes: 50_000_000 }

async function playsAsItIs(page: Page, recording: Awaited<ReturnType<typeof startRecording>>) {
  await untilWhole(page)
  await eventually(async () => {
    const { events } = await recording.recorded()
    expect(playPage(events.map(event => JSON.parse(event)))).toBe(await showPage(page))
  })
}

test('a table of 20,000 elements is recorded whole in many parts, and the first part is small', async () => {
  const page = await openPage(browser, table(3_400))
  const recording = await startRecording(page, { limits: LIMITS })
  await playsAsItIs(page, recording)
  const { events, ends } = await recording.recorded()
  expect(ends).toEqual([])
  const [snapshot] = events.filter(event => event.startsWith('{"type":2'))
  expect(snapshot!.split('"id":').length).toBeLessThan(250)
  expect(events.filter(event => event.startsWith('{"type":3')).length).toBeGreaterThan(20)
  await page.context().close()
})

test.each([7, 11, 42])(
  'a page that changes while it is recorded in parts plays as it is: nodes come, go, move and change their text (%i)',
  async seed => {
    const page = await openPage(browser, table(600))
    const recording = await startRecording(page, { limits: LIMITS })
    await page.evaluate(async seed => {
      let state = seed
      const random = (below: number) => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return Math.floor(state / 65_536) % below
      }
      const body = document.querySelector('tbody')!
      for (let at = 0; at < 150; at++) {
        const rows = body.children
        const row = rows[random(rows.length)]!
        const other = rows[random(rows.length)]!
        const changes = [
          () => row.remove(),
          () => other.before(row),
          () => body.append(row),
          () => other.insertAdjacentHTML('afterend', `<tr><td>New ${at} <u>one</u></td></tr>`),
          () => row.querySelector('td')!.append(other.querySelector('td') ?? '-'),
          () => {
            row.querySelector('td')!.firstChild!.textContent = `Changed ${at}`
          },
          () => {
            row.innerHTML = `<td>Anew ${at}</td><td><s>and</s></td>`
          },
          () => document.body.append(row),
        ]
        changes[random(changes.length)]!()
        if (at % 3 === 0) await new Promise(resolve => setTimeout(resolve))
      }
    }, seed)
    await playsAsItIs(page, recording)
    await page.context().close()
  },
)

test('a page that changes and is used while its parts come is whole in its first picture, and what the user does keeps its time', async () => {
  const page = await openPage(browser, table(150))
  await page.evaluate(() => {
    const recorder = globalThis as unknown as { recorded?: { flushes: number } }
    let at = 0
    const timer = setInterval(() => {
      if ((recorder.recorded?.flushes ?? 0) >= 2) return clearInterval(timer)
      document.querySelector('td')!.firstChild!.textContent = `Changed ${at++}`
      document.querySelector('tbody')!.append(document.querySelector('tr:nth-child(2)')!)
      document.body.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    })
  })
  const recording = await startRecording(page, { limits: LIMITS })
  await playsAsItIs(page, recording)
  const events = (await recording.recorded()).events.map(event => JSON.parse(event))
  const { timestamp } = events.find(({ type }) => type === 2)!
  const picture = events.filter(event => event.timestamp <= timestamp)
  expect(playPage(picture)).toBe(await showPage(page))
  const times = events.map(event => event.timestamp)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)).toBeGreaterThan(timestamp)
  await page.context().close()
})

test('what a page adds at once is recorded in parts too, also in a shadow tree and in a frame', async () => {
  const page = await openPage(
    browser,
    '<!doctype html><div id="list"></div><div id="host"></div><iframe id="frame"></iframe>',
  )
  await page.evaluate(() => document.getElementById('host')!.attachShadow({ mode: 'open' }))
  const recording = await startRecording(page, { limits: LIMITS })
  await page.evaluate(() => {
    const html = Array.from({ length: 1_000 }, (_, at) => `<p>${at}<b>bold</b></p>`).join('')
    const frame = document.getElementById('frame') as HTMLIFrameElement
    document.getElementById('list')!.innerHTML = html
    document.getElementById('host')!.shadowRoot!.innerHTML = html
    frame.contentDocument!.body.innerHTML = html
  })
  await playsAsItIs(page, recording)
  const { events } = await recording.recorded()
  const longest = Math.max(...events.map(event => event.split('"id":').length))
  expect(longest).toBeLessThan(1_500)
  await page.context().close()
})

test('frames that load at the same moment are recorded whole, though a task records only some nodes', async () => {
  const page = await openPage(browser, '<!doctype html><main></main>')
  const recording = await startRecording(page, { limits: LIMITS })
  await page.evaluate(() => {
    for (let at = 0; at < 40; at++) {
      const frame = document.createElement('iframe')
      document.querySelector('main')!.append(frame)
      frame.contentDocument!.body.innerHTML = '<p>shown</p>'.repeat(20)
    }
  })
  await playsAsItIs(page, recording)
  await page.context().close()
})

test('a frame whose first texts look like a secret stays readable, because all its texts do not', async () => {
  const page = await openPage(browser, '<!doctype html><main></main>')
  const recording = await startRecording(page, { limits: LIMITS })
  // The frames are recorded in many tasks. Some tasks end after the first few texts of a frame.
  await page.evaluate(() => {
    const html = Array.from({ length: 100 }, (_, at) => `<p>${at}<b>bold</b></p>`).join('')
    for (let at = 0; at < 40; at++) {
      const frame = document.createElement('iframe')
      document.querySelector('main')!.append(frame)
      frame.contentDocument!.body.innerHTML = html
    }
  })
  await playsAsItIs(page, recording)
  await page.context().close()
})

test.each([
  ['a page', (html: string) => html],
  ['a frame', (html: string) => `<iframe srcdoc="${html.replaceAll('"', '&quot;')}"></iframe>`],
])(
  'in %s a secret in parts is masked where a part of it is recorded first, and a text that a later field holds',
  async (_, placed) => {
    const filler = Array.from({ length: 95 }, () => '<i></i>').join('')
    const parts = '<p><b>4111</b><b>2222</b><b>3333</b><b>4444</b></p>'
    const html = `<h1>Hello Zorvath Quillon</h1>${parts}${filler}${parts.repeat(80)}<input value="Zorvath Quillon">`
    const page = await openPage(browser, `<!doctype html>${placed(html)}`)
    const recording = await startRecording(page, { limits: LIMITS })
    await eventually(async () =>
      expect((await recording.recorded()).events.join()).toContain('"tagName":"input"'),
    )
    const all = (await recording.recorded()).events.join()
    expect(all).toContain('"tagName":"h1"')
    expect(all).not.toMatch(/"(4111|2222|3333|4444)"|Zorvath|Quillon/)
    await page.context().close()
  },
)
