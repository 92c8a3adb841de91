import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { views } from '#dashboard/views'
import { pathOfView } from '#test/dashboard/path-of-view'
import { eventually } from '#test/support/eventually'
import { goTo, settled, useDashboard } from './dashboard.ts'
import { faultsOfLayout } from './layout.ts'

/**
 * Every view, and what opens in it, can be read at every width: on a small phone, a phone, a page of 1440 px
 * at 200 % zoom (720), and whole. One page goes through all of them.
 */

const WIDTHS = [320, 390, 720, 1440]
/**
 * How often the page is drawn at most until its charts have the width: once to measure, once to draw, and
 * again.
 */
const MAX_DRAWINGS = 10
const LONG = 'x'.repeat(256)

const dashboard = useDashboard()
let page: Page
let long: string
beforeAll(async () => {
  long = `narrow-${Math.random().toString(36).slice(2)}`.padEnd(60, 'x')
  const { project_token: token } = await dashboard.post<{ project_token: string }>(
    ...(['/projects', { name: long }, 201] as const),
  )
  const properties = {
    ...{ path: `/${LONG}`, title: LONG, referrer: `https://${'a'.repeat(60)}.example/${LONG}` },
    ...{ utm_source: LONG, utm_campaign: LONG, device: LONG, plan: LONG },
  }
  for (const event of ['page_view', `e${LONG.slice(1)}`])
    await dashboard.post('/track', { token, event, user_id: LONG, session_id: LONG, properties }, 202)
  await eventually(async () => {
    expect(await dashboard.get(`/stats?project=${long}&since=0d`)).toMatchObject({
      totals: { total_events: 2 },
    })
  })
  page = await dashboard.open('/app/portfolios', { isKept: true })
})

const OPEN: Record<string, () => Promise<string> | string> = {
  'filters, a line and dates to compare with': () =>
    '/app/p/demo?range=14d&goal=signup&course=duration&compare=2026-01-01..2026-01-07&f=did:neq:purchase&f=session.event:eq:search',
  'a person': async () => {
    type People = { rows: { user_id: string }[] }
    const query = { project: 'demo', group_by: ['user_id'], limit: 1 }
    const { rows } = await dashboard.post<People>('/query', query)
    return `/app/p/demo/people?user=${rows[0]?.user_id}`
  },
  'a session': async () => {
    type Sessions = { sessions: { session_id: string }[] }
    const { sessions } = await dashboard.get<Sessions>('/sessions?project=demo&is_bounce=0&limit=1')
    return `/app/p/demo/sessions?session=${sessions[0]?.session_id}`
  },
  'a funnel': () =>
    '/app/p/demo/funnel?step=page_view&step=signup_started&step=signup&breakdown=country&lost=1',
  'a tree of paths': () => '/app/p/demo/paths?goal=signup',
  'the campaigns of a goal': () => '/app/p/demo/sources?by=utm_campaign&goal=signup',
  'the entry pages': () => '/app/p/demo/pages?list=entry',
  'the values of a property': () => '/app/p/demo/events?event=signup&prop=plan',
  'an experiment': () => '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta',
  'pages with long names': () => `/app/p/${long}/pages?range=1d`,
  'sources with long names': () => `/app/p/${long}/sources?range=1d&goal=page_view`,
  'campaigns with long names': () => `/app/p/${long}/sources?range=1d&by=utm_campaign&goal=page_view`,
  'an overview with long names': () => `/app/p/${long}?range=1d&goal=e${LONG.slice(1)}`,
  'events with long names': () => `/app/p/${long}/events?range=1d&event=page_view&prop=plan`,
  'a person with a long id': () => `/app/p/${long}/people?range=1d&user=${LONG}`,
  'a funnel of long names': () => `/app/p/${long}/funnel?range=1d&step=page_view&step=e${LONG.slice(1)}`,
  'paths of long names': () => `/app/p/${long}/paths?range=1d&goal=e${LONG.slice(1)}`,
  'a long filter': () => `/app/p/${long}?range=1d&f=properties.path:eq:/${LONG}`,
}

const PLACES = [
  ...views.map(row => [row.name, () => pathOfView(row)] as const),
  ...Object.entries(OPEN).map(([name, place]) => [name, place] as const),
]

test.each(PLACES)('%s can be read at every width', async (_, place) => {
  await goTo(page, await place())
  const faults: Record<number, string[]> = {}
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    faults[width] = await page.evaluate(faultsOfLayout)
    // Charts are drawn again when they learn of the new width.
    for (let tries = 0; tries < MAX_DRAWINGS && faults[width].length > 0; tries++) {
      await page.evaluate(() => new Promise(drawn => requestAnimationFrame(drawn)))
      faults[width] = await page.evaluate(faultsOfLayout)
    }
  }
  expect(faults).toEqual(Object.fromEntries(WIDTHS.map(width => [width, []])))
})

test('all views of the navigation stand in a window of 700 px, each 24 px high or more', async () => {
  await goTo(page, '/app/p/demo/pages')
  await page.setViewportSize({ width: 1440, height: 700 })
  const rows = await page.locator('.side nav :is(li a, .last button, .search)').evaluateAll(all =>
    all.map(each => {
      const { top, bottom, height } = each.getBoundingClientRect()
      return { isShown: top >= 0 && bottom <= innerHeight, height }
    }),
  )
  expect(rows.length).toBeGreaterThan(views.filter(({ group }) => group !== null).length)
  expect(rows.filter(({ isShown, height }) => !isShown || height < 24)).toEqual([])
  expect(await page.locator('.side nav').evaluate(nav => nav.scrollHeight - nav.clientHeight)).toBe(0)
})

test('what cannot be read is found: an overflow, a narrow text, an overlap', async () => {
  await goTo(page, '/app/p/none')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.evaluate(() => {
    const main = document.querySelector('main') as HTMLElement
    main.innerHTML = `<div class="wide">wide and wide</div>
      <p class="narrow">A text that is far too long for its place</p>
      <p class="one">This text lies on the other one</p><p class="other">and this text lies on that one</p>`
    const style = (name: string, css: Partial<CSSStyleDeclaration>) =>
      Object.assign((main.querySelector(`.${name}`) as HTMLElement).style, css)
    style('wide', { width: '900px' })
    style('narrow', { width: '40px' })
    style('other', { marginTop: '-20px' })
  })
  const found = await page.evaluate(faultsOfLayout)
  for (const kind of ['wider than the screen', 'narrow', 'overlap'])
    expect(found.join('\n'), kind).toContain(kind)
})
