import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { views } from '#dashboard/views'
import { pathOfView } from '#test/dashboard/path-of-view'
import { analysisOf } from '#test/dashboard/website-analysis'
import { SITE } from '#test/support/test-scans'
import { type Dashboard, settled, useDashboard } from './dashboard.ts'
import { serveAnalysis } from './serve-analysis.ts'

/**
 * `npm run screenshots`: writes a picture of every view to the folder SCREENSHOTS, wide and narrow, light and
 * dark. VIEWS, such as `overview,paths`, chooses some of them.
 */

const folder = process.env.SCREENSHOTS
/** The picture of the README, which `npm run readme-picture` writes. */
const readmePicture = process.env.README_PICTURE
const chosen = process.env.VIEWS?.split(',')
const SIZES = [
  { name: '1440', viewport: { width: 1440, height: 900 } },
  { name: '390', viewport: { width: 390, height: 844 } },
]

/** Views beside their plain form, by the name of the picture: a path, or how to find it. */
type Place = { path: string; prepare?(page: Page): Promise<unknown> }
const OTHERS: Record<string, string | ((dashboard: Dashboard) => Promise<string | Place>)> = {
  'overview-filtered':
    '/app/p/demo?f=country:eq:DE&f=did:eq:signup&f=session.event:eq:search&compare=weekdays&range=14d&course=duration',
  'overview-agents': '/app/p/demo?who=agents',
  'overview-goal': '/app/p/demo?goal=/pricing',
  'pages-goal': '/app/p/demo/pages?goal=signup',
  'paths-signup': '/app/p/demo/paths?goal=signup',
  'retention-days': '/app/p/demo/retention?period=day',
  'funnel-built': '/app/p/demo/funnel?step=page_view&step=signup_started&step=signup&breakdown=country',
  'funnel-lost':
    '/app/p/demo/funnel?step=page_view&step=signup_started&step=signup&where=1:path:eq:/pricing&lost=2',
  demo: '/app/demo',
  share: async ({ post }) => {
    const views = ['overview', 'pages', 'funnel']
    const { url } = await post<{ url: string }>('/projects/demo/share-links', { views }, 201)
    return new URL(url).pathname
  },
  'sites-new': '/app?new=1',
  'overview-empty': async ({ post }) => {
    await post('/projects', { name: 'new-shop', allowed_origins: 'https://new-shop.example' }, 201)
    return '/app/p/new-shop'
  },
  'experiments-one': '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta',
  'experiments-new': '/app/p/demo/experiments?new=1',
  'events-one': '/app/p/demo/events?event=signup&prop=plan',
  'analysis-one': async () => {
    const scan = await analysisOf(SITE)
    return {
      path: `/app/p/demo/analysis?scan=${scan.analysis_id}`,
      prepare: page => serveAnalysis(page, () => scan),
    }
  },
  'live-busy': async ({ get, post }) => {
    const { project_token: token } = await get<{ project_token: string }>('/projects/demo')
    const paths = ['/', '/pricing', '/docs', '/blog/how-we-count-visitors']
    for (let i = 0; i < 30; i++) {
      const event = ['page_view', 'page_view', 'signup', '$click'][i % 4]
      const properties = { path: paths[i % 3 === 0 ? 0 : i % 4], ...(event === 'signup' && { plan: 'pro' }) }
      const sender = { token, user_id: `visitor-${i % 7}`, session_id: `live-${i % 7}` }
      await post('/track', { ...sender, event, properties }, 202)
    }
    await expect
      .poll(() => get<{ recent_events: unknown[] }>('/live?project=demo'))
      .toMatchObject({ recent_events: { length: 10 } })
    return '/app/p/demo/live'
  },
  'people-one': async ({ post }) => {
    const query = { project: 'demo', group_by: ['user_id'], limit: 1 }
    const { rows } = await post<{ rows: { user_id: string }[] }>('/query', query)
    return `/app/p/demo/people?user=${rows[0]?.user_id}`
  },
  'sessions-one': async ({ get }) => {
    const { sessions } = await get<{ sessions: { session_id: string; event_count: number }[] }>(
      '/sessions?project=demo&is_bounce=0&limit=30',
    )
    const longest = sessions.toSorted((a, b) => b.event_count - a.event_count)[0]
    return `/app/p/demo/sessions?only=engaged&session=${longest?.session_id}`
  },
}

const dashboard = useDashboard()

const paths = {
  ...Object.fromEntries(views.map(row => [row.name, pathOfView(row)])),
  ...OTHERS,
}

describe.skipIf(folder === undefined)('pictures', () => {
  beforeAll(() => {
    mkdirSync(folder as string, { recursive: true })
  })

  test.each(Object.entries(paths).filter(([name]) => chosen?.includes(name) ?? true))(
    '%s',
    async (name, place) => {
      const found = typeof place === 'string' ? place : await place(dashboard)
      const { path, ...before } = typeof found === 'string' ? { path: found } : found
      for (const { name: size, viewport } of SIZES) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await dashboard.open(path, { viewport, colorScheme, ...before })
          await settled(page)
          await page.screenshot({
            path: join(resolve(folder as string), `${name}-${size}-${colorScheme}.png`),
            fullPage: true,
          })
          await page.context().close()
        }
      }
    },
  )
})

test.skipIf(readmePicture === undefined)(
  'the picture of the README: the overview above the fold',
  async () => {
    const page = await dashboard.open('/app/p/demo?range=14d', { viewport: { width: 1280, height: 800 } })
    await settled(page)
    await page.screenshot({ path: resolve(readmePicture as string) })
  },
)
