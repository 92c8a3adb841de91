import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIdentity } from '#core/identity/identity-view'
import { events } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { journey } from '#core/reports/lookups'
import { query } from '#core/reports/query/query'
import { retention } from '#core/reports/retention/retention'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { propertySettings } from '#test/support/depth'
import { readableEmails } from '#test/support/no-identity'
import { oracleEvents, oracleStats } from '#test/support/oracle'
import { oracleFunnel } from '#test/support/oracle/funnel'
import { oracleIdentity } from '#test/support/oracle/identity'
import { oracleQuery } from '#test/support/oracle/query'
import { oracleRetention } from '#test/support/oracle/retention'
import { oracleSessions } from '#test/support/oracle/sessions'
import { orderedHistory } from '#test/support/ordered-history'
import { NOW } from '#test/support/random-history'
import { LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { withReportLake } from '#test/support/report-lake'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY = 86_400_000

let state: TestState

beforeAll(async () => {
  state = await openTestState()
})

afterAll(() => state.close())

const request = fc.record({
  since: fc.constantFrom('0d', '7d', '30d', '60d'),
  groupBy: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
  user_id: fc.constantFrom(...LINKED_IDS),
  limit: fc.constantFrom(2, 1000),
})

const FUNNEL = {
  steps: [
    { event: 'page_view', filters: [] },
    { event: 'signup', filters: [] },
  ],
  count_by: 'user_id' as const,
  conversion_window_hours: 168,
  breakdown_limit: 10,
}

test('reports count the events of all ids of a person for the final id, in any state of the lake and of the links', async () => {
  let rewritten = 0
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      randomLinks,
      fc.array(request, { minLength: 1, maxLength: 1 }),
      async (given, links, requests) => {
        await state.empty()
        await withReportLake(given, async ({ services, projects, events: sent, lake }) => {
          const { identity, project: scopedProject } = await processLinks(links, {
            ...{ state, lake },
            fields: projects,
          })
          const oracle = oracleIdentity(links.links, id => (links.isJoined ? 'joined' : id))
          const stored = oracle.rewrite(sent)
          rewritten += stored.filter((event, i) => event.user_id !== sent[i]?.user_id).length
          for (const project of projects) {
            const { engine } = services
            const view = await openIdentity(
              { identity, emails: readableEmails, engine },
              scopedProject(project.id),
            )
            const common = { project, identity: view }
            for (const { since, groupBy, user_id, limit } of requests) {
              const asked = { project: project.id, since, now: NOW, tz: 'UTC' }
              const final = oracle.finalId(project.id, user_id)
              expect(await runReport(stats, services, { ...common, query: { since, groupBy } })).toEqual(
                oracleStats(stored, { ...asked, groupBy, tz: undefined }),
              )
              const page = await runReport(events, services, { ...common, query: { since, limit, user_id } })
              expect(page.events).toEqual(oracleEvents(stored, asked, { user_id: final }).slice(0, limit))
              expect(
                await runReport(sessions, services, {
                  ...common,
                  query: { since, tz: 'UTC', limit, user_id },
                }),
              ).toEqual(oracleSessions(stored, asked, { limit, user_id: final }))
              const cohorts = {
                ...{ period: 'day' as const, cohorts: 8, event: undefined, tz: 'UTC' },
                people_of_cohort: new Date(NOW - (rewritten % 8) * DAY).toJSON().slice(0, 10),
              }
              expect(await runReport(retention, services, { ...common, query: cohorts })).toEqual(
                oracleRetention(stored, asked, cohorts),
              )
              expect(
                await runReport(funnel, services, { ...common, body: { ...FUNNEL, since } }),
              ).toMatchObject({
                steps: oracleFunnel(stored, asked, FUNNEL).steps,
              })
              const question = {
                ...{ metrics: ['unique_users', 'event_count'], group_by: ['user_id'], limit: 1000 },
                ...{ count_mode: 'session_then_user' as const, order: 'desc' as const, order_by: undefined },
                filters: [{ field: 'user_id', op: 'eq' as const, value: final }],
              }
              expect(
                await runReport(query, services, { ...common, body: { ...question, date_from: since } }),
              ).toMatchObject(oracleQuery(stored, asked, question))
              // In a joined scope a journey goes through both projects.
              const body = await runReport(journey, services, { ...common, query: { since, limit, user_id } })
              const timeline = projects
                .filter(({ id }) => links.isJoined || id === project.id)
                .flatMap(({ id }) =>
                  oracleEvents(stored, { ...asked, project: id }, { user_id: final }).map(event => ({
                    ...event,
                    ...(links.isJoined && { project: id }),
                  })),
                )
                .toSorted((a, b) => (a.id < b.id ? 1 : -1))
              expect(body.events).toEqual(timeline.slice(0, limit).toReversed())
              // A person is known by a link, or by any event, also outside the range.
              const isKnown =
                user_id !== final ||
                stored.some(
                  event => event.user_id === final && (links.isJoined || event.project_id === project.id),
                )
              expect(new Set(body.profiles.map(profile => profile.user_id))).toEqual(
                new Set(isKnown ? [final] : []),
              )
            }
          }
        })
      },
    ),
    { ...propertySettings(1), endOnFailure: false },
  )
  // Ids must be rewritten, or the test proves nothing.
  expect(rewritten).toBeGreaterThan(0)
}, 1_800_000)
