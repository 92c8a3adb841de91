import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { events } from '#core/reports/events'
import { runReport } from '#core/reports/run'
import { stats } from '#core/reports/stats'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import type { EventRow } from '#schemas/event'
import { STATS_GROUPS } from '#schemas/stats'
import { buildLake } from '#test/support/build-lake'
import { propertySettings } from '#test/support/depth'
import { oracleEvents, oracleStats, withoutCopies } from '#test/support/oracle'
import { history, NOW, recordsOf } from '#test/support/random-history'

const PROJECTS = ['proj_a', 'proj_b'] as const
const CREATED = new Date(NOW - 70 * 86_400_000).toISOString()

test('stats and events equal the oracle for random events in any state of compaction', async () => {
  await fc.assert(
    fc.asyncProperty(history, async given => {
      const dir = await mkdtemp(join(tmpdir(), 'footfall-reports-'))
      const lake = createFolderLake(join(dir, 'lake'))
      const { epochs, sent } = recordsOf(given)
      const snapshot = await buildLake({
        lake,
        tempDir: join(dir, 'temp'),
        epochs,
        warm: given.warm,
        rolls: given.rolls,
      })
      const engine = await openQueryEngine({ lakeDir: join(dir, 'lake'), log: () => {}, threads: 1 })
      try {
        const services = { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } }
        const storedEvents = withoutCopies(sent)
        for (const id of PROJECTS) {
          const has_event_ids = sent.some(event => event.project_id === id && event.event_id !== null)
          const project = { id, name: id, bucket: 7, created_at: CREATED, has_event_ids }
          for (const since of given.since) {
            for (const groupBy of STATS_GROUPS) {
              const body = await runReport(stats, services, { project, query: { since, groupBy } })
              expect(body).toEqual(oracleStats(storedEvents, { project: id, since, now: NOW, groupBy }))
            }
            const expected = oracleEvents(storedEvents, { project: id, since, now: NOW }, given.filter)
            const rows: EventRow[] = []
            for (let before: string | undefined, first = true; first || before !== undefined; first = false) {
              const page = await runReport(events, services, {
                project,
                query: { since, limit: given.limit, before, ...given.filter },
              })
              expect(page.count).toBe(page.events.length)
              rows.push(...page.events)
              before = page.next_before ?? undefined
            }
            expect(rows).toEqual(expected)
          }
        }
      } finally {
        await engine.close()
        await rm(dir, { recursive: true, force: true })
      }
    }),
    { ...propertySettings(6), endOnFailure: false },
  )
}, 1_800_000)
