import { DAY_MS, utcDate } from '#core/time'
import type { ExportDataset } from '#schemas/exports'
import type { DayCounts, Export, ExportFile } from './export.ts'

/**
 * What grows with an export, as texts of its item, whose limit is 400 KB: at most 150 KB for 1,000 files, and
 * 92 KB for the days of fifty years, twice (EXPORT_LIMITS).
 */

type Grown = Pick<Export, 'next' | 'files' | 'counted' | 'days'>

/** The texts of the fields that are given. */
export function packFields({ next, files, counted, days }: Partial<Grown>) {
  return {
    ...(next !== undefined && { next: JSON.stringify(next) }),
    ...(files !== undefined && { files: packFiles(files) }),
    ...(counted != null && { counted: packDays(counted) }),
    ...(days != null && { days: packDays(days) }),
  }
}

type Texts = { files: string } & { [Name in 'next' | 'counted' | 'days']?: string | undefined }

export function unpackFields({ next, files, counted, days }: Texts): Grown {
  return {
    files: unpackFiles(files),
    counted: counted === undefined ? null : unpackDays(counted),
    days: days === undefined ? null : unpackDays(days),
    ...(next !== undefined && { next: JSON.parse(next) }),
  }
}

type PackedFile = [name: string, run: string, rows: number, bytes: number, sha256: string]

/** The object of a file is its name behind its run, and the name begins with the dataset. */
function packFiles(files: readonly ExportFile[]): string {
  const rows = files.map(({ name, object, rows, bytes, sha256 }): PackedFile => {
    return [name, object.slice(0, -name.length), rows, bytes, sha256]
  })
  return JSON.stringify(rows)
}

function unpackFiles(text: string): ExportFile[] {
  return (JSON.parse(text) as PackedFile[]).map(([name, run, rows, bytes, sha256]) => {
    const dataset = name.split(/[-.]/, 1)[0] as ExportDataset
    return { name, object: run + name, dataset, rows, bytes, sha256 }
  })
}

/** `2026-11-01:5,,3`: the first day and its count, then those of the days after it; nothing for none. */
function packDays(days: DayCounts): string {
  const dates = Object.keys(days).toSorted()
  const [first = '', last = ''] = [dates[0], dates.at(-1)]
  const counts = Array.from({ length: daysBetween(first, last) }, (_, i) => days[dateAfter(first, i)] ?? '')
  return `${first}:${counts.join(',')}`
}

function unpackDays(text: string): DayCounts {
  const [first = '', counts = ''] = text.split(':')
  return Object.fromEntries(
    counts.split(',').flatMap((count, i) => (count === '' ? [] : [[dateAfter(first, i), Number(count)]])),
  )
}

/** Days from one to another, both included; 0 without any. */
export function daysBetween(first: string, last: string): number {
  return first === '' ? 0 : (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
}

function dateAfter(first: string, days: number): string {
  return utcDate(Date.parse(first) + days * DAY_MS)
}
