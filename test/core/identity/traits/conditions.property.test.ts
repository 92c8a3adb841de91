import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIdentity } from '#core/identity/identity-view'
import { conversion } from '#core/reports/conversion'
import { funnel } from '#core/reports/funnel/funnel'
import { query } from '#core/reports/query/query'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { propertySettings } from '#test/support/depth'
import { readableEmails } from '#test/support/no-identity'
import { oracleConditions } from '#test/support/oracle/conditions'
import { oracleConversion } from '#test/support/oracle/conversion'
import { oracleFunnel } from '#test/support/oracle/funnel'
import { oracleIdentity } from '#test/support/oracle/identity'
import { oracleQuery } from '#test/support/oracle/query'
import { oracleSessions } from '#test/support/oracle/sessions'
import { orderedHistory } from '#test/support/ordered-history'
import { traitLeaf } from '#test/support/random-conditions'
import { NOW } from '#test/support/random-history'
import { processLinks, randomLinks } from '#test/support/random-links'
import { knownTraits, randomTraits, writeTraits } from '#test/support/random-traits'
import { withReportLake } from '#test/support/report-lake'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** A trait that some people have, and one that nobody has. */
const GROUPS = ['traits.plan', 'traits["a.b"]', 'traits[""]', 'traits.nobody']

const BODY = {
  ...{ metrics: ['event_count', 'unique_users'], group_by: ['event'], filters: [], limit: 1000 },
  ...{ count_mode: 'raw' as const, order: 'desc' as const },
}

test('a condition about a trait chooses the people who have it, whatever their ids are linked to', async () => {
  let chosen = 0
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      randomLinks,
      randomTraits,
      fc.array(traitLeaf, { minLength: 4, maxLength: 4 }),
      async (given, links, sent, leaves) => {
        await state.empty()
        await withReportLake(given, async ({ services, projects, events, lake }) => {
          const { identity, project: scoped } = await processLinks(links, { state, lake, fields: projects })
          const oracle = oracleIdentity(links.links, id => (links.isJoined ? 'joined' : id))
          const stored = oracle.rewrite(events)
          const openTraits = await writeTraits(lake, sent)
          for (const project of projects) {
            const opened = await openIdentity(
              { identity, emails: readableEmails, engine: services.engine },
              scoped(project.id),
            )
            const common = { project, identity: { ...opened, openTraits } }
            const request = { project: project.id, since: '60d', now: NOW, tz: 'UTC' }
            const traitsOf = knownTraits(sent, project.id, id => oracle.finalId(project.id, id))
            const expected = oracleConditions(stored, request, traitsOf)
            for (const where of leaves) {
              const asked = { since: '60d', tz: 'UTC', where }
              const passing = expected.passing(where)
              if (passing.length > 0 && passing.length < stored.length) chosen++
              expect(
                await runReport(query, services, { ...common, body: { ...asked, ...BODY } }),
              ).toMatchObject(oracleQuery(passing, request, BODY))
              expect(
                await runReport(sessions, services, { ...common, query: { ...asked, limit: 1000 } }),
              ).toEqual(oracleSessions(expected.ofSessions(where), request, { limit: 1000 }))
            }
          }
        })
      },
    ),
    { ...propertySettings(6, { countPerDepth: 6 }), endOnFailure: true },
  )
  expect(chosen).toBeGreaterThan(0)
}, 600_000)

test('a trait groups the events and people of whoever has it now, and all others are one group', async () => {
  let grouped = 0
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      randomLinks,
      randomTraits,
      fc.record({
        trait: fc.constantFrom(...GROUPS),
        other: fc.constantFrom([], ['event'], ['channel'], ['traits["o\'brien"]']),
        limit: fc.constantFrom(1, 1000),
        min_users: fc.constantFrom(1, 2),
      }),
      fc.option(traitLeaf, { nil: undefined }),
      async (given, links, sent, { trait, other, limit, min_users }, where) => {
        await state.empty()
        await withReportLake(given, async ({ services, projects, events, lake }) => {
          const { identity, project: scoped } = await processLinks(links, { state, lake, fields: projects })
          const oracle = oracleIdentity(links.links, id => (links.isJoined ? 'joined' : id))
          const stored = oracle.rewrite(events)
          const openTraits = await writeTraits(lake, sent)
          for (const project of projects) {
            const opened = await openIdentity(
              { identity, emails: readableEmails, engine: services.engine },
              scoped(project.id),
            )
            const common = { project, identity: { ...opened, openTraits } }
            const traitsOf = knownTraits(sent, project.id, id => oracle.finalId(project.id, id))
            const request = { project: project.id, since: '60d', now: NOW, tz: 'UTC', traitsOf }
            const expected = oracleConditions(stored, request, traitsOf)
            const passing = where === undefined ? stored : expected.passing(where)
            const chosen = new Set(passing.map(({ user_id }) => user_id))
            const people = stored.filter(({ user_id }) => chosen.has(user_id))
            const asked = { since: '60d', tz: 'UTC', ...(where !== undefined && { where }) }
            const body = { ...BODY, group_by: [trait, ...other], limit }
            const rows = oracleQuery(passing, request, body, stored)
            if (rows.rows.length > 1) grouped++
            expect(
              await runReport(query, services, { ...common, body: { ...asked, ...body } }),
            ).toMatchObject(rows)
            const filters = where === undefined ? [] : [where]
            expect(
              await runReport(query, services, {
                ...common,
                body: { since: '60d', tz: 'UTC', ...body, filters },
              }),
            ).toMatchObject(oracleQuery(stored, request, { ...body, filters }))
            const conversionOf = { goal: 'signup', by: trait, min_users, limit }
            expect(
              await runReport(conversion, services, { ...common, query: { ...asked, ...conversionOf } }),
            ).toMatchObject(oracleConversion(people, request, conversionOf))
            const funnelOf = {
              steps: ['page_view', 'signup'].map(event => ({ event, filters: [] })),
              ...{ count_by: 'user_id' as const, conversion_window_hours: 168 },
              ...{ breakdown: trait, breakdown_limit: 50 },
            }
            const found = await runReport(funnel, services, { ...common, body: { ...asked, ...funnelOf } })
            expect(found.breakdowns).toEqual(oracleFunnel(people, request, funnelOf).breakdowns)
          }
        })
      },
    ),
    { ...propertySettings(6, { countPerDepth: 6 }), endOnFailure: true },
  )
  expect(grouped).toBeGreaterThan(0)
}, 600_000)
