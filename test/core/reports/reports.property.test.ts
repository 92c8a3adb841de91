import fc from 'fast-check'
import { expect, test } from 'vitest'
import { events } from '#core/reports/events'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import type { EventRow } from '#schemas/event'
import { STATS_GROUPS } from '#schemas/stats'
import { propertySettings } from '#test/support/depth'
import { oracleEvents, oracleStats } from '#test/support/oracle'
import { history, NOW } from '#test/support/random-history'
import { type ReportLake, withReportLake } from '#test/support/report-lake'

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']

const zone = fc.option(fc.constantFrom(...ZONES), { nil: undefined, freq: 2 })

test('stats and events equal the oracle for random events in any state of compaction and any zone', async () => {
  await fc.assert(
    fc.asyncProperty(history, zone, async (given, tz) => {
      await withReportLake(given, async ({ services, projects, events: stored }) => {
        for (const project of projects) {
          for (const since of given.since) {
            const asked = { project: project.id, since, now: NOW }
            for (const groupBy of STATS_GROUPS) {
              const body = await runReport(stats, services, { project, query: { since, groupBy, tz } })
              expect(body).toEqual(oracleStats(stored, { ...asked, groupBy, tz }))
            }
            const query = { since, limit: given.limit, ...given.filter }
            expect(await readAllPages(services, project, query)).toEqual(
              oracleEvents(stored, asked, given.filter),
            )
          }
        }
      })
    }),
    { ...propertySettings(1, { countPerDepth: 3 }), endOnFailure: false },
  )
}, 1_800_000)

async function readAllPages(
  services: ReportLake['services'],
  project: ReportLake['projects'][number],
  query: { since: string; limit: number },
): Promise<EventRow[]> {
  const rows: EventRow[] = []
  let before: string | undefined
  do {
    const page = await runReport(events, services, { project, query: { ...query, before } })
    expect(page.count).toBe(page.events.length)
    rows.push(...(page.events as EventRow[]))
    before = page.next_before ?? undefined
  } while (before !== undefined)
  return rows
}
