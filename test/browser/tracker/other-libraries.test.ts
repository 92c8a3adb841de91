import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

/** Pages whose other scripts use the name `aa`, or change what scripts have in common. */

const site = useTestSite()

type Anything = { [name: string]: (...args: unknown[]) => unknown; (...args: unknown[]): unknown }
declare const window: { aa?: Anything; footfall?: Anything } & Record<string, unknown>

/** The part of Algolia's snippet that defines `aa`, then the real library where the snippet would load it. */
async function algolia() {
  const file = new URL('../../../node_modules/search-insights/dist/search-insights.min.js', import.meta.url)
  return `<script>!function(e,s){e.AlgoliaAnalyticsObject=s,e[s]=e[s]||function(){(e[s].queue=e[s].queue||[]).push(arguments)},e[s].version='2.17.3'}(window,'aa')
    aa('init', { appId: 'app', apiKey: 'key', region: 'us', userToken: 'user-1' })
    aa('clickedObjectIDs', { index: 'shoes', eventName: 'before the library', objectIDs: ['1'] })</script>
    <script>${await readFile(file, 'utf8')}</script>
    <script>aa('clickedObjectIDs', { index: 'shoes', eventName: 'after the library', objectIDs: ['2'] })</script>`
}

/** Opens a page, and collects what its scripts print and what they send to Algolia. */
async function openPage(html: string) {
  site.server.setPage(`<!doctype html><title>Shoes</title>${html}`)
  const page = await site.tab()
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.addInitScript(() => {
    const sent: string[] = []
    Object.assign(globalThis, { sent })
    const beacon = navigator.sendBeacon.bind(navigator)
    navigator.sendBeacon = (address, data) => {
      if (!String(address).includes('algolia')) return beacon(address, data)
      sent.push(String(data))
      return true
    }
  })
  await page.goto(site.server.page())
  const sent = await page.evaluate(() => (globalThis as unknown as { sent: string[] }).sent)
  return { page, printed, sent }
}

test.each([
  ['before', false],
  ['after', true],
])("with the tracker %s Algolia's snippet, both count", async (_, isAfter) => {
  const snippets = [site.server.snippet(), await algolia()]
  const { page, printed, sent } = await openPage((isAfter ? snippets.toReversed() : snippets).join(''))
  expect(page.errors).toEqual([])
  expect(sent.join()).toContain('before the library')
  expect(sent.join()).toContain('after the library')
  await page.evaluate(() => window.footfall!.track!('own'))
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('own')).toHaveLength(1))
  expect(printed.filter(line => line.includes('footfall'))).toHaveLength(isAfter ? 1 : 0)
})

test.each([
  ['an object with a method `track`', 'var aa = { track() { return "theirs" } }'],
  ['a list of calls', 'window.aa = window.aa || []; aa.push(["a"])'],
  ['a function with a method `page`', 'function aa() { return "theirs" }; aa.page = () => "theirs"'],
])('%s keeps the name, and one line of the console names the other', async (_, script) => {
  const before = await openPage(`<script>${script}; window.theirs = aa</script>${site.server.snippet()}`)
  expect(
    await before.page.evaluate(() => [window.aa === window.theirs, typeof window.footfall!.track]),
  ).toEqual([true, 'function'])
  await eventually(() => expect(before.printed).toEqual(['aa is taken: use footfall']))
  expect(before.page.errors).toEqual([])
  await site.leave(before.page)
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(1))
})

test('a script that takes the name later keeps it, too', async () => {
  const { page, printed } = await openPage(
    `${site.server.snippet()}<script>window.aa = () => 'theirs'; aa.ready = true</script>`,
  )
  expect(await page.evaluate(() => [window.aa!(), typeof window.footfall!.track])).toEqual([
    'theirs',
    'function',
  ])
  await eventually(() => expect(printed).toEqual(['aa is taken: use footfall']))
})

test('an element with the id `aa` and one with `footfall` do not keep the tracker from its names', async () => {
  const { page, printed } = await openPage(
    `<form id="aa"></form><p id="footfall">Text</p>${site.server.snippet()}`,
  )
  expect(await page.evaluate(() => [typeof window.aa!.track, window.aa === window.footfall])).toEqual([
    'function',
    true,
  ])
  expect(printed).toEqual([])
})

test('a second tag, also with another token, does nothing and says so', async () => {
  const { page, printed } = await openPage(
    `${site.server.snippet()}${site.server.snippet().replace('aat_1', 'aat_2')}`,
  )
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(1))
  expect(site.server.events()[0]!.token).toBe('aat_1')
  expect(printed).toEqual(['Second tag ignored'])
})

/** What Prototype.js 1.6 gives to values of the language, and a library that goes further. */
const CHANGED_JSON = `
  const quoted = function () { return '"' + this + '"' }
  Array.prototype.toJSON = function () { return '[' + this.join(', ') + ']' }
  String.prototype.toJSON = Number.prototype.toJSON = Date.prototype.toJSON = quoted`

test.each([
  ['arrays, texts, numbers and dates', CHANGED_JSON],
  ['objects', `${CHANGED_JSON}; Object.prototype.toJSON = function () { return 'changed' }`],
  ['maps of JSON.stringify', `Object.prototype.toJSON = function () { return { a: 1 } }`],
])('bodies are the same where a library changes how %s become JSON', async (_, script) => {
  // By a script of the page, as Playwright cannot evaluate anything there.
  site.server.setPage(`<!doctype html><script>${script}</script>${site.server.snippet()}<script>
    class Money { toJSON() { return '5 EUR' } }
    aa.track('order', { sizes: [41, [42]], at: new Date(1e12), name: 'Ada', lines: [{ price: 5 }], paid: new Money() })
    aa.identify('ada', { teams: ['a', 'b'], plan: { name: 'pro' } })</script>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  await site.leave(page)
  await eventually(() => expect(site.server.identifies()).toHaveLength(1))
  await eventually(() => expect(site.server.propertiesOf('order')).toHaveLength(1))
  expect(site.server.propertiesOf('order')[0]).toMatchObject({
    sizes: [41, [42]],
    at: '2001-09-09T01:46:40.000Z',
    name: 'Ada',
    lines: [{ price: 5 }],
    paid: '5 EUR',
  })
  expect(site.server.identifies()[0]!.traits).toEqual({ teams: ['a', 'b'], plan: { name: 'pro' } })
})
