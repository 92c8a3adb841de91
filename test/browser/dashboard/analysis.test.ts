import { beforeAll, expect, test } from 'vitest'
import type { ScanResponse } from '#schemas/scan-requests'
import type { ScanResult } from '#schemas/website-scans'
import { analysisOf } from '#test/dashboard/website-analysis'
import { SITE } from '#test/support/test-scans'
import { settled, useDashboard, violations } from './dashboard.ts'
import { serveAnalysis } from './serve-analysis.ts'

/** A website analysis is started, handed to an agent, and found again. */

const dashboard = useDashboard()
let scan: ScanResponse
let result: ScanResult
beforeAll(async () => {
  scan = await analysisOf(SITE)
  result = scan.result as ScanResult
})

const placeOf = ({ analysis_id: id }: ScanResponse) => `/app/p/demo/analysis?scan=${id}`

async function open(served: () => ScanResponse, place: string, options = {}) {
  const page = await dashboard.open(place, { ...options, prepare: each => serveAnalysis(each, served) })
  await settled(page)
  return page
}

test('the text for an agent is copied as it is, and the plan is accessible, light and dark', async () => {
  const page = await open(() => scan, placeOf(scan), { permissions: ['clipboard-read', 'clipboard-write'] })
  const section = page.getByRole('region', { name: 'Hand it to a coding agent' })
  await section.getByRole('button', { name: 'Copy' }).click()
  await section.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(scan.agent_handoff.prompt)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  expect(await violations(page, 'main')).toEqual([])
})

test('by keyboard alone: a full analysis is started for the project, and found again later', async () => {
  let isDone = false
  const running = { ...scan, status: 'running' as const, stage: 'reading', finished_at: null }
  const { result: _, ...unfinished } = running
  const page = await open(() => (isDone ? scan : unfinished), '/app/p/demo/analysis')
  await page.getByLabel('Address of the website').fill('https://example.com')
  await page.getByLabel('What you want to reach').focus()
  await page.keyboard.type('More sign-ups')
  const started = page.waitForRequest('**/cli/website-scans')
  await page.keyboard.press('Enter')
  expect((await started).postDataJSON()).toEqual({
    url: 'https://example.com',
    project: 'demo',
    full: true,
    focus: 'More sign-ups',
  })
  await page.getByText('The analysis is running. Reading what visitors can do.').waitFor()
  isDone = true
  await page.getByText(result.framing).waitFor()
  await page.goto('/app/p/demo/analysis')
  await page.waitForURL(/scan=/)
  await page.getByText(result.framing).waitFor()
})

test('an origin that the project does not have is said', async () => {
  const name = `scan-${Math.random().toString(36).slice(2)}`
  const origin = `https://${name}.example`
  await dashboard.post('/projects', { name, allowed_origins: origin }, 201)
  const page = await dashboard.visit(`/app/p/${name}/analysis`)
  expect(await page.getByLabel('Address of the website').inputValue()).toBe(origin)
  await page.getByLabel('Address of the website').fill('https://other.example')
  await page.getByRole('button', { name: 'Analyse' }).click()
  await page
    .getByRole('alert')
    .getByText(/origin/)
    .waitFor()
})

test('the origin of the site is allowed with one click, as the analysis says', async () => {
  const name = `scan-${Math.random().toString(36).slice(2)}`
  await dashboard.post('/projects', { name, allowed_origins: 'https://example.com' }, 201)
  const origin = 'https://www.example.com'
  const body = { allowed_origins: `https://example.com,${origin}` }
  const change = { method: 'PATCH' as const, path: `/projects/${name}`, body }
  let isAllowed = false
  const served = () => ({
    ...scan,
    project_id: name,
    site_origin: { origin, is_allowed: isAllowed, change: isAllowed ? null : change },
  })
  const page = await open(served, `/app/p/${name}/analysis?scan=${scan.analysis_id}`)
  const sent = page.waitForRequest(request => request.method() === 'PATCH')
  isAllowed = true
  await page.getByRole('button', { name: `Allow ${origin}` }).click()
  expect((await sent).postDataJSON()).toEqual(body)
  await page.getByText('Events from this site are refused').waitFor({ state: 'detached' })
})
