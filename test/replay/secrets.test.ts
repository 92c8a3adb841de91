import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { createCorpus, type Secret } from './corpus.ts'
import { openPage, recorderScript, startRecording } from './recorded-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

/** Where and when a page gets the eight secrets of a kind. */
const PLACES = [
  ['body', 'first'],
  ['body', 'added'],
  ['body', 'first'],
  ['body', 'changed'],
  ['shadow', 'first'],
  ['shadow', 'added'],
  ['frame', 'first'],
  ['frame', 'changed'],
] as const

const corpus = createCorpus().map((secret, index) => {
  const [container, time] = PLACES[index % PLACES.length]!
  return { ...secret, container, time, index }
})
type Placed = (typeof corpus)[number]

const htmlOf = (container: string) =>
  corpus
    .filter(secret => secret.container === container && secret.time === 'first')
    .map(({ html }) => html)
    .join('\n')

async function openCorpusPage(): Promise<Page> {
  const titled = corpus.find(({ kind }) => kind === 'placeholder')!
  const page = await openPage(
    browser,
    `<!doctype html><title>Account of ${titled.text}</title>
    <body>${htmlOf('body')}<div id="host"></div><iframe id="frame" src="/frame"></iframe></body>`,
    `/shop?user=${titled.text}`,
  )
  await page.evaluate(
    ([shadow, frame]) => {
      document.getElementById('host')!.attachShadow({ mode: 'open' }).innerHTML = shadow!
      const inner = (document.getElementById('frame') as HTMLIFrameElement).contentDocument!
      inner.open()
      inner.write(`<!doctype html><body>${frame}</body>`)
      inner.close()
    },
    [htmlOf('shadow'), htmlOf('frame')],
  )
  return page
}

/** Adds an element, or adds it empty and then gives it its attributes and texts. */
async function place(page: Page, { html, container, time }: Placed) {
  await page.evaluate(
    async ({ html, container, time }) => {
      const roots = {
        body: () => document.body,
        shadow: () => document.getElementById('host')!.shadowRoot!,
        frame: () => (document.getElementById('frame') as HTMLIFrameElement).contentDocument!.body,
      }
      const root = roots[container]()
      const holder = root.ownerDocument.createElement('div')
      holder.innerHTML = html
      if (time === 'added') {
        root.append(...holder.childNodes)
        return
      }
      const full = holder.cloneNode(true) as Element
      const KEPT = /^(id|type|contenteditable|class|data-aa-.*)$/
      const nodes = (from: Node) => {
        const walker = document.createTreeWalker(from)
        const all: Node[] = []
        while (walker.nextNode()) all.push(walker.currentNode)
        return all
      }
      const live = nodes(holder)
      for (const node of live) {
        if (node.nodeType !== 1) node.textContent = '.'
        else
          for (const name of (node as Element).getAttributeNames())
            if (!KEPT.test(name)) (node as Element).removeAttribute(name)
      }
      root.append(...holder.childNodes)
      await new Promise(resolve => setTimeout(resolve))
      for (const [at, node] of nodes(full).entries()) {
        const target = live[at]!
        if (node.nodeType !== 1) target.textContent = node.textContent
        else
          for (const name of (node as Element).getAttributeNames())
            (target as Element).setAttribute(name, (node as Element).getAttribute(name)!)
      }
    },
    { html, container, time },
  )
}

/** Types with the keyboard, or pastes at once. */
async function type(page: Page, { field, text, container, index }: Placed) {
  const scope = container === 'frame' ? page.frameLocator('#frame') : page
  const locator = scope.locator(field!)
  if (index % PLACES.length === 0) await locator.pressSequentially(text)
  else await locator.fill(text)
}

/** Shows, adds, changes and types all secrets. */
async function useCorpus(page: Page) {
  for (const secret of corpus) if (secret.time !== 'first') await place(page, secret)
  for (const secret of corpus) if (secret.field) await type(page, secret)
  await page.evaluate(text => {
    document.title = `Order of ${text}`
    history.pushState({}, '', `/order?user=${text}`)
  }, corpus[0]!.text)
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 300)))
}

const plain = (text: string) => text.replace(/[\s.()+-]/g, '').toLowerCase()

/** Returns the secrets that are in the events: as they are, encoded, or with other separators. */
function findLeaks(events: string): Secret[] {
  const haystack = plain(events)
  return corpus.filter(({ kind, text }) => {
    if (kind === 'card in parts') return text.split(/[ -]/).every(part => events.includes(`"${part}"`))
    const forms = [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]
    return forms.some(form => events.includes(form)) || haystack.includes(plain(text))
  })
}

test('the corpus has 200 different secrets of 25 kinds', () => {
  expect(new Set(corpus.map(({ text }) => text)).size).toBe(200)
  expect(new Set(corpus.map(({ kind }) => kind)).size).toBe(25)
})

test.each(['inputs', 'text'] as const)(
  'with the preset %s none of 200 typed, shown, added or changed secrets is in what the recorder emits',
  async preset => {
    const page = await openCorpusPage()
    const recording = await startRecording(page, { preset })
    // The frame is recorded a moment after the page.
    await eventually(async () =>
      expect((await recording.recorded()).events.join()).toContain('"isAttachIframe":true'),
    )
    await useCorpus(page)
    const { events, ends } = await recording.recorded()
    expect(ends).toEqual([])
    const leaks = findLeaks(events.join('\n'))
    expect(leaks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([])
    // What is shown without a secret stays, so that the recording is of use.
    expect(events.join().includes('Write to')).toBe(preset === 'inputs')
    await page.context().close()
  },
)

test('the library alone with its masking of all inputs emits most of the secrets, so the search finds what is there', async () => {
  const page = await openCorpusPage()
  await page.evaluate(await recorderScript('library'))
  await page.evaluate(() => {
    const events: string[] = []
    const { record } = (globalThis as unknown as { recorder: typeof import('@rrweb/record') }).recorder
    record({ emit: event => events.push(JSON.stringify(event)), maskAllInputs: true })
    Object.assign(globalThis, { events })
  })
  await useCorpus(page)
  const events = await page.evaluate(() => (globalThis as unknown as { events: string[] }).events)
  const kinds = new Set(findLeaks(events.join('\n')).map(({ kind }) => kind))
  expect(findLeaks(events.join('\n')).length).toBeGreaterThan(120)
  expect(kinds).toContain('hidden value')
  expect(kinds).toContain('revealed password')
  await page.context().close()
})
