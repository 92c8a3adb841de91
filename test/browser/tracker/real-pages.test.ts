import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

/** Pages as sites have them: documents without a site, shadow trees, wrong clocks. */

const site = useTestSite()
const HOUR = 3_600_000

async function openPage(html: string, path = '/') {
  site.server.setPage(`<!doctype html><title>Shoes</title>${html}`)
  const page = await site.tab()
  await page.goto(site.server.page(path))
  return page
}

/** Waits until an event of another page has come: what an earlier page has sent is there, too. */
async function untilProof() {
  const page = await openPage(site.server.snippet(), '/proof')
  await site.leave(page)
  await eventually(() =>
    expect(site.server.events().map(({ properties }) => properties.path)).toContain('/proof'),
  )
}

const SECRET = 'Zorvath'
/** A document without a site, which tracks all that it can. */
const document = (attributes: string) =>
  `<!doctype html><title>Saved</title>${site.server.snippet(
    `${attributes} data-track-spa="true" data-track-clicks="true" data-heartbeat="15" data-track-errors="true"`,
  )}<p>${SECRET}</p><script>aa.track('own'); aa.identify('ada'); dispatchEvent(new Event('beforeunload'))</script>`

const frame = (src: string) => `<iframe ${src}></iframe>`
const attribute = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** How a page can have such a document. */
const documents: [what: string, open: (page: Page, html: string) => Promise<void>][] = [
  [
    'a page that was saved to the disk',
    async (page, html) => {
      const folder = await mkdtemp(join(tmpdir(), `footfall-${SECRET}-`))
      await writeFile(join(folder, 'page.html'), html)
      await page.goto(pathToFileURL(join(folder, 'page.html')).href)
      await rm(folder, { recursive: true })
    },
  ],
  [
    'a data: frame',
    async (page, html) => {
      site.server.setPage(frame(`src="data:text/html,${encodeURIComponent(html)}"`))
      await page.goto(site.server.page())
    },
  ],
  [
    'a frame with srcdoc',
    async (page, html) => {
      site.server.setPage(frame(`srcdoc="${attribute(html)}"`))
      await page.goto(site.server.page())
    },
  ],
  [
    'a blob: frame',
    async (page, html) => {
      site.server.setPage('<!doctype html>')
      await page.goto(site.server.page())
      await page.evaluate(async html => {
        const frame = globalThis.document.createElement('iframe')
        frame.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }))
        const loaded = new Promise(resolve => frame.addEventListener('load', resolve))
        globalThis.document.body.append(frame)
        await loaded
      }, html)
    },
  ],
]

test.each(documents)('%s sends no event, and with data-app events without its address', async (_, open) => {
  const page = await site.tab()
  await open(page, document(''))
  await site.leave(page)
  await untilProof()
  expect(site.server.requests).toHaveLength(1)
  site.server.requests.length = 0

  await open(page, document('data-app="true"'))
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('own')).toHaveLength(1))
  for (const { properties } of site.server.events()) expect(properties).toMatchObject({ path: '', url: '' })
  expect(site.server.requests.map(({ body }) => body).join()).not.toContain(SECRET)
  expect(page.errors).toEqual([])
})

/** An element with an open shadow tree, and one in it with another. */
const SHADOW = `<my-card></my-card><script>
  class Inner extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML =
    '<a id="file" href="/price-list.pdf"><b id="deep">List</b></a><form id="form" onsubmit="return false"><input id="field" value="x"><button>Send</button></form>' } }
  class Card extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML =
    '<a id="out" href="https://elsewhere.test/x">Out</a><button id="tagged" data-aa-event="signup" data-aa-event-plan-type="pro"><i id="icon">+</i></button>' +
    '<section data-aa-impression="pricing" data-aa-impression-price-list="b">Prices</section><my-inner></my-inner>' } }
  customElements.define('my-inner', Inner); customElements.define('my-card', Card)
  // Only what is heard is tested here, so no link leaves the page.
  addEventListener('click', event => event.composedPath().some(({ localName }) => localName === 'a') && event.preventDefault())</script>`

test('links, downloads, tagged elements, forms and impressions in open shadow trees count as elsewhere', async () => {
  const page = await openPage(
    `${site.server.snippet(
      'data-track-outgoing="true" data-track-clicks="true" data-track-downloads="true" data-track-forms="true"',
    )}${SHADOW}`,
  )
  for (const id of ['out', 'icon', 'deep']) await page.click(`#${id}`)
  await page.focus('#field')
  await page.keyboard.press('Enter')
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await eventually(async () => {
    await page.evaluate(() => dispatchEvent(new Event('beforeunload')))
    expect(site.server.propertiesOf('$impression')).toHaveLength(1)
    expect(site.server.propertiesOf('$form_submit')).toHaveLength(1)
  })
  const { server } = site
  expect(server.propertiesOf('outgoing_link')).toMatchObject([{ href: 'https://elsewhere.test/x' }])
  expect(server.propertiesOf('signup')).toMatchObject([{ plan_type: 'pro' }])
  expect(server.propertiesOf('$download')).toMatchObject([{ filename: 'price-list.pdf' }])
  expect(server.propertiesOf('$click').map(({ tag, id }) => [tag, id])).toEqual([
    ['a', 'out'],
    ['a', 'file'],
    // The browser clicks the button of the form for the key.
    ['button', ''],
  ])
  expect(server.propertiesOf('$form_submit')).toMatchObject([{ id: 'form' }])
  expect(server.propertiesOf('$impression')).toMatchObject([{ name: 'pricing', price_list: 'b' }])
  expect(page.errors).toEqual([])
})

test('areas of a map are links, and a link around a shadow tree counts for what is in it', async () => {
  const page = await openPage(`${site.server.snippet('data-track-outgoing="true" data-track-clicks="true"')}
    <map name="m"><area id="area" shape="rect" coords="0,0,50,50" href="https://elsewhere.test/map"></map>
    <img usemap="#m" width="50" height="50" alt=""><a href="https://elsewhere.test/around"><p id="host"></p></a>
    <script>document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<i id="inside">Go</i>'
    addEventListener('click', event => event.preventDefault())</script>`)
  await page.evaluate(() => {
    globalThis.document.getElementById('area')!.click()
  })
  await page.click('#inside')
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('outgoing_link')).toHaveLength(2))
  expect(site.server.propertiesOf('outgoing_link').map(({ href }) => href)).toEqual([
    'https://elsewhere.test/map',
    'https://elsewhere.test/around',
  ])
  expect(site.server.propertiesOf('$click')).toMatchObject([
    { tag: 'area', href: 'https://elsewhere.test/map', is_external: true },
    { tag: 'a', href: 'https://elsewhere.test/around', is_external: true },
  ])
})

test.each([
  ['10 minutes ahead', 600_000],
  ['an hour ahead', HOUR],
  ['40 days behind', -40 * 24 * HOUR],
])('a clock of the visitor that is %s is not in what is sent', async (_, error) => {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet()}`)
  const page = await site.tab()
  await page.addInitScript(error => {
    const { now } = Date
    Date.now = () => now() + error
  }, error)
  await page.goto(site.server.page())
  await page.evaluate(() => window.aa!.track('own'))
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(2))
  for (const event of site.server.events()) {
    expect(event).not.toHaveProperty('timestamp')
    expect(event.age).toBeGreaterThanOrEqual(0)
    expect(event.age).toBeLessThan(300_000)
  }
})

/** Opens a page whose clocks stand still, so that a slow machine does not use up the time. */
async function openPaused(attributes: string, path = '/a') {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}`)
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await page.clock.pauseAt(NOON.getTime() + 60_000)
  await page.goto(site.server.page(path))
  return page
}

test('what happens without a network is sent when it is back, with its age', async () => {
  const page = await openPaused('')
  await page.context().setOffline(true)
  await page.evaluate(() => window.aa!.track('offline'))
  await page.clock.runFor(HOUR)
  expect(site.server.requests).toEqual([])
  await page.context().setOffline(false)
  await eventually(() => expect(site.server.propertiesOf('offline')).toHaveLength(1))
  expect(site.server.events().map(({ age }) => Math.round(age! / HOUR))).toEqual([1, 1])
})

test('a device that sleeps adds no time on the page, nor does a clock that is set', async () => {
  const page = await openPaused('data-heartbeat="15"')
  await page.clock.runFor(7_000)
  // Timers are late by eight hours, as after a sleep with a clock that goes on.
  await page.clock.fastForward(8 * HOUR)
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() + 5 * 3_600_000
  })
  await page.clock.runFor(2_000)
  await page.evaluate(() => {
    Object.defineProperty(globalThis.document, 'visibilityState', { value: 'hidden', configurable: true })
    globalThis.document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  })
  await eventually(() => expect(site.server.propertiesOf('$time_on_page')).toHaveLength(1))
  const seconds = site.server.propertiesOf('$time_on_page')[0]!.time_on_page
  expect(seconds).toBeGreaterThanOrEqual(9)
  expect(seconds).toBeLessThan(30)
})

test('a page that comes back from the cache of the browser does not send its time again', async () => {
  const page = await openPaused('data-heartbeat="15" data-track-spa="true"')
  await page.clock.runFor(5_000)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await page.clock.runFor(3_000)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(2))
  await eventually(() =>
    expect(site.server.propertiesOf('$time_on_page').map(({ time_on_page }) => time_on_page)).toEqual([5, 3]),
  )
})

test('the days since a first visit whose clock was ahead count from the next session', async () => {
  site.server.setPage(site.server.snippet())
  const page = await site.tab()
  await page.addInitScript(
    ahead => {
      if (!localStorage.getItem('aa:aat_1:sc')) {
        localStorage.setItem('aa:aat_1:fv', String(Date.now() + ahead))
        localStorage.setItem('aa:aat_1:sc', '1')
      }
    },
    40 * 24 * HOUR,
  )
  await page.goto(site.server.page())
  await site.leave(page)
  await eventually(() =>
    expect(site.server.propertiesOf('page_view')).toMatchObject([
      { session_count: 2, days_since_first_visit: 0 },
    ]),
  )
  await page.goto(site.server.page())
  expect(await page.evaluate(() => Number(localStorage.getItem('aa:aat_1:fv')) <= Date.now())).toBe(true)
})
