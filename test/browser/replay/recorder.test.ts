import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { openPage, recorderScript, SETTINGS, startRecording } from './recorded-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

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
  await page.evaluate(async () => {
    // The browser calls observers in the order of their creation, so this one is told last.
    const text = document.getElementById('text')!
    const told = new Promise(resolve => new MutationObserver(resolve).observe(text, { childList: true }))
    text.textContent = 'After the end'
    await told
  })
  const { events, ends } = await recording.recorded()
  const [meta, snapshot] = events.map(event => JSON.parse(event))
  expect(meta).toMatchObject({ type: 4, data: { href: 'http://shop.test/shop?user=', width: 1280 } })
  expect(snapshot.type).toBe(2)
  expect(events.join()).toContain('Blue shoes')
  expect(events.join()).not.toContain('After the end')
  expect(ends).toEqual(['stopped'])
  await page.context().close()
})

test('a new address without a new page is recorded with the first change after it, without its values', async () => {
  const page = await openPage(browser, HTML, '/shop')
  const recording = await startRecording(page)
  await page.evaluate(async () => {
    const change = async (path: string) => {
      history.pushState({}, '', path)
      document.getElementById('text')!.textContent = path.split('?')[0]!
      await new Promise(resolve => setTimeout(resolve))
    }
    await change('/cart?coupon=Zorvath')
    document.body.append('no new address')
    await change('/paid')
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('/paid'))
  const events = (await recording.recorded()).events.map(event => JSON.parse(event))
  expect(events.flatMap(({ type, data }) => (type === 4 ? [data] : []))).toEqual(
    ['/shop', '/cart?coupon=', '/paid'].map(path =>
      expect.objectContaining({ href: `http://shop.test${path}`, width: 1280, height: 720 }),
    ),
  )
  expect(JSON.stringify(events)).not.toContain('Zorvath')
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
  expect(events.join('').length).toBeLessThanOrEqual(
    'maxBytes' in limit ? limit.maxBytes + 200 : limits.maxBytes,
  )
  expect(JSON.parse(events.at(-1)!)).toMatchObject({ type: 5, data: { tag: 'aa-end', payload: { reason } } })
  if (reason === 'too_many_nodes') expect(events).toHaveLength(1)
  await page.evaluate(() => document.body.append('more'))
  await recording.stop()
  expect((await recording.recorded()).ends).toEqual([reason])
  await page.context().close()
})

test('a flood of changes is left out after the burst, and a snapshot shows the page when it has ended', async () => {
  const page = await openPage(browser, '<!doctype html><p id="text">Text</p><input id="field">')
  const recording = await startRecording(page, {
    limits: { ...limits, burstBytes: 50_000, bytesPerSecond: 50_000 },
  })
  await eventually(async () =>
    expect((await recording.recorded()).events.join()).toContain('"tagName":"input"'),
  )
  const changes = await page.evaluate(async () => {
    const text = document.getElementById('text')!
    const field = document.getElementById('field') as HTMLInputElement
    const { recorded } = globalThis as unknown as { recorded: { events: string[] } }
    const hasGap = () => recorded.events.some(event => event.includes('aa-gap'))
    let at = 0
    // Changes of a busy page may be recorded as one, so their number says nothing. Each has the half of a
    // burst.
    for (; !hasGap(); at++) {
      text.textContent = `flood ${at} ${'word '.repeat(5000)}`
      await new Promise(resolve => setTimeout(resolve))
    }
    // No timer ends the gap before this task ends.
    text.textContent = `left out ${'word '.repeat(5000)}`
    await null
    field.value = 'Ada Lovelace'
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.value = ''
    text.textContent = 'after the flood, Ada Lovelace'
    return at
  })
  await eventually(async () =>
    expect((await recording.recorded()).events.join()).toContain('after the flood'),
  )
  const events = (await recording.recorded()).events.map(event => JSON.parse(event))
  expect(events.map(({ type, data }) => data.tag ?? type).filter(type => type !== 3)).toEqual([
    4,
    2,
    'aa-gap',
    4,
    2,
  ])
  expect(JSON.stringify(events)).not.toContain('Ada')
  const recordedChanges = events.filter(event => JSON.stringify(event).includes('flood ')).length
  expect(recordedChanges).toBeLessThan(changes)
  expect(JSON.stringify(events)).not.toContain('left out')
  // On a busy machine a snapshot has parts, which come as changes after it.
  const lastSnapshot = events.slice(events.findLastIndex(({ type }) => type === 2))
  expect(JSON.stringify(lastSnapshot)).toContain('after the flood')
  await page.evaluate(() => {
    document.getElementById('text')!.textContent = 'recorded again'
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('recorded again'))
  expect((await recording.recorded()).ends).toEqual([])
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

test('code in a short page is no part of a secret, so the texts beside it stay, also when they change', async () => {
  const page = await openPage(
    browser,
    '<!doctype html><h1 id="a">Blue shoes</h1><p>In stock</p><script>cart2ItemsOfShop = []</script>',
  )
  const recording = await startRecording(page)
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('Blue shoes'))
  await page.evaluate(() => {
    document.getElementById('a')!.firstChild!.textContent = 'Red shoes'
    document.body.append('end')
  })
  await eventually(async () => expect((await recording.recorded()).events.join()).toContain('end'))
  const all = (await recording.recorded()).events.join()
  for (const shown of ['Blue shoes', 'In stock', 'Red shoes']) expect(all).toContain(shown)
  expect(all).not.toContain('cart2Items')
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
