import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { pages } from '#core/reports/pages'
import { runReport } from '#core/reports/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import { PERIOD_LABELS } from '#schemas/fields'
import { PAGE_TYPES } from '#schemas/sessions'
import { propertySettings } from '#test/support/depth'
import { buildLake } from '#test/support/lake-builder'
import { stored } from '#test/support/oracle'
import {
  oracleDistribution,
  oracleHeatmap,
  oracleInsights,
  oraclePages,
  oracleSessions,
} from '#test/support/oracle/sessions'
import { history, NOW, recordsOf } from '#test/support/random-history'

const CREATED = new Date(NOW - 70 * 86_400_000).toISOString()
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const

const question = fc.record({
  tz: fc.constantFrom(...ZONES),
  since: fc.constantFrom('0d', '1d', '7d', '30d', '60d'),
  period: fc.constantFrom(...PERIOD_LABELS),
  type: fc.constantFrom(...PAGE_TYPES),
  limit: fc.constantFrom(1, 2, 1000),
  filter: fc.constantFrom<{ user_id?: string; is_bounce?: number }>(
    {},
    {},
    { user_id: 'u1' },
    { is_bounce: 0 },
    { is_bounce: 1, user_id: "o'brien" },
  ),
})

test('reports on sessions and hours equal the oracle for random events in any state of compaction and any zone', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(question, { minLength: 1, maxLength: 4 }),
      async (given, questions) => {
        const dir = await mkdtemp(join(tmpdir(), 'footfall-sessions-'))
        const { epochs, sent } = recordsOf(given)
        const snapshot = await buildLake({
          lake: createFolderLake(join(dir, 'lake')),
          tempDir: join(dir, 'temp'),
          epochs,
          warm: given.warm,
          rolls: given.rolls,
        })
        const engine = await openQueryEngine({ lakeDir: join(dir, 'lake'), log: () => {}, threads: 1 })
        try {
          const services = { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } }
          const events = stored(sent)
          for (const id of ['proj_a', 'proj_b']) {
            const has_event_ids = sent.some(event => event.project_id === id && event.event_id !== null)
            const project = { id, name: id, bucket: 7, created_at: CREATED, has_event_ids }
            for (const { tz, since, period, type, limit, filter } of questions) {
              const request = { project: id, since, now: NOW, tz }
              const range = { since, tz }
              expect(
                await runReport(sessions, services, { project, query: { ...range, limit, ...filter } }),
              ).toEqual(oracleSessions(events, request, { limit, ...filter }))
              expect(await runReport(sessionDistribution, services, { project, query: range })).toEqual(
                oracleDistribution(events, request),
              )
              expect(await runReport(pages, services, { project, query: { ...range, type, limit } })).toEqual(
                oraclePages(events, request, { type, limit }),
              )
              expect(await runReport(heatmap, services, { project, query: range })).toEqual(
                oracleHeatmap(events, request),
              )
              expect(await runReport(insights, services, { project, query: { period, tz } })).toMatchObject(
                oracleInsights(events, request, Number.parseInt(period, 10)),
              )
            }
          }
        } finally {
          await engine.close()
          await rm(dir, { recursive: true, force: true })
        }
      },
    ),
    { ...propertySettings(10), endOnFailure: false },
  )
}, 1_800_000)
