import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPage } from '#scanner/read/read-page'
import { readSite } from '#scanner/read/read-site'
import { CORPUS } from '#test/scans/corpus/corpus'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import { type ServedCorpus, serveCorpus } from '#test/scans/corpus/serve-corpus'
import { sharedBrowser } from '#test/support/browser'

/** The selectors of all actions of the corpus, in a real browser. */

let browser: Browser
let served: ServedCorpus

beforeAll(async () => {
  served = await serveCorpus(CORPUS)
  browser = await sharedBrowser()
})

afterAll(async () => {
  await served?.close()
})

/** Chromium lays out 400,000 elements within each other for minutes. Their selector is an id. */
const SKIPPED = new Set(['matryoshka'])
/** Actions of one page that are looked up. */
const MAX_ACTIONS = 60

const sites = CORPUS.filter(({ name }) => !SKIPPED.has(name)).map(site => ({
  name: site.name,
  actions: readSite(fetchedPages(site)).actions.slice(0, MAX_ACTIONS),
}))

test('the corpus has more than a hundred actions with selectors', () => {
  expect(sites.flatMap(({ actions }) => actions).length).toBeGreaterThan(140)
})

test.each(sites.filter(({ actions }) => actions.length > 0))(
  'each selector matches the one element with its words on $name',
  async ({ name, actions }) => {
    const page = await browser.newPage()
    try {
      for (const [path, own] of Map.groupBy(actions, each => each.page)) {
        await page.goto(served.urlOf(name, path), { waitUntil: 'domcontentloaded' })
        const found = await lookUp(
          page,
          own.map(({ selector }) => selector),
        )
        for (const [i, { selector, words }] of own.entries()) {
          expect(found[i]?.count, selector).toBe(1)
          expect(found[i]?.words, selector).toContain(words.slice(0, 20).trim())
        }
      }
    } finally {
      await page.close()
    }
  },
)

test('elements without a name of their own are found by their place', async () => {
  const rows = Array.from({ length: 5 }, (_, i) => `<tr><td>${i}<td><a href="#">Order ${i}</a>`).join('')
  const items = Array.from({ length: 5 }, (_, i) => `<li><p>${i}<div><a href="#">Book ${i}</a></div>`).join(
    '',
  )
  const html = `<p>Open<table>${rows}</table><div><ul>${items}</ul></div><div><button>Buy a</button><button>Buy b</button></div>`
  const url = 'https://places.test/'
  const { actions } = readPage({
    url,
    finalUrl: url,
    status: 200,
    contentType: 'text/html',
    html,
    rendered: false,
  })
  expect(actions.length).toBe(12)
  const page = await browser.newPage()
  try {
    await page.setContent(html)
    const found = await lookUp(
      page,
      actions.map(({ selector }) => selector),
    )
    expect(found).toEqual(actions.map(({ words }) => ({ count: 1, words: `${words}   ` })))
  } finally {
    await page.close()
  }
})

/** How many elements each selector matches, and the words of the first one. */
function lookUp(page: Page, selectors: readonly string[]): Promise<{ count: number; words: string }[]> {
  return page.evaluate(`${JSON.stringify(selectors)}.map(selector => {
    const elements = [...document.querySelectorAll(selector)]
    const words = [elements[0]?.textContent, elements[0]?.getAttribute('aria-label'), elements[0]?.getAttribute('value'), elements[0]?.getAttribute('title')]
    return { count: elements.length, words: words.join(' ') }
  })`)
}
