import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const SPA = 'data-track-spa="true"'

async function openPage(attributes = SPA, path = '/') {
  site.server.setPage(
    `<!doctype html><title>Home</title><div id="app"></div>${site.server.snippet(attributes)}`,
  )
  const page = await site.tab()
  await page.goto(site.server.page(path))
  return page
}

/** Title and path of each page view, after the page was left. */
async function pageViews(page: Page, count: number) {
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('page_view').length).toBeGreaterThanOrEqual(count))
  return site.server.propertiesOf('page_view').map(({ page, path }) => [page, path])
}

test('without data-track-spa and data-track-404, routes are no page views, and a missing page has no other event', async () => {
  site.server.pageStatus = 404
  const page = await openPage('')
  await page.evaluate(() => {
    history.pushState({}, '', '/a')
    location.assign('#b')
    window.aa!.track('x')
  })
  expect(await pageViews(page, 1)).toEqual([['Home', '/']])
  expect(site.server.propertiesOf('x')[0]).toMatchObject({ path: '/a' })
  expect(site.server.events()).toHaveLength(2)
})

test('each route by history is a page view, with the title that the application sets just afterwards', async () => {
  const page = await openPage()
  await page.evaluate(async () => {
    history.pushState({}, '', '/a')
    await new Promise(resolve => setTimeout(resolve))
    document.title = 'A'
    await new Promise(resolve => setTimeout(resolve, 150))
    history.pushState({}, '', '/b?q=1')
    history.replaceState({}, '', '/c?q=1')
    document.title = 'C'
    history.replaceState({ same: true }, '', '/c?q=1')
  })
  expect(await pageViews(page, 4)).toEqual([
    ['Home', '/'],
    ['A', '/a'],
    ['A', '/b'],
    ['C', '/c'],
  ])
  expect(page.errors).toEqual([])
})

test('going back and forward, and new fragments, are page views', async () => {
  const page = await openPage()
  await page.evaluate(() => history.pushState({}, '', '/a'))
  await page.goBack()
  await page.goForward()
  await page.evaluate(() => location.assign('#reviews'))
  expect(await pageViews(page, 5)).toEqual([
    ['Home', '/'],
    ['Home', '/a'],
    ['Home', '/'],
    ['Home', '/a'],
    ['Home', '/a'],
  ])
  expect(site.server.requests.map(({ body }) => body).join()).not.toContain('reviews')
})

test('an event just after a change belongs to the new route and comes after its page view', async () => {
  const page = await openPage()
  await page.evaluate(() => {
    history.pushState({}, '', '/a')
    window.aa!.track('x')
  })
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(3))
  // The first route has a request of its own, which may come later.
  const sent = site.server.events().map(({ event, properties }) => [event, properties.path])
  expect(sent.filter(([, path]) => path === '/a')).toEqual([
    ['page_view', '/a'],
    ['x', '/a'],
  ])
})

test('the end of a route sends what was measured, with its path, and then the measuring starts again', async () => {
  const page = await openPage(`${SPA} data-track-scroll-depth="true" data-track-vitals="true"`)
  await page.evaluate(() => {
    document.getElementById('app')!.style.height = '5000px'
  })
  await page.evaluate(() => scrollTo(0, 5000))
  await page.evaluate(() => history.pushState({}, '', '/a?utm_source=news'))
  await eventually(() => expect(site.server.events().map(({ event }) => event)).toContain('$scroll_depth'))
  await page.evaluate(() => scrollTo(0, 0))
  await page.evaluate(() => history.pushState({}, '', '/b'))
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$scroll_depth')).toHaveLength(3))
  expect(site.server.events().map(({ event, properties }) => [event, properties.path])).toEqual([
    ['page_view', '/'],
    ['$web_vitals', '/'],
    ['$scroll_depth', '/'],
    ['page_view', '/a'],
    ['$web_vitals', '/a'],
    ['$scroll_depth', '/a'],
    ['page_view', '/b'],
    ['$web_vitals', '/b'],
    ['$scroll_depth', '/b'],
  ])
  expect(site.server.propertiesOf('$scroll_depth')[0]).toMatchObject({ scroll_depth: 100 })
  expect(site.server.propertiesOf('page_view')[1]).toMatchObject({ utm_source: 'news' })
})

test('the page views of an application that calls the original functions of history work as before', async () => {
  const page = await openPage()
  const result = await page.evaluate(() => {
    const calls: unknown[] = [history.pushState({ n: 1 }, '', '/a'), history.state.n, location.pathname]
    try {
      history.pushState({}, '', 'https://other.test/')
    } catch (error) {
      calls.push((error as Error).name)
    }
    return calls
  })
  expect(result).toEqual([undefined, 1, '/a', 'SecurityError'])
})

test('a page that comes back from the back/forward cache is a page view in SPA mode only', async () => {
  for (const [attributes, count] of [
    [SPA, 2],
    ['', 1],
  ] as const) {
    const page = await openPage(attributes, '/cached')
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
      window.aa!.track('end')
    })
    await site.leave(page)
    await eventually(() => expect(site.server.propertiesOf('end')).toHaveLength(1))
    await eventually(() => expect(site.server.propertiesOf('page_view')).toHaveLength(count))
    site.server.requests.length = 0
  }
})

test('`$404` is sent for a route with the meta element, and for the status of the document on its first route only', async () => {
  site.server.pageStatus = 404
  const page = await openPage(`${SPA} data-track-404="true"`, '/missing?q=1')
  await page.evaluate(() => history.pushState({}, '', '/found'))
  await page.evaluate(() => {
    history.pushState({}, '', '/lost')
    const meta = document.createElement('meta')
    meta.name = 'aa-status'
    meta.content = '404'
    document.head.append(meta)
  })
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$404')).toHaveLength(2))
  const missing = site.server
    .propertiesOf('$404')
    .toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1))
  expect(missing).toMatchObject([
    { path: '/lost', referrer: '', title: 'Home' },
    { path: '/missing', referrer: '', title: 'Home' },
  ])
})
