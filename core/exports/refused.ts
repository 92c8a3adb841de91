import { EXPORT_LIMITS } from '#schemas/exports'
import type { DayCounts, ExportFile } from './export.ts'

/** Why an export cannot be made, as a message for the caller. */
export class ExportRefused extends Error {}

/** Throws ExportRefused for more events than an export may have. */
export function requireEvents(counted: DayCounts): void {
  const events = Object.values(counted).reduce((sum, count) => sum + count, 0)
  if (events > EXPORT_LIMITS.events) throw tooLarge(`${events} events`)
}

/** Throws ExportRefused for more files, or more bytes of files, than an export may have. */
export function requireFiles(files: readonly ExportFile[]): void {
  if (files.length > EXPORT_LIMITS.files) throw tooLarge('more than 1,000 files')
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > EXPORT_LIMITS.bytes) throw tooLarge('more than 4 GB of Parquet')
}

function tooLarge(what: string): ExportRefused {
  return new ExportRefused(
    `The period has ${what}, and an export has at most ${EXPORT_LIMITS.events} events, 1,000 files and 4 GB. Export shorter periods with \`since\` and \`until\`.`,
  )
}
