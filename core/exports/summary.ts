import { sum, sumOf } from '#core/sum'
import { type DayCounts, type Export, type ExportFile, type ExportKey, isEnded } from './export.ts'

/**
 * What a list shows of an export. It has an item of its own: with its files and days an export has up to 335
 * KB, which a list would read for each.
 */
export type ExportSummary = ExportKey &
  Pick<Export, 'project_id' | 'status' | 'datasets' | 'created_at' | 'finished_at' | 'reason'> & {
    /** The first and the last UTC day that it counts, YYYY-MM-DD; absent: none yet. */
    first?: string | undefined
    last?: string | undefined
    /** Events and bytes so far. */
    events: number
    bytes: number
  }

export function summaryOf(made: Export): ExportSummary {
  const { account_id, id, project_id, status, datasets, created_at, reason, files } = made
  const dates = Object.keys(made.days ?? made.counted ?? {}).toSorted()
  return {
    ...{ account_id, id, project_id, status, datasets, created_at, reason },
    finished_at: isEnded(made) ? made.finished_at : undefined,
    ...{ first: dates[0], last: dates.at(-1) },
    events: status === 'failed' ? 0 : eventsOf(made.days, files),
    bytes: sumOf(files, ({ bytes }) => bytes),
  }
}

function eventsOf(days: DayCounts | null, files: readonly ExportFile[]): number {
  if (days !== null) return sum(Object.values(days))
  return sum(files.filter(({ dataset }) => dataset === 'events').map(({ rows }) => rows))
}
