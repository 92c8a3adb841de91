import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventsLookup, journey } from '#core/reports/lookups'
import { runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { fixedLake } from '#test/support/fixed-lake'
import { oracleEvents } from '#test/support/oracle'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const request = fc.record({
  user_id: fc.constantFrom('u1', 'u2', "o'brien", '', 'nobody'),
  filter: fc.constantFrom<{ event?: string; session_id?: string }>(
    {},
    { event: 'page_view' },
    { session_id: 's1' },
    { event: 'signup', session_id: '' },
  ),
  since: fc.constantFrom('0d', '7d', '60d'),
  limit: fc.constantFrom(1, 3, 1000),
})

test('event lookups and journeys equal the oracle for random events in any state of compaction', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(request, { minLength: 2, maxLength: 4 }), async (given, requests) => {
      await withReportLake(given, async ({ services, projects, events }) => {
        for (const project of projects) {
          for (const { user_id, filter, since, limit } of requests) {
            const asked = { project: project.id, since, now: NOW }
            const body = { user_id, since, limit }
            const found = oracleEvents(events, asked, { user_id, ...filter })
            // A known person is listed, whether or not an event passes the filters.
            const isKnown = oracleEvents(events, { ...asked, since: '3650d' }, { user_id }).length > 0
            const page = await runReport(eventsLookup, services, { project, body: { ...body, ...filter } })
            expect(page).toMatchObject({ project: project.id, count: Math.min(limit, found.length) })
            expect(page.events).toEqual(found.slice(0, limit))
            expect(page.profiles).toEqual(isKnown ? [{ user_id }] : [])
            expect(page.next_before === null).toBe(found.length <= limit)
            const timeline = oracleEvents(events, asked, { user_id })
            expect(await runReport(journey, services, { project, query: body })).toEqual({
              project: project.id,
              profiles: isKnown ? [{ user_id, project: project.id }] : [],
              events: timeline.slice(0, limit).toReversed(),
              count: Math.min(limit, timeline.length),
              ...(timeline.length > limit && { truncated: true }),
            })
          }
        }
      })
    }),
    { ...propertySettings(2), endOnFailure: false },
  )
}, 1_800_000)

test('a lookup by an e-mail address that nobody has sent finds nothing, and reads nothing', async () => {
  const services = {
    engine: {
      rows: async () => {
        throw new Error('no statement is needed')
      },
    },
    openLake: async () => fixedLake(),
    clock: { now: () => NOW },
  }
  const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
  const body = { email: 'a@example.com', limit: 10 }
  expect(await runReport(eventsLookup, services, { project, body })).toEqual({
    project: 'shop',
    events: [],
    count: 0,
    next_before: null,
    profiles: [],
  })
  expect(await runReport(journey, services, { project, body })).toEqual({
    project: 'shop',
    profiles: [],
    events: [],
    count: 0,
  })
})
