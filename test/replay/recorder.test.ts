import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { openPage, recorderScript, SETTINGS, startRecording } from './recorded-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const HTML = '<!doctype html><title>Shop</title><h1>Blue shoes</h1><p id="text">Text</p>'
const { limits } = SETTINGS

test('the recorder is below 40 KB with gzip', async () => {
  expect(gzipSync(await recorderScript(), { level: 9 }).length).toBeLessThan(40_000)
})

test('a recording begins with the address and a snapshot, goes on with changes, and ends when it is stopped', async () => {
  const page = await openPage(browser, HTML, '/shop?user=ada#cart')
  const recording = await startRecording(page)
  await page.evaluate(() => {
    document.getElementById('text')!.textContent = 'Sold out'
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('Sold out'))
  await recording.stop()
  await page.evaluate(() => {
    document.getElementById('text')!.textContent = 'After the end'
  })
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)))
  const { events, ends } = await recording.recorded()
  const [meta, snapshot] = events.map(event => JSON.parse(event))
  expect(meta).toMatchObject({ type: 4, data: { href: 'http://shop.test/shop?user=', width: 1280 } })
  expect(snapshot.type).toBe(2)
  expect(events.join()).toContain('Blue shoes')
  expect(events.join()).not.toContain('After the end')
  expect(ends).toEqual(['stopped'])
  await page.context().close()
})

test.each([
  [
    'bytes',
    { maxBytes: 5000 },
    'too_many_bytes',
    () => {
      document.getElementById('text')!.textContent = 'word '.repeat(2000)
    },
  ],
  ['time', { maxDurationMs: 200 }, 'too_long', () => {}],
  ['nodes', { maxNodes: 3 }, 'too_many_nodes', () => {}],
])('a recording ends at its limit of %s, and says so once', async (_, limit, reason, change) => {
  const page = await openPage(browser, HTML)
  const recording = await startRecording(page, { limits: { ...limits, ...limit } })
  await page.evaluate(change)
  await eventually(async () => expect((await recording.recorded()).ends).toEqual([reason]))
  const { events } = await recording.recorded()
  expect(events.join('').length).toBeLessThanOrEqual('maxBytes' in limit ? limit.maxBytes : limits.maxBytes)
  if (reason === 'too_many_nodes') expect(events).toEqual([])
  await page.evaluate(() => document.body.append('more'))
  await recording.stop()
  expect((await recording.recorded()).ends).toEqual([reason])
  await page.context().close()
})

test.each(['maskSelectors', 'blockSelectors', 'ignoreSelectors'] as const)(
  'a selector of %s that the browser does not know throws before anything is recorded',
  async name => {
    const page = await openPage(browser, HTML)
    await expect(startRecording(page, { [name]: ['p', '[['] })).rejects.toThrow(/not a valid selector/)
    await page.context().close()
  },
)

test('an ignored field emits no input, and a field emits the same mask for every length', async () => {
  const page = await openPage(
    browser,
    '<!doctype html><input id="a"><input id="b" data-aa-ignore><input id="c" class="mine">',
  )
  const recording = await startRecording(page, { ignoreSelectors: ['.mine'] })
  await page.fill('#b', 'ignored')
  await page.fill('#c', 'ignored')
  await page.fill('#a', 'x')
  await page.fill('#a', 'a much longer text')
  await page.fill('#a', '')
  const inputs = async () =>
    (await recording.recorded()).events
      .map(event => JSON.parse(event))
      .flatMap(({ type, data }) => (type === 3 && data.source === 5 ? [data.text] : []))
  await eventually(async () => expect(await inputs()).toEqual(['•••••', '•••••', '']))
  await page.context().close()
})

test('pixels and media are not recorded: of a canvas, a video and an audio only the place is', async () => {
  const page = await openPage(
    browser,
    '<!doctype html><canvas id="c" title="drawing"></canvas><video src="/film.mp4"></video><audio src="/talk.mp3"></audio>',
  )
  const recording = await startRecording(page)
  await page.evaluate(() => {
    const canvas = document.getElementById('c') as HTMLCanvasElement
    canvas.getContext('2d')!.fillText('Ada', 10, 10)
    document.body.append('end')
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('end'))
  const all = (await recording.recorded()).events.join()
  expect(all).toContain('"rr_width":"300px"')
  expect(all).not.toMatch(/dataURL|film|talk|drawing/)
  await page.context().close()
})

test('what a user types is masked where the page shows it at once, before rrweb hears of it, and where it was typed into an editable text', async () => {
  const page = await openPage(
    browser,
    `<!doctype html><input id="name"><div id="note" contenteditable></div><p id="echo">-</p><ul id="log"></ul><script>
    addEventListener('input', event => {
      document.getElementById('echo').textContent = event.target.value ?? event.target.textContent
    }, true)
    document.getElementById('note').addEventListener('keydown', event => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      document.getElementById('log').innerHTML += '<li>You: ' + event.target.textContent + '</li>'
      event.target.textContent = ''
    })</script>`,
  )
  const recording = await startRecording(page)
  await page.fill('#name', 'Ada Lovelace')
  await page.locator('#note').pressSequentially('Meet Grace Hopper')
  await page.locator('#note').press('Enter')
  await page.evaluate(() => document.body.append('end'))
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('end'))
  const all = (await recording.recorded()).events.join()
  expect(await page.textContent('#log')).toBe('You: Meet Grace Hopper')
  expect(all).toContain('You: ')
  expect(all).not.toMatch(/Ada|Lovelace|Grace|Hopper/)
  await page.context().close()
})

test('an element that becomes editable, or is masked later, is masked from then on', async () => {
  const page = await openPage(browser, '<!doctype html><p id="a">first</p><p id="b">first</p>')
  const recording = await startRecording(page)
  await page.evaluate(async () => {
    const [a, b] = ['a', 'b'].map(id => document.getElementById(id)!)
    a!.contentEditable = 'true'
    b!.setAttribute('data-aa-mask', '')
    await new Promise(resolve => setTimeout(resolve))
    a!.firstChild!.textContent = 'Ada Lovelace'
    b!.innerHTML = '<b>Grace Hopper</b>'
    document.body.append('end')
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('end'))
  expect((await recording.recorded()).events.join()).not.toMatch(/Ada|Grace/)
  await page.context().close()
})
