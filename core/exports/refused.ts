import { EXPORT_LIMITS } from '#schemas/exports'
import type { DayCounts, ExportFile } from './export.ts'
import { daysBetween } from './packed.ts'

/** Why an export cannot be made, as a message for the caller. */
export class ExportRefused extends Error {}

/** Throws ExportRefused for more events, or days between them, than an export may have. */
export function requireEvents(counted: DayCounts): void {
  const events = Object.values(counted).reduce((sum, count) => sum + count, 0)
  if (events > EXPORT_LIMITS.events) throw tooLarge(`${events} events`)
  const dates = Object.keys(counted).toSorted()
  const days = daysBetween(dates[0] ?? '', dates.at(-1) ?? '')
  if (days > EXPORT_LIMITS.days) throw tooLarge(`${days} days from its first event to its last one`)
}

/** Throws ExportRefused for more files, or more bytes of files, than an export may have. */
export function requireFiles(files: readonly ExportFile[]): void {
  if (files.length > EXPORT_LIMITS.files) throw tooLarge('more than 1,000 files')
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > EXPORT_LIMITS.bytes) throw tooLarge('more than 4 GB of Parquet')
}

function tooLarge(what: string): ExportRefused {
  return new ExportRefused(
    `The period has ${what}, and an export has at most ${EXPORT_LIMITS.events} events, 1,000 files, 4 GB and fifty years. Export shorter periods with \`since\` and \`until\`.`,
  )
}
