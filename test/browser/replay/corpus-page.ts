import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createCorpus, type Secret } from './corpus.ts'

/** A page that shows the corpus, and a user who types it. */

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

export const corpus = createCorpus().map((secret, index) => {
  const [container, time] = PLACES[index % PLACES.length]!
  return { ...secret, container, time, index }
})
type Placed = (typeof corpus)[number]

const htmlOf = (container: string) =>
  corpus
    .filter(secret => secret.container === container && secret.time === 'first')
    .map(({ html }) => html)
    .join('\n')

/** The page before its script has filled the shadow tree and the frame. */
export const CORPUS_PAGE = {
  html: `<!doctype html><html><head><title>Account of ${titled()}</title></head>
    <body>${htmlOf('body')}<div id="host"></div><iframe id="frame" src="/frame"></iframe></body></html>`,
  path: `/shop?user=${titled()}`,
}

function titled(): string {
  return corpus.find(({ kind }) => kind === 'placeholder')!.text
}

/** Fills the shadow tree and the frame. */
export async function fillCorpusPage(page: Page): Promise<void> {
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
}

/** Adds elements one after the other, or adds each empty and then gives it its attributes and texts. */
async function place(page: Page, secrets: readonly Placed[]) {
  await page.evaluate(
    async secrets => {
      for (const secret of secrets) {
        await placeOne(secret)
        await new Promise(resolve => setTimeout(resolve))
      }

      async function placeOne({ html, container, time }: Pick<Placed, 'html' | 'container' | 'time'>) {
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
      }
    },
    secrets.map(({ html, container, time }) => ({ html, container, time })),
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
export async function useCorpus(page: Page) {
  await place(
    page,
    corpus.filter(({ time }) => time !== 'first'),
  )
  for (const secret of corpus) if (secret.field) await type(page, secret)
  await page.evaluate(text => {
    document.title = `Order of ${text}`
    history.pushState({}, '', `/order?user=${text}`)
  }, corpus[0]!.text)
  await page.evaluate(() => {
    const inner = (document.getElementById('frame') as HTMLIFrameElement).contentDocument!
    const roots = {
      body: document.body,
      shadow: document.getElementById('host')!.shadowRoot!,
      frame: inner.body,
    }
    for (const [name, root] of Object.entries(roots)) {
      const mark = root.ownerDocument.createElement('p')
      mark.className = `end-of-${name}`
      root.append(mark)
    }
  })
}

/** Expects what is added last to the page, its shadow tree and its frame: all before it was recorded, too. */
export function expectWholeCorpus(recorded: string): void {
  for (const name of ['body', 'shadow', 'frame']) expect(recorded).toContain(`end-of-${name}`)
}

const plain = (text: string) => text.replace(/[\s.()+-]/g, '').toLowerCase()

/** Returns the secrets that are in a text: as they are, encoded, or with other separators. */
export function findLeaks(haystack: string): Secret[] {
  const plainHaystack = plain(haystack)
  return corpus.filter(({ kind, text }) => {
    if (kind === 'card in parts') return text.split(/[ -]/).every(part => haystack.includes(`"${part}"`))
    const forms = [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]
    return forms.some(form => haystack.includes(form)) || plainHaystack.includes(plain(text))
  })
}
