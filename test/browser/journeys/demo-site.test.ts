import { execFileSync } from 'node:child_process'
import type { Browser } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { EventRow } from '#schemas/event'
import type { EventsResponse } from '#schemas/events'
import type { Stats } from '#schemas/stats'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import type { Service } from '#test/support/service-process'
import { readJson } from '#test/support/service-reads'
import { sharedService } from '#test/support/shared-service'
import { HUMAN_BROWSER_VERSION } from '#test/support/user-agents'

/**
 * The demo site, which only the service of one machine has: from its pages in a browser to the service's
 * responses. No other file sends events to the demo project of the shared service.
 */

let service: Service
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([sharedService(), sharedBrowser()])
})

/** Waits until the demo project has `count` events. Returns them, oldest first. */
function waitForEvents(count: number): Promise<EventRow[]> {
  return eventually(async () => {
    const { events } = await readJson<EventsResponse>(service, '/events?project=demo&since=0d')
    expect(events.map(row => row.event)).toHaveLength(count)
    return events.reverse() as EventRow[]
  })
}

test('every page view and click on the demo site is in /events and /stats', async () => {
  const page = await browser.newPage(HUMAN_BROWSER)
  await page.goto(`${service.baseUrl}/demo/?utm_source=readme`)
  await page.getByRole('link', { name: 'Read the guide' }).click()
  await page.waitForURL('**/demo/guide')
  await page.getByRole('button', { name: 'I heard one' }).click()
  await page.getByRole('link', { name: 'Pricing' }).click()
  await page.getByRole('link', { name: 'Choose Warden' }).click()
  await page.waitForURL('**/demo/join?plan=warden')
  await page.getByRole('button', { name: 'Create my notebook' }).click()
  const panel = await page.locator('#curl-events').textContent()
  await page.goto('about:blank')

  const events = await waitForEvents(8)
  expect(events.map(row => [row.event, row.properties?.path])).toEqual([
    ['page_view', '/demo/'],
    ['cta_clicked', '/demo/'],
    ['page_view', '/demo/guide'],
    ['sighting_logged', '/demo/guide'],
    ['page_view', '/demo/pricing'],
    ['signup_started', '/demo/pricing'],
    ['page_view', '/demo/join'],
    ['signup', '/demo/join'],
  ])
  expect(new Set(events.map(row => row.session_id)).size).toBe(1)
  expect(new Set(events.map(row => row.user_id)).size).toBe(1)
  expect(events[3]!.properties).toEqual({
    species: 'Bittern',
    habitat: 'reeds',
    url: `${service.baseUrl}/demo/guide`,
    path: '/demo/guide',
    hostname: 'localhost',
    title: 'Four birds of the still water – Heronry',
    referrer: `${service.baseUrl}/demo/`,
    language: 'en-GB',
    screen: '1280x800',
    timezone: 'Europe/Berlin',
    browser: 'Chrome',
    browser_version: HUMAN_BROWSER_VERSION,
    os: 'Linux',
    device: 'desktop',
    session_count: 1,
    days_since_first_visit: 0,
    utm_source: 'readme',
    first_utm_source: 'readme',
  })

  const stats = await readJson<Stats>(service, '/stats?project=demo&since=0d')
  expect(stats.totals).toEqual({ unique_users: 1, total_events: 8 })
  expect(stats.events[0]).toEqual({ event: 'page_view', count: 4, unique_users: 1 })
  expect(stats.sessions).toMatchObject({
    total_sessions: 1,
    bounce_rate: 0,
    pages_per_session: 8,
    sessions_per_user: 1,
  })

  await runPanelCommands(panel!, events)
  await page.context().close()
})

/**
 * Runs the commands of the panel: the first line reads the API key, and the address returns this user's
 * events.
 */
async function runPanelCommands(panel: string, events: EventRow[]) {
  const [readKey] = panel.split('\n')
  const key = execFileSync('sh', ['-c', `${readKey}\nprintf %s "$KEY"`], { encoding: 'utf8' })
  expect(key).toBe(service.credentials.api_key)
  const [, address] = /"(http[^"]*)"/.exec(panel)!
  expect(address).toContain(`user_id=${events[0]!.user_id}`)
  const response = await fetch(address!, { headers: { 'X-API-Key': key } })
  const body = (await response.json()) as EventsResponse
  expect(body.events).toEqual([...events].reverse())
}
