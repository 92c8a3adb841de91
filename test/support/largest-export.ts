import { type Export, newExportId } from '#core/exports/export'
import type { Project } from '#core/projects/project'
import { DAY_MS, utcDate } from '#core/time'
import { EXPORT_LIMITS, type ExportDataset } from '#schemas/exports'

/** The counts of fifty years' days with the most digits: 18,263 days of four digits are 20 million events. */
const EVENTS_OF_DAY = 1_095

/** An export of a project that is done, with as many files, bytes, events and days as it may have. */
export function largestExport(
  { account_id, id }: Pick<Project, 'account_id' | 'id'>,
  at: number,
  dataset: ExportDataset = 'sessions',
): Export {
  const key = { account_id, id: newExportId(id, at) }
  const counts = Array.from(
    { length: EXPORT_LIMITS.days },
    (_, i) => [utcDate(at - i * DAY_MS), EVENTS_OF_DAY] as const,
  )
  const run = `run_${'0a'.repeat(16)}`
  const files = Array.from({ length: EXPORT_LIMITS.files }, (_, i) => {
    const name = `${dataset}-${String(i + 1).padStart(4, '0')}.parquet`
    const size = { rows: EXPORT_LIMITS.file_rows, bytes: EXPORT_LIMITS.bytes / EXPORT_LIMITS.files }
    return { name, object: `${run}-${name}`, dataset, ...size, sha256: '0a'.repeat(32) }
  })
  return {
    ...{ ...key, project_id: id, status: 'done', datasets: ['events', 'sessions', 'people'] },
    ...{ from: 0, to: at, created_at: at, finished_at: at + 60_000, run, leased_until: 0, attempts: 0 },
    ...{ next: { day: at, before: 'x'.repeat(200) }, files },
    ...{ counted: Object.fromEntries(counts), days: Object.fromEntries(counts) },
  }
}
