import type { APIResponse, Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { views } from '#dashboard/views'
import { makeHostileProject, OWN_HOSTILE } from '#test/dashboard/hostile-project'
import { pathOfView } from '#test/dashboard/path-of-view'
import { eventually } from '#test/support/eventually'
import { goTo, settled, takeFaults, useDashboard } from './dashboard.ts'

/**
 * What holds for every row of the table of views, also for the next one. A page that violates the policy of
 * the dashboard, that logs an error or that asks another host fails its test (dashboard.ts).
 */

const STATE =
  'range=14d&compare=year&tz=America/New_York&f=country%3Aeq%3ADE&f=properties.device%3Aneq%3Atablet&last=1m'

const dashboard = useDashboard()

describe('the same picture after a reload, in a new tab, after back and after forward', () => {
  let page: Page
  beforeAll(async () => {
    page = await dashboard.open('/app/p/demo/settings', { isKept: true, prepare: keepAnswers })
  })

  test.each(views.map(row => [row.name, row] as const))('has the view %s', async (_, row) => {
    await goTo(page, `${pathOfView(row)}?${STATE}`)
    await answered(page)
    const [address, shown] = [page.url(), await picture(page)]
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
    await page.goBack()
    await page.reload()
    await isShown(page, shown)
    const tab = await page.context().newPage()
    countCalls(tab)
    await tab.goto(address)
    await isShown(tab, shown)
    await tab.close()
  })
})

describe('a project whose every text is hostile', () => {
  let project: string
  let page: Page
  beforeAll(async () => {
    project = await makeHostileProject(dashboard)
    page = await dashboard.open(pathOfView({ name: 'settings', of: 'project' }, project), { isKept: true })
  })

  test.each(views.map(row => [row.name, row] as const))('runs nothing in the view %s', async (_, row) => {
    for (const query of ['range=1d', OWN_HOSTILE]) {
      await goTo(page, `${pathOfView(row, project)}?${query}`)
      expect(await markup(page), query).toEqual([])
      expect(await page.evaluate(() => 'owned' in globalThis)).toBe(false)
    }
    const title = row.of === 'project' ? `${project} · ${row.title}` : row.title
    await expect.poll(() => page.title()).toBe(`${title} · Footfall`)
  })
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

/** What a reader sees beside the navigation, without how long ago something was. */
function picture(page: Page): Promise<string> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('.page :is(select, input)')]
    // The text of a list would have all that can be chosen, which may come later.
    for (const { style } of fields) style.display = 'none'
    const text = document.querySelector<HTMLElement>('.page')?.innerText ?? ''
    for (const { style } of fields) style.display = ''
    return [...fields.map(({ value }) => value), text]
      .join('\n')
      .replace(/\b\d+ (second|minute|hour)s? ago\b|\bnow\b|\bin \d+ \w+/g, 'lately')
  })
}

/**
 * Gives the first answer of the service again to whoever asks the same: meanwhile events of the demo leave
 * the live view, and other tests use the account.
 */
async function keepAnswers(page: Page): Promise<void> {
  const answers = new Map<string, Promise<{ response: APIResponse; body: Buffer }>>()
  countCalls(page)
  await page.context().route(/./, async (route, request) => {
    if (request.resourceType() !== 'fetch' || request.url().includes('/stream')) return route.continue()
    const key = `${request.method()} ${request.url()} ${request.postData()}`
    const answer =
      answers.get(key) ?? route.fetch().then(async response => ({ response, body: await response.body() }))
    answers.set(key, answer)
    await route.fulfill(await answer)
  })
}

/** Calls of a page that are not answered yet. Streams of events never end. */
const calls = new WeakMap<Page, Set<Request>>()

function countCalls(page: Page): void {
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
