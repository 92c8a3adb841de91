import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { settled, useDashboard } from './dashboard.ts'

/** Whose days a view counts: those of its address, else of its project, else of the reader. */

const dashboard = useDashboard()

type Project = { id: string; name: string; timezone: string | null }

/** 14 hours ahead of UTC, and 13 ahead of the reader. */
const ZONE = 'Pacific/Kiritimati'
const READER = { timezoneId: 'Europe/Berlin' }

/** A project with one event, which the heatmap shows. */
async function newProject(timezone?: string): Promise<Project> {
  const name = `zone-${Math.random().toString(36).slice(2)}`
  const made = await dashboard.post<Project & { project_token: string }>('/projects', { name, timezone }, 201)
  await dashboard.post('/track', { token: made.project_token, event: 'signup' }, 202)
  await eventually(async () =>
    expect(await dashboard.get(`/stats?project=${name}`)).toMatchObject({ totals: { total_events: 1 } }),
  )
  return made
}

/** The zones of the reports that a page asks for from now on. */
function watchZones(page: Page): string[] {
  const zones: string[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/heatmap') zones.push(searchParams.get('tz') ?? '')
  })
  return zones
}

const zoneSelect = (page: Page) =>
  page.getByRole('region', { name: 'Range and filters' }).getByLabel('Time zone')
const chosenZone = (page: Page) => zoneSelect(page).locator('option:checked').textContent()

test('a view counts in the zone of its project, which the next visit asks at once', async () => {
  const { name, id } = await newProject(ZONE)
  const page = await dashboard.open(`/app/p/${name}/heatmap`, READER)
  await page.getByText('hours of Pacific/Kiritimati').waitFor()
  expect(await chosenZone(page)).toBe('Pacific/Kiritimati (project)')
  const zones = watchZones(page)
  await page.reload()
  await page.getByText('hours of Pacific/Kiritimati').waitFor()
  await settled(page)
  expect(zones).toEqual([ZONE])
  // The demo has other projects, and a view of it is no reason to forget these.
  await Promise.all([
    page.waitForResponse(response => new URL(response.url()).pathname === '/projects'),
    page.goto('/app/demo/retention'),
  ])
  await settled(page)
  await page.goto(`/app/p/${name}/heatmap`)
  await page.getByText('hours of Pacific/Kiritimati').waitFor()
  expect(zones).toEqual([ZONE, ZONE])

  // Somebody changes the zone. This browser learns of it from the list of projects.
  const headers = { 'X-API-Key': dashboard.service.credentials.api_key }
  const changed = await fetch(`${dashboard.service.baseUrl}/projects/${id}`, {
    ...{ method: 'PATCH', headers, body: JSON.stringify({ timezone: 'Asia/Tokyo' }) },
  })
  expect(changed.status).toBe(200)
  await page.reload()
  await page.getByText('hours of Asia/Tokyo').waitFor()
  expect(zones).toEqual([ZONE, ZONE, ZONE, 'Asia/Tokyo'])
})

test('a reader chooses their own zone, another one, and that of the project again', async () => {
  const { name } = await newProject(ZONE)
  const page = await dashboard.open(`/app/p/${name}/heatmap`, READER)
  await page.getByText('hours of Pacific/Kiritimati').waitFor()
  const first = await zoneSelect(page).locator('option').allTextContents()
  expect(first.slice(0, 3)).toEqual(['Pacific/Kiritimati (project)', 'Europe/Berlin (yours)', 'UTC'])
  expect(new Set(first).size).toBe(first.length)
  expect(first.length).toBeGreaterThan(300)
  for (const [zone, label] of [
    ['Europe/Berlin', 'Europe/Berlin (yours)'],
    ['America/New_York', 'America/New York'],
  ] as const) {
    await zoneSelect(page).selectOption(zone)
    await page.getByText(`hours of ${zone.replace('_', ' ')}`).waitFor()
    expect(new URL(page.url()).searchParams.get('tz')).toBe(zone)
    await page.reload()
    await page.getByText(`hours of ${zone.replace('_', ' ')}`).waitFor()
    expect(await chosenZone(page)).toBe(label)
  }
  await zoneSelect(page).selectOption('')
  await page.getByText('hours of Pacific/Kiritimati').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.goto(`/app/p/${name}/heatmap?tz=${ZONE}`)
  await settled(page)
  expect(await chosenZone(page)).toBe('Pacific/Kiritimati (project)')
})

test('the settings give a project a zone and take it away, and the toolbar follows', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  const form = page.getByRole('region', { name: 'Project', exact: true })
  const zoneOf = async () => (await dashboard.get<Project>(`/projects/${id}`)).timezone
  for (const [zone, label] of [
    [ZONE, 'Pacific/Kiritimati (project)'],
    ['', 'Europe/Berlin'],
  ] as const) {
    await form.getByLabel('Time zone').selectOption(zone)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(zoneOf).toBe(zone || null)
    await expect.poll(() => chosenZone(page)).toBe(label)
  }
})
