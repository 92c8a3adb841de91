import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventsLookup, type JourneyParams, journey } from '#core/reports/lookups'
import { runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { fixedLake } from '#test/support/fixed-lake'
import { oracleEvents } from '#test/support/oracle'
import { periodOf } from '#test/support/oracle/common'
import { type History, history, NOW } from '#test/support/random-history'
import { type ReportLake, withReportLake } from '#test/support/report-lake'

const request = fc.record({
  user_id: fc.constantFrom('u1', 'u2', "o'brien", '', 'nobody'),
  filter: fc.constantFrom<{ event?: string; session_id?: string }>(
    {},
    { event: 'page_view' },
    { session_id: 's1' },
    { event: 'signup', session_id: '' },
  ),
  since: fc.constantFrom('0d', '7d', '60d'),
  until: fc.constantFrom<{ until?: string }>({}, {}, { until: '0d' }, { until: '7d' }),
  limit: fc.constantFrom(1, 3, 1000),
})

test('event lookups and journeys equal the oracle for random events in any state of compaction', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(request, { minLength: 2, maxLength: 4 }), async (given, requests) => {
      await withReportLake(given, async ({ services, projects, events }) => {
        for (const project of projects) {
          for (const { user_id, filter, since, until, limit } of requests) {
            const range = { since, ...(since !== '0d' && until) }
            const asked = { project: project.id, ...range, now: NOW }
            const period = periodOf({ ...asked, tz: 'UTC' })
            const { tz: _, ...dates } = period
            const body = { user_id, ...range, limit }
            const found = oracleEvents(events, asked, { user_id, ...filter })
            // A known person is listed, whether or not an event passes the filters.
            const isKnown =
              oracleEvents(events, { project: project.id, since: '3650d', now: NOW }, { user_id }).length > 0
            const page = await runReport(eventsLookup, services, { project, body: { ...body, ...filter } })
            expect(page).toMatchObject({
              project: project.id,
              period: dates,
              count: Math.min(limit, found.length),
            })
            expect(page.events).toEqual(found.slice(0, limit))
            expect(page.profiles).toEqual(isKnown ? [{ user_id }] : [])
            expect(page.next_before === null).toBe(found.length <= limit)
            const timeline = oracleEvents(events, asked, { user_id })
            expect(await runReport(journey, services, { project, query: body })).toEqual({
              project: project.id,
              period: dates,
              profiles: isKnown ? [{ user_id, project: project.id }] : [],
              events: timeline.slice(0, limit).toReversed(),
              count: Math.min(limit, timeline.length),
              next_before: timeline.length > limit ? expect.any(String) : null,
              ...{ has_replay: false, replay_count: 0 },
              ...(timeline.length > limit && { truncated: true }),
            })
            const untold = await readPages(services, project, body)
            expect(untold.flatMap(events => events.toReversed())).toEqual(timeline)
            for (const order of ['asc', 'desc'] as const) {
              const pages = await readPages(services, project, { ...body, order })
              const inOrder = order === 'asc' ? timeline.toReversed() : timeline
              // Each page is in the order that was asked for.
              expect(pages.flat()).toEqual(inOrder)
              const full = pages.slice(0, -1)
              expect(full.map(events => events.length)).toEqual(full.map(() => limit))
            }
          }
        }
      })
    }),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)

/** The events of each page of a journey. */
async function readPages(
  services: ReportLake['services'],
  project: ReportLake['projects'][number],
  query: Partial<JourneyParams>,
): Promise<unknown[][]> {
  const pages: unknown[][] = []
  let before: string | undefined
  do {
    const page = await runReport(journey, services, { project, query: { ...query, before } })
    pages.push(page.events)
    before = page.next_before ?? undefined
  } while (before !== undefined)
  return pages
}

test('a person whose events all come after the range is listed', async () => {
  const sender = { project: 'proj_a', country: null, file: 0, pause: 0 } as const
  const event = { event: 'signup', user_id: 'u1', session_id: null, event_id: null, properties: null, lag: 0 }
  const given: Pick<History, 'epochs' | 'compacted' | 'mergeEnds'> = {
    epochs: [{ gap: 0, requests: [{ ...sender, items: [event] }] }],
    compacted: 1,
    mergeEnds: [],
  }
  await withReportLake(given, async ({ services, projects: [project] }) => {
    const body = { user_id: 'u1', since: '7d', until: '7d', limit: 10 }
    const lookup = { project: project as NonNullable<typeof project>, body }
    expect(await runReport(eventsLookup, services, lookup)).toMatchObject({
      count: 0,
      profiles: [{ user_id: 'u1' }],
    })
    expect(await runReport(journey, services, lookup)).toMatchObject({
      count: 0,
      profiles: [{ user_id: 'u1' }],
    })
    const nobody = { ...lookup, body: { ...body, user_id: 'u2' } }
    expect((await runReport(eventsLookup, services, nobody)).profiles).toEqual([])
  })
})

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
    period: expect.anything(),
    events: [],
    count: 0,
    next_before: null,
    profiles: [],
  })
  expect(await runReport(journey, services, { project, body })).toEqual({
    project: 'shop',
    period: expect.anything(),
    profiles: [],
    events: [],
    count: 0,
    next_before: null,
    ...{ has_replay: false, replay_count: 0 },
  })
})
