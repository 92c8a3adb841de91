import type { Project } from '#core/projects/project'
import { events } from '#core/reports/events'
import { type ReportServices, runReport } from '#core/reports/run'
import { stats } from '#core/reports/stats'
import { STATS_GROUPS } from '#schemas/stats'
import type { SampleLake } from './sample-lakes.ts'

/** Pages of events that are read of one question; each is the same statements with another cursor. */
const PAGES = 3

/**
 * Asks every report of one project, in every form that makes another statement. A new report is asked here too: the
 * check fails for a piece of SQL that none of these questions has reached.
 */
export async function askReports(
  services: ReportServices,
  project: Pick<Project, 'id' | 'name' | 'bucket' | 'created_at' | 'has_event_ids'>,
  { since, limit, filter }: Pick<SampleLake, 'since' | 'limit' | 'filter'>,
): Promise<void> {
  for (const from of new Set([...since, '1d', '400d'])) {
    for (const groupBy of STATS_GROUPS)
      await runReport(stats, services, { project, query: { since: from, groupBy } })
  }
  const everyFilter = { event: 'page_view', user_id: "o'brien", session_id: 's1' }
  for (const filters of [{}, filter, everyFilter, { user_id: 'a\u0000b' }, { event: '\u{1F600}' }]) {
    let before: string | undefined
    for (let page = 0; page < PAGES; page++) {
      const found = await runReport(events, services, {
        project,
        query: { since: '60d', limit, before, ...filters },
      })
      if (found.next_before === null) break
      before = found.next_before
    }
  }
}
