import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runReport } from '#core/reports/run/run'
import { ownSources } from '#core/reports/sources/own-sources'
import { sources } from '#core/reports/sources/sources'
import { stats } from '#core/reports/stats'
import { CHANNELS } from '#schemas/channels'
import type { ChannelRule, ProjectContext } from '#schemas/contexts'
import { SOURCE_GROUPS } from '#schemas/sources'
import { propertySettings } from '#test/support/depth'
import { oracleSources } from '#test/support/oracle/sources'
import { randomDates } from '#test/support/random-dates'
import { history, NOW } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'
import { withReportLake } from '#test/support/report-lake'

const question = fc.record(
  {
    tz: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
    dates: randomDates('7d', '30d', '60d', '60d'),
    by: fc.constantFrom('channel', 'channel', 'channel', ...SOURCE_GROUPS),
    goal: fc.constantFrom('page_view', 'page_view', 'buy', 'nothing'),
    currency: fc.constantFrom('EUR', 'JPY'),
    limit: fc.constantFrom(1, 3, 1000),
  },
  { requiredKeys: ['tz', 'dates', 'by', 'limit'] },
)

const rule = fc.record({
  channel: fc.constantFrom(...CHANNELS),
  field: fc.constantFrom('utm_medium', 'referrer_host', 'utm_source'),
  op: fc.constant('eq'),
  value: fc.constantFrom('print', 'blog.example.org', 'partner', 'none'),
}) as fc.Arbitrary<ChannelRule>

const NO_LISTS = { goals: [], activation_events: [], glossary: [], annotations: [] }

test('sources equal the oracle in any state of compaction, and their parts add up to /stats', async () => {
  await fc.assert(
    fc.asyncProperty(
      withSources(history),
      fc.array(question, { minLength: 2, maxLength: 4 }),
      fc.array(rule, { maxLength: 2 }),
      async (given, questions, channels) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const known of projects) {
            const project = { ...known, allowed_origins: 'https://www.shop.example', link_domains: [] }
            const context: ProjectContext = { ...NO_LISTS, channels }
            for (const { dates, tz, currency, ...asked } of questions) {
              const request = { project: project.id, ...dates, now: NOW, tz }
              const query = { ...dates, tz, ...asked, ...(currency !== undefined && { currency }) }
              const answer = await runReport(sources, services, { project, query, context })
              const { rules_version, project_context, ...rest } = answer
              expect(rest).toEqual(oracleSources(events, request, query, ownSources(project, context)))
              const { sessions } = await runReport(stats, services, {
                project,
                query: { ...dates, tz, groupBy: 'day' },
              })
              expect(rest.total.sessions).toBe(sessions.total_sessions)
              const listed = rest.rows.reduce((sum, row) => sum + row.sessions, rest.other?.sessions ?? 0)
              expect(listed).toBe(sessions.total_sessions)
            }
          }
        })
      },
    ),
    { ...propertySettings(4, { countPerDepth: 2 }), endOnFailure: true },
  )
}, 1_800_000)
