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

/** Ends of the range. `/stats` counts whole dates only. */
const end = fc.constantFrom(undefined, undefined, undefined, '0d', '1d', '2026-11-17', '2026-11-18T12:00:00Z')

const zone = fc.option(fc.constantFrom(...ZONES), { nil: undefined, freq: 2 })

test('stats and events equal the oracle for random events in any state of compaction and any zone', async () => {
  await fc.assert(
    fc.asyncProperty(history, zone, end, async (given, tz, last) => {
      await withReportLake(given, async ({ services, projects, events: stored }) => {
        for (const project of projects) {
          for (const since of given.since) {
            const until = isBefore(since, last) ? last : undefined
            const asked = { project: project.id, since, until, now: NOW }
            for (const groupBy of STATS_GROUPS) {
              const query = { since, until, groupBy, tz }
              const body = runReport(stats, services, { project, query })
              if (`${since} ${until}`.includes('T')) await expect(body).rejects.toThrow(/counts whole dates/)
              else expect(await body).toEqual(oracleStats(stored, { ...asked, groupBy, tz }))
            }
            const query = { since, until, limit: given.limit, ...given.filter }
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

/** Whether a range of these dates has an end after its start in every zone. */
function isBefore(since: string, until: string | undefined): boolean {
  const first = (text: string) =>
    /^\d+d$/.test(text) ? NOW - (Number.parseInt(text, 10) + 2) * 86_400_000 : Date.parse(text)
  return until !== undefined && (since === until || first(since) < first(until) - 2 * 86_400_000)
}

async function readAllPages(
  services: ReportLake['services'],
  project: ReportLake['projects'][number],
  query: { since: string; until: string | undefined; limit: number },
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
