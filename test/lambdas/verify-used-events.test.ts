import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUsedEvents } from '#core/usage/used-events'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { openTestState } from '#test/support/test-state'

/** Which events of a plan a report has named: the check says so of events that arrive often. */

const EVENTS = ['trial_started', 'demo_booked', 'newsletter_submitted', 'contact_started', 'demo_requested']

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({
    profile: 'hosted',
    limits: 'account_scans_per_hour=-1',
    reading: {
      engine: {
        // Each event has arrived often; all other reads find nothing.
        rows: async ({ text }) =>
          text.includes('AS event_of_session')
            ? names.map(event => ({ event, events: 200, last_at: 1, after_page_view: 0, repeats: 0 }))
            : [],
      },
    },
  })
})
afterAll(() => service.close())

let names: string[] = EVENTS

async function unusedOf(id: string): Promise<string[]> {
  const { body } = await service.call(routes.verifyScan, { id })
  const events = body.events as { event: string; warnings: string[] }[]
  return events.filter(({ warnings }) => /No report/.test(warnings.join())).map(({ event }) => event)
}

test('an event is unused until a report, an experiment or the context has named it', async () => {
  const { project } = await service.projects.create({ account: service.owner, name: 'used' })
  const { body: scan } = await service.call(routes.createProjectScan, {
    body: { url: 'https://used.example.com/', project: project.name, full: true },
  })
  const result = scan.result as { minimum_viable_instrumentation: { event: string }[] }
  names = result.minimum_viable_instrumentation.map(({ event }) => event)
  const id = String(scan.analysis_id)
  const unused = await unusedOf(id)
  expect(unused).toEqual(names)
  const [funneled = '', filtered = '', tested = '', written = '', asked = ''] = unused

  const steps = ['page_view', funneled].map(event => ({ event }))
  const filters = [{ field: 'event', op: 'eq', value: filtered }]
  const calls = [
    service.call(routes.funnel, { body: { project: 'used', steps } }),
    service.call(routes.query, { body: { project: 'used', filters } }),
    service.call(routes.createExperiment, {
      body: { project: 'used', name: 'words', variants: ['control', 'b'], goal_event: tested },
    }),
    service.call(routes.putProjectContext, {
      body: { project: 'used', activation_events: [written] },
    }),
    // A dry run answers nothing, so it does not count.
    service.call(routes.paths, { body: { project: 'used', goal_event: asked, dry_run: true } }),
  ]
  for (const { status, text } of await Promise.all(calls)) expect(status, text).toBeLessThan(300)
  await expect.poll(() => unusedOf(id)).toEqual(unused.slice(4))
  await service.call(routes.breakdown, { query: { project: 'used', property: 'path', event: asked } })
  await expect.poll(() => unusedOf(id)).toEqual(unused.slice(5))
})

test('at most 300 names of a project are kept, and then nothing is said to be unused', async () => {
  const state = await openTestState()
  const used = createUsedEvents(state)
  await used.note('proj_1', ['$download', 'Sign Up', 'x', 'a'.repeat(65), 'signup_started', 'signup_started'])
  expect(await used.read('proj_1')).toEqual({ names: new Set(['signup_started']), isFull: false })
  for (let i = 0; i < 310; i++) await used.note('proj_1', [`event_${i}`])
  const { names: kept, isFull } = await used.read('proj_1')
  expect([kept.size, isFull]).toEqual([300, true])
  // Another process does not count a name twice.
  await createUsedEvents(state).note('proj_2', ['signup_started'])
  await createUsedEvents(state).note('proj_2', ['signup_started'])
  expect(await used.read('proj_2')).toEqual({ names: new Set(['signup_started']), isFull: false })
  await state.close()
})
