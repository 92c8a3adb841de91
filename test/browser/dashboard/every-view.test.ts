import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { views } from '#dashboard/views'
import { eventually } from '#test/support/eventually'
import { pathOfView, settled, takeFaults, useDashboard, violations } from './dashboard.ts'

/**
 * What holds for every row of the table of views, also for the next one. A page that violates the policy of
 * the dashboard, that logs an error or that asks another host fails its test (dashboard.ts).
 */

const STATE =
  'range=14d&compare=year&tz=America/New_York&f=country%3Aeq%3ADE&f=properties.device%3Aneq%3Atablet&last=1m'
/** Markup that would run, if anything took it for markup. */
const HOSTILE = `"><img src=x onerror="owned=1"><script>owned=1</script>`
const HOSTILE_PROJECT = 'hostile-text'

const dashboard = useDashboard()
beforeAll(makeHostileProject)

describe.each(views.map(row => [row.name, row] as const))('the view %s', (_, row) => {
  test('has the same picture after a reload, in a new tab, after back and after forward', async () => {
    // The newest events of the demo leave the window of a minute one by one, and each changes the numbers.
    if (row.name === 'live') await eventually(async () => expect(await liveEvents('demo')).toEqual([]))
    const page = await dashboard.open(`${pathOfView(row)}?${STATE}`, { prepare: countCalls })
    await answered(page)
    const [address, shown] = [page.url(), await picture(page)]
    await page.reload()
    await isShown(page, shown)
    const other = page.locator('#views a:not([aria-current])').last()
    await other.click()
    await page.waitForURL(url => url.href !== address)
    await answered(page)
    const [nextAddress, next] = [page.url(), await picture(page)]
    await page.goBack()
    await isShown(page, shown)
    await page.goForward()
    await isShown(page, next)
    expect(page.url()).toBe(nextAddress)
    const tab = await page.context().newPage()
    await countCalls(tab)
    await tab.goto(address)
    await isShown(tab, shown)
  })

  test('has nothing that axe finds, in light and in dark, and is not wider than a phone', async () => {
    const page = await dashboard.open(pathOfView(row))
    await settled(page)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  test('shows hostile text as text, wherever it comes from', async () => {
    const path = pathOfView(row, HOSTILE_PROJECT)
    const names = ['event', 'user', 'goal', 'step', 'path', 'by', 'breakdown', 'prop', 'who_is', 'q']
    const own = new URLSearchParams([
      ['range', '1d'],
      ...names.map(name => [name, HOSTILE]),
      ['session', 'hostile-1'],
      ['f', `event:eq:${HOSTILE}`],
    ])
    for (const query of ['range=1d', own]) {
      const page = await dashboard.open(`${path}?${query}`)
      await settled(page)
      expect(await markup(page), String(query)).toEqual([])
      expect(await page.evaluate(() => 'owned' in globalThis)).toBe(false)
      await page.context().close()
    }
  })
})

test('a project whose every text is hostile shows that text', async () => {
  for (const name of ['overview', 'pages', 'sources', 'events', 'people']) {
    const row = views.find(each => each.name === name)
    if (row === undefined) throw new Error(`There is no view ${name}.`)
    const page = await dashboard.open(`${pathOfView(row, HOSTILE_PROJECT)}?range=1d`)
    await page.locator('main').getByText(HOSTILE).first().waitFor()
  }
})

test('a violation of the policy is noted, so that it fails the test of the page', async () => {
  const page = await dashboard.open('/app/p/demo/settings')
  const [message] = await Promise.all([
    page.waitForEvent('console', each => /Content Security Policy/.test(each.text())),
    page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.owned = 1'
      document.body.append(script)
    }),
  ])
  expect(message.type()).toBe('error')
  expect(takeFaults()).toEqual([expect.stringContaining('Content Security Policy')])
})

/** Elements of the view that only markup of somebody else could make. */
function markup(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        '#app img, #app script, #app object, #app embed, [onerror], [onload], [href^="javascript" i], [href*="onerror" i][href^="//"]',
      ),
    ].map(each => each.outerHTML),
  )
}

/** Panels that count and list the calls of the account, so every call of any test changes them. */
const CALLS_OF_ACCOUNT = ['Account and plan', 'Audit log'].map(name => `[aria-label="${name}"]`).join()

/** What a reader sees beside the navigation, without how long ago something was. */
function picture(page: Page): Promise<string> {
  return page.evaluate(changing => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('.page :is(select, input)')]
    // The text of a list would have all that can be chosen, which may come later.
    const hidden = [...fields, ...document.querySelectorAll<HTMLElement>(changing)]
    for (const { style } of hidden) style.display = 'none'
    const text = document.querySelector<HTMLElement>('.page')?.innerText ?? ''
    for (const { style } of hidden) style.display = ''
    return [...fields.map(({ value }) => value), text]
      .join('\n')
      .replace(/\b\d+ (second|minute|hour)s? ago\b|\bnow\b|\bin \d+ \w+/g, 'lately')
  }, CALLS_OF_ACCOUNT)
}

/** Calls of a page that are not answered yet. Streams of events never end. */
const calls = new WeakMap<Page, Set<Request>>()

async function countCalls(page: Page): Promise<void> {
  const open = new Set<Request>()
  calls.set(page, open)
  page.on('request', each => {
    if (each.resourceType() === 'fetch' && !each.url().includes('/stream')) open.add(each)
  })
  page.on('requestfinished', each => open.delete(each))
  page.on('requestfailed', each => open.delete(each))
}

/** Resolves when every call is answered and drawn, also those of lists to choose from. */
async function answered(page: Page): Promise<void> {
  await settled(page)
  await eventually(async () => expect(calls.get(page)?.size).toBe(0))
  await settled(page)
}

async function isShown(page: Page, expected: string): Promise<void> {
  await answered(page)
  await eventually(async () => expect(await picture(page)).toBe(expected))
}

/** Events of a project in the last minute. */
async function liveEvents(project: string): Promise<unknown[]> {
  const path = `/live?project=${project}&window=60`
  return (await dashboard.get<{ recent_events: unknown[] }>(path)).recent_events
}

async function makeHostileProject(): Promise<void> {
  const { post } = dashboard
  const { project_token: token } = await post<{ project_token: string }>(
    '/projects',
    { name: HOSTILE_PROJECT },
    201,
  )
  const keys = ['path', 'title', 'hostname', 'referrer', 'device', 'browser', 'os', 'language', 'utm_source']
  const properties = Object.fromEntries(keys.map(key => [key, HOSTILE]))
  for (const event of ['page_view', HOSTILE]) {
    for (const session_id of ['hostile-1', HOSTILE]) {
      await post('/track', { token, event, user_id: HOSTILE, session_id, properties }, 202)
    }
  }
  await post(`/projects/${HOSTILE_PROJECT}/views`, { name: HOSTILE, query: 'view=overview' }, 201)
  await eventually(async () => {
    const path = `/stats?project=${HOSTILE_PROJECT}&since=0d`
    const { totals } = await dashboard.get<{ totals: { total_events: number } }>(path)
    expect(totals.total_events).toBe(4)
  })
}
