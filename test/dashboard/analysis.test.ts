import { beforeAll, expect, test } from 'vitest'
import type { ScanResponse } from '#schemas/scan-requests'
import type { ScanResult } from '#schemas/website-scans'
import { SITE } from '#test/support/test-scans'
import { useDrawings } from './drawn-view.ts'
import { analysisOf, answerOfAnalysis, HOSTILE, HOSTILE_SITE } from './website-analysis.ts'

/** The view of website analyses shows the result object of the API, and what has arrived since. */

const drawings = useDrawings()
let scan: ScanResponse
let result: ScanResult
beforeAll(async () => {
  scan = await analysisOf(SITE)
  result = scan.result as ScanResult
})

/** Draws the view with an analysis that the service of the tests does not have. */
function drawAnalysis(served: ScanResponse, missing?: string) {
  return drawings.draw(`/app/p/demo/analysis?scan=${served.analysis_id}`, {
    answer({ pathname }) {
      const known = answerOfAnalysis(pathname, served, missing)
      return known && Promise.resolve(Response.json(known))
    },
  })
}

test('events stand in the order of the plan, each with its element, its code and whether it has arrived', async () => {
  const page = await drawAnalysis(scan)
  const plan = result.minimum_viable_instrumentation
  expect(page.text()).toContain(result.framing)
  const texts = page.texts('[aria-label="Events to add first"] > li')
  expect(texts.length).toBe(plan.length)
  for (const [i, { event, why_this_matters_now, placement }] of plan.entries()) {
    for (const part of [event, why_this_matters_now, placement.code, placement.selector ?? '']) {
      expect(texts[i]).toContain(part)
    }
    expect(texts[i]).toContain(i === 0 ? '12 events' : 'Not yet')
  }
  expect(page.text()).toContain(`1 of ${plan.length} have arrived`)
  expect(page.texts('main .panel > header h2')).toEqual([
    'example.com',
    'Add these events first',
    'Hand it to a coding agent',
    ...(result.goal_driven_funnels.length > 0 ? ['Funnels that answer your questions'] : []),
    ...(result.not_needed_yet.length > 0 ? ['Not needed yet'] : []),
    ...(result.suggested_ab_tests.length > 0 ? ['Experiments to run later'] : []),
    'Later',
  ])
})

test('an event that has arrived says from which page, and what to change first', async () => {
  const [first, ...others] = (await drawAnalysis(scan)).texts('[aria-label="Events to add first"] > li')
  expect(first).toContain('from /plan')
  expect(first).toContain('To do: Add data-aa-event-plan. (app/)')
  expect(others.join()).not.toContain('To do')
})

test('a site at an origin that the project lacks says so and offers the change; an allowed one says nothing', async () => {
  const title = 'Events from this site are refused'
  expect((await drawAnalysis(scan)).text()).not.toContain(title)
  const origin = 'https://www.example.com'
  const body = { allowed_origins: `https://example.com,${origin}` }
  const change = { method: 'PATCH' as const, path: `/projects/${scan.project_id}`, body }
  const page = await drawAnalysis({ ...scan, site_origin: { origin, is_allowed: false, change } })
  expect(page.text()).toContain(title)
  expect(page.texts('main button.primary')).toContain(`Allow ${origin}`)
})

test('a funnel opens in the builder with its steps, and an experiment in its form', async () => {
  const page = await drawAnalysis(scan)
  const [funnel] = result.goal_driven_funnels
  const [experiment] = result.suggested_ab_tests
  if (funnel === undefined || experiment === undefined) throw new Error('The plan has neither.')
  const builder = new URL(page.linkOf(funnel.name), page.address)
  expect(builder.pathname).toMatch(/\/funnel$/)
  expect(builder.searchParams.getAll('step')).toEqual(funnel.steps.map(({ event }) => event))
  const form = await drawings.draw(page.linkOf(experiment.name))
  expect(form.address.pathname).toMatch(/\/experiments$/)
  expect(form.all('main input').map(({ attribs }) => attribs.value)).toContain(experiment.success_event)
})

test('an analysis that has failed says why, and leads to another one', async () => {
  const failure = { error: 'SCAN_FAILED', message: 'The website answered with status 500.' }
  const { result: _, ...failed } = { ...scan, status: 'failed' as const, failure }
  const page = await drawAnalysis(failed)
  expect(page.text()).toContain(failure.message)
  const form = await drawings.draw(page.linkOf('Start another one'))
  expect(form.text()).toContain('Address of the website')
})

test('an analysis that is gone is said, and the form for another one stands there', async () => {
  const name = `scan-${Math.random().toString(36).slice(2)}`
  const allowed_origins = `https://${name}.example`
  await drawings.post('/projects', { name, allowed_origins }, 201)
  const page = await drawings.draw(`/app/p/${name}/analysis?scan=scan_0123456789abcdef`)
  expect(page.text()).toContain('This does not exist')
  expect(page.all('main input').map(({ attribs }) => attribs.value)).toContain(allowed_origins)
})

test('the words of a hostile page stay text', async () => {
  const page = await drawAnalysis(await analysisOf(HOSTILE_SITE), HOSTILE)
  expect(page.text()).toContain(`Often without ${HOSTILE}`)
  expect(page.text()).toContain('<img src=x onerror=')
  expect(page.foreignMarkup()).toEqual([])
})
