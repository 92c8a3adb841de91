import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** Ways to a goal: the tree, its choices and its folds, and where sessions end without the goal. */

const dashboard = useDashboard()

const count = (value: number) => value.toLocaleString('en-GB')
const rate = (value: number) => value.toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })
const BODY = { project: 'demo', tz: 'Europe/Berlin', goal_event: 'signup', since: '30d' }

type Node = { type: string; value: string; sessions: number; children: Node[] }
type Exit = { exit_page: string; sessions: number; drop_offs: number }
type Entry = { entry_page: string; sessions: number; conversions: number; exit_pages: Exit[]; tree: Node[] }
type Paths = { entry_paths: Entry[] }

/** Label and number of the rows of one level of the tree. */
function level(page: Page, selector: string): Promise<string[][]> {
  return page
    .locator(selector)
    .evaluateAll(rows =>
      rows.map(row => ['.label', 'b'].map(part => row.querySelector(part)?.textContent?.trim() ?? '')),
    )
}

test('the tree has the ways of the API, folds by keyboard, and opens by three levels', async () => {
  const page = await dashboard.open('/app/p/demo/paths?goal=signup')
  await settled(page)
  const { entry_paths } = await dashboard.post<Paths>('/paths', BODY)
  expect(entry_paths.length).toBeGreaterThan(1)
  expect(await level(page, '.tree > ul > li > details > summary > .row')).toEqual(
    entry_paths.map(each => [each.entry_page, count(each.sessions)]),
  )
  const [sessions, conversions] = [
    entry_paths.reduce((sum, each) => sum + each.sessions, 0),
    entry_paths.reduce((sum, each) => sum + each.conversions, 0),
  ]
  expect(await page.locator('.summary .num').allInnerTexts()).toEqual([
    rate(conversions / sessions),
    count(sessions),
  ])
  const first = page.locator('.tree > ul > li').first()
  const children = first.locator('> details > ul > li')
  expect(await children.locator('> details > summary > .row b, > .leaf .row b').allInnerTexts()).toEqual(
    entry_paths[0]?.tree.map(node => count(node.sessions)),
  )
  await first.locator('> details > summary').focus()
  await page.keyboard.press('Enter')
  await children.first().waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Open more' }).click()
  await page.waitForURL(/open=more/)
  await page.getByRole('link', { name: 'Open less' }).waitFor()
  const third = page.locator('.tree > ul > li > details > ul > li > details > ul > li > details')
  expect(await third.count()).toBeGreaterThan(0)
  expect(await third.evaluateAll(each => each.every(branch => (branch as HTMLDetailsElement).open))).toBe(
    true,
  )
  // What is closed is not drawn, so a tree of thousands of nodes stays quick.
  expect(await page.locator('.tree details:not([open]) > ul').count()).toBe(0)
})

test('an entry page and a depth can be chosen, and the ends are those of the choice', async () => {
  const page = await dashboard.open('/app/p/demo/paths?goal=signup&range=14d')
  await settled(page)
  const body = { ...BODY, since: '14d', max_steps: 2 }
  const { entry_paths } = await dashboard.post<Paths>('/paths', body)
  const entry = entry_paths[1]
  await page.getByRole('combobox', { name: 'Steps' }).selectOption('2')
  await page.waitForURL(/depth=2/)
  await page.getByRole('combobox', { name: 'From the page' }).selectOption(entry?.entry_page ?? '')
  await page.waitForURL(/entry=/)
  await page.reload()
  await settled(page)
  expect(await level(page, '.tree > ul > li > details > summary > .row')).toEqual([
    [entry?.entry_page, count(entry?.sessions ?? -1)],
  ])
  const ends = (entry?.exit_pages ?? []).toSorted((a, b) => b.drop_offs - a.drop_offs).slice(0, 20)
  expect((await cells(page, 'Exit pages by sessions without the goal')).map(row => row.slice(1, 3))).toEqual(
    ends.map(each => [count(each.sessions), count(each.drop_offs)]),
  )
})

test('without a goal the view offers one; hostile pages and events stay text', async () => {
  const hostile = `/"><img src=x onerror="document.title='owned'">`
  const project = 'paths-hostile'
  const { project_token: token } = await dashboard.post<{ project_token: string }>(
    '/projects',
    { name: project },
    201,
  )
  for (const event of ['page_view', hostile]) {
    const properties = { path: event === 'page_view' ? hostile : '/' }
    await dashboard.post('/track', { token, event, user_id: 'u1', session_id: 's1', properties }, 202)
  }
  await eventually(async () => {
    const { entry_paths } = await dashboard.post<Paths>('/paths', { project, goal_event: hostile })
    expect(entry_paths[0]?.conversions).toBe(1)
  })
  const page = await dashboard.open(`/app/p/${project}/paths`)
  await settled(page)
  await page.locator('main .note a').click()
  await page.locator('.tree .label').getByText(hostile, { exact: true }).first().waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.title()).toBe(`${project} · Paths · Footfall`)
})

test('the open tree is accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/paths?goal=signup&open=more')
  await settled(page)
  expect(await violations(page)).toEqual([])
})

test('a phone shows the open tree without scrolling sideways', async () => {
  const page = await dashboard.open('/app/p/demo/paths?goal=signup&open=more', {
    viewport: { width: 390, height: 844 },
  })
  await settled(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
