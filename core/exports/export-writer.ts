import type { EventRow } from '#schemas/event'
import type { DerivedTable } from '#schemas/exports'
import type { DayCounts } from './export.ts'

/** Rows as a file. */
export type WrittenFile = { rows: number; bytes: Uint8Array }

/** A folder for what a run writes, until it is in a file. */
export type ExportFolder = {
  /** Adds events to the next file. */
  add(events: readonly EventRow[]): Promise<void>
  /** What was added since the last file: the bytes are those of JSON. */
  added(): { rows: number; bytes: number }
  /** Makes a file of what was added. */
  takeEvents(): Promise<WrittenFile>
  /** Keeps a file of events for the other tables. */
  keepEvents(name: string, bytes: Uint8Array): Promise<void>
  /** The events of the kept files by UTC day. */
  countDays(): Promise<DayCounts>
  /** A table of the kept events, in files of at most so many rows; none for a table without rows. */
  filesOf(dataset: DerivedTable, fileRows: number): AsyncIterable<WrittenFile>
}

/** Writes Parquet: duckdb/export-writer.ts. */
export type ExportWriter = {
  /** Deletes the folder after the work. */
  withFolder<T>(work: (folder: ExportFolder) => Promise<T>): Promise<T>
}
