import type { Project } from '#core/projects/project'
import { events } from '#core/reports/events'
import { type ReportServices, runReport } from '#core/reports/run'
import { stats } from '#core/reports/stats'
import { STATS_GROUPS } from '#schemas/stats'
import type { SampleLake } from './sample-lakes.ts'

/** Pages of events to read for one filter. All further pages have the same statements with another cursor. */
const PAGES = 3

/**
 * Runs every report of one project, with all parameters that change the text of a statement. Add each new report here:
 * `npm run test:trino` fails if a piece of SQL has never been used.
 */
export async function runAllReports(
  services: ReportServices,
  project: Pick<Project, 'id' | 'name' | 'bucket' | 'created_at' | 'has_event_ids'>,
  { since, limit, filter }: Pick<SampleLake, 'since' | 'limit' | 'filter'>,
): Promise<void> {
  for (const start of new Set([...since, '1d', '400d'])) {
    for (const groupBy of STATS_GROUPS) {
      await runReport(stats, services, { project, query: { since: start, groupBy } })
    }
  }
  const allFilters = { event: 'page_view', user_id: "o'brien", session_id: 's1' }
  for (const filters of [{}, filter, allFilters, { user_id: 'a\u0000b' }, { event: '\u{1F600}' }]) {
    let before: string | undefined
    for (let page = 0; page < PAGES; page++) {
      const { next_before } = await runReport(events, services, {
        project,
        query: { since: '60d', limit, before, ...filters },
      })
      if (next_before === null) break
      before = next_before
    }
  }
}
