import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { views } from '#dashboard/views'
import { pathOfView } from '#test/dashboard/path-of-view'
import { eventually } from '#test/support/eventually'
import { goTo, settled, useDashboard, violations } from './dashboard.ts'

/**
 * Every view, and what opens in it, has nothing that axe finds, in light and in dark, and fits a phone. One
 * page goes through all of them, because loading it takes longer than drawing a view.
 */

const dashboard = useDashboard()
let page: Page
beforeAll(async () => {
  await dashboard.post('/portfolios', { slug: `axe-${unique()}`, name: 'Axe' }, 201)
  page = await dashboard.open('/app/portfolios', { isKept: true })
})

const PHONE = { width: 390, height: 844 }

const unique = () => Math.random().toString(36).slice(2)
const newProject = () =>
  dashboard.post<{ name: string; project_token: string }>('/projects', { name: `axe-${unique()}` }, 201)

/** What opens in views by their own values: an address, or how to find it. */
const OPEN: Record<string, string | (() => Promise<string>)> = {
  'a funnel with a breakdown and its lost people':
    '/app/p/demo/funnel?range=14d&step=page_view&step=signup_started&step=signup&breakdown=country&lost=1&where=1:path:eq:/pricing',
  'an open tree of paths': '/app/p/demo/paths?goal=signup&open=more&depth=2&entry=/pricing',
  'a cell of retention': async () => {
    const path = '/retention?project=demo&tz=Europe/Berlin&cohorts=8&period=week'
    const { cohorts } = await dashboard.get<{ cohorts: { date: string }[] }>(path)
    return `/app/p/demo/retention?cell=${cohorts[0]?.date}:1`
  },
  'retention by day': '/app/p/demo/retention?period=day&cohorts=10',
  'the campaigns of a goal': '/app/p/demo/sources?by=utm_campaign&goal=signup',
  'the values of a property': '/app/p/demo/events?event=signup&prop=plan',
  'the time line of a person': async () => {
    const query = { project: 'demo', group_by: ['user_id'], limit: 50 }
    type People = { rows: { user_id: string; other?: true }[] }
    const { rows } = await dashboard.post<People>('/query', query)
    // A long time line has the same elements many times.
    const user = rows.findLast(({ other }) => other !== true)?.user_id ?? ''
    return `/app/p/demo/people?user=${encodeURIComponent(user)}`
  },
  'an open session': async () => {
    const { sessions } = await dashboard.get<{ sessions: { session_id: string }[] }>(
      '/sessions?project=demo&limit=1',
    )
    return `/app/p/demo/sessions?session=${sessions[0]?.session_id}`
  },
  'the senders of a kind': '/app/p/demo/bots?kind=search_crawler',
  'an experiment': '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta',
  'the form of an experiment': '/app/p/demo/experiments?new=1',
  'the form of an analysis': '/app/p/demo/analysis?new=1',
  'the overview of bots': '/app/p/demo?who=bots',
  'a project that does not exist': '/app/p/none',
  'the form of a site': '/app?new=1',
  'a project without events': async () => `/app/p/${(await newProject()).name}`,
  'an event that has arrived': async () => {
    const { name, project_token: token } = await newProject()
    await dashboard.post('/track', { token, event: 'page_view', properties: { path: '/' } }, 202)
    await eventually(async () => {
      const live = await dashboard.get<{ recent_events: unknown[] }>(`/live?project=${name}`)
      expect(live.recent_events).toHaveLength(1)
    })
    return `/app/p/${name}/live`
  },
}

/** What stands around a view is checked with each view, not again with what opens in it. */
const PLACES = [
  ...views.map(row => [row.name, pathOfView(row), 'html'] as const),
  ...Object.entries(OPEN).map(([name, place]) => [name, place, 'main'] as const),
]

test.each(PLACES)(
  '%s is accessible, light and dark, and is not wider than a phone',
  async (_, place, part) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await goTo(page, typeof place === 'string' ? place : await place())
    // What folds is open once, so that its content is seen too.
    await page.evaluate(() => document.querySelector('main details')?.setAttribute('open', ''))
    await settled(page)
    expect(await violations(page, part)).toEqual([])
    await page.setViewportSize(PHONE)
    // Charts are drawn again when they learn of the new width.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390)
  },
)

test('the forms of filters and of segments are accessible, light and dark, and fit a small phone', async () => {
  await page.setViewportSize({ width: 320, height: 640 })
  const { name } = await newProject()
  await dashboard.put(`/projects/${name}/segments/a`, { where: { did: { event: 'a' } } }, 201)
  await goTo(page, `/app/p/${name}?f=did:eq:signup`)
  const check = async () => {
    expect(await violations(page, 'dialog')).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    const box = await page.getByRole('dialog').boundingBox()
    expect([box?.x ?? -1, 320 - (box?.x ?? 0) - (box?.width ?? 320)].every(room => room >= 0)).toBe(true)
  }
  await page.getByRole('button', { name: '+ Filter' }).click()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Visitors with an event where')
  await check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit segments' }).click()
  await check()
  await page.getByRole('button', { name: 'Rename the segment a' }).click()
  await check()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete the segment a' }).click()
  await check()
  await page.getByRole('button', { name: 'Close' }).click()
})

test('on a phone the hours of the heatmap stand one below the other, and all weekdays fit', async () => {
  await page.setViewportSize(PHONE)
  await goTo(page, '/app/p/demo/heatmap')
  await expect.poll(() => page.locator('table.grid thead th').count()).toBe(8)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  const last = await page.locator('table.grid thead th').last().boundingBox()
  expect((last?.x ?? 999) + (last?.width ?? 0)).toBeLessThanOrEqual(390)
  expect(await violations(page)).toEqual([])
})

test('what breaks a rule is found, and in the dark theme what breaks a rule of colours', async () => {
  await goTo(page, '/app/p/none')
  await page.evaluate(() => {
    const text = document.createElement('p')
    text.textContent = 'Grey on grey'
    Object.assign(text.style, { color: '#777', backgroundColor: '#888' })
    document.querySelector('main')?.append(document.createElement('img'), text)
  })
  const found = await violations(page)
  for (const rule of [/^image-alt: <img/, /^color-contrast: <p/, /^dark: color-contrast: <p/]) {
    expect(found).toContainEqual(expect.stringMatching(rule))
  }
})
