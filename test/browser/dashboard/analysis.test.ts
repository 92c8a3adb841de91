import { beforeAll, expect, test } from 'vitest'
import type { ScanResponse } from '#schemas/scan-requests'
import type { ScanResult } from '#schemas/website-scans'
import { SITE } from '#test/support/test-scans'
import { settled, useDashboard, violations } from './dashboard.ts'
import { analysisOf, HOSTILE, HOSTILE_SITE, serveAnalysis } from './website-analysis.ts'

/** The view of website analyses shows the result object of the API, and what has arrived since. */

const dashboard = useDashboard()
let scan: ScanResponse
let result: ScanResult
beforeAll(async () => {
  scan = await analysisOf(SITE)
  result = scan.result as ScanResult
})

const placeOf = ({ analysis_id: id }: ScanResponse) => `/app/p/demo/analysis?scan=${id}`

async function open(served: () => ScanResponse, place: string, options = {}, missing = 'plan') {
  const page = await dashboard.open(place, {
    ...options,
    prepare: each => serveAnalysis(each, served, missing),
  })
  await settled(page)
  return page
}

test('events stand in the order of the plan, each with its element, its code and whether it has arrived', async () => {
  const page = await open(() => scan, placeOf(scan))
  const plan = result.minimum_viable_instrumentation
  await page.getByText(result.framing).waitFor()
  const items = page.getByRole('list', { name: 'Events to add first' }).locator('> li')
  const texts = await items.allInnerTexts()
  expect(texts.length).toBe(plan.length)
  for (const [i, { event, why_this_matters_now, placement }] of plan.entries()) {
    for (const part of [event, why_this_matters_now, placement.code, placement.selector ?? '']) {
      expect(texts[i]).toContain(part)
    }
    expect(texts[i]).toContain(i === 0 ? '12 events' : 'Not yet')
  }
  await page.getByText(`1 of ${plan.length} have arrived`).waitFor()
  const titles = await page.locator('main .panel > header h2').allInnerTexts()
  expect(titles).toEqual([
    'example.com',
    'Add these events first',
    'Hand it to a coding agent',
    ...(result.goal_driven_funnels.length > 0 ? ['Funnels that answer your questions'] : []),
    ...(result.not_needed_yet.length > 0 ? ['Not needed yet'] : []),
    ...(result.suggested_ab_tests.length > 0 ? ['Experiments to run later'] : []),
    'Later',
  ])
})

test('the text for an agent is copied as it is', async () => {
  const page = await open(() => scan, placeOf(scan), { permissions: ['clipboard-read', 'clipboard-write'] })
  const section = page.getByRole('region', { name: 'Hand it to a coding agent' })
  await section.getByRole('button', { name: 'Copy' }).click()
  await section.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(scan.agent_handoff.prompt)
})

test('a funnel opens in the builder with its steps, and an experiment in its form', async () => {
  const page = await open(() => scan, placeOf(scan))
  const [funnel] = result.goal_driven_funnels
  const [experiment] = result.suggested_ab_tests
  if (funnel === undefined || experiment === undefined) throw new Error('The plan has neither.')
  await page.getByRole('link', { name: funnel.name, exact: true }).click()
  await page.waitForURL(/\/funnel\?/)
  const steps = new URL(page.url()).searchParams.getAll('step')
  expect(steps).toEqual(funnel.steps.map(({ event }) => event))
  await page.goBack()
  await page.getByRole('link', { name: experiment.name, exact: true }).click()
  await page.waitForURL(/\/experiments\?/)
  expect(await page.getByLabel('Goal').inputValue()).toBe(experiment.success_event)
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

test('an origin that the project does not have, and an analysis that is gone, are said', async () => {
  const name = `scan-${Math.random().toString(36).slice(2)}`
  await dashboard.post('/projects', { name, allowed_origins: 'https://shop.example' }, 201)
  const page = await dashboard.open(`/app/p/${name}/analysis`)
  await settled(page)
  expect(await page.getByLabel('Address of the website').inputValue()).toBe('https://shop.example')
  await page.getByLabel('Address of the website').fill('https://other.example')
  await page.getByRole('button', { name: 'Analyse' }).click()
  await page
    .getByRole('alert')
    .getByText(/origin/)
    .waitFor()
  await page.goto(`/app/p/${name}/analysis?scan=scan_0123456789abcdef`)
  await page.getByText('This does not exist').waitFor()
  await page.getByLabel('Address of the website').waitFor()
})

test('an analysis that has failed says why', async () => {
  const failure = { error: 'SCAN_FAILED', message: 'The website answered with status 500.' }
  const { result: _, ...failed } = { ...scan, status: 'failed' as const, failure }
  const page = await open(() => failed, placeOf(scan))
  await page.getByText(failure.message).waitFor()
  await page.getByRole('link', { name: 'Start another one' }).click()
  await page.getByLabel('Address of the website').waitFor()
})

test('the words of a hostile page stay text', async () => {
  const hostile = await analysisOf(HOSTILE_SITE)
  const page = await open(() => hostile, placeOf(hostile), {}, HOSTILE)
  await page.getByText(`Often without ${HOSTILE}`).waitFor()
  for (const summary of await page.locator('main summary').all()) await summary.click()
  expect(await page.locator('main').innerText()).toContain('<img src=x onerror=')
  expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0)
  expect(await page.title()).toBe('demo · Website analysis · Footfall')
})

test('website analyses are accessible, light and dark', async () => {
  const page = await open(() => scan, placeOf(scan))
  for (const summary of await page.locator('main summary').all()) await summary.click()
  expect(await violations(page)).toEqual([])
  await page.goto('/app/p/demo/analysis?new=1')
  await settled(page)
  expect(await violations(page)).toEqual([])
})
