import type { DatabaseSync } from 'node:sqlite'

/** What a start finds when the log ends too early or has gaps, because it was cut or is an older copy. */
export type Shortfall = {
  /** The last sequence of the log. */
  end: number
  /** The last sequence that the state or the lake has taken from the log. */
  taken: number
  /** Whether the start has found damage, and has kept the readable records. */
  isSalvaged: boolean
  /** The lost acknowledged records; null when none is known to be lost. */
  lost: LostRecords | null
}

/**
 * Acknowledged records that are neither in the log nor in the lake: some or all with `after` < sequence <=
 * `upTo`.
 */
export type LostRecords = {
  /** Their largest possible number. It includes numbers of failed commits, which have no records. */
  records: number
  after: number
  upTo: number
}

export type LogBounds = Pick<Shortfall, 'end' | 'taken' | 'isSalvaged'> & {
  /** The highest acknowledged sequence of local/stream/high-file.ts; 0 when it is not known. */
  acknowledged: number
}

/**
 * Compares the log with what was acknowledged and with what the lake has. Returns null when nothing is
 * missing.
 */
export function findShortfall(database: DatabaseSync, bounds: LogBounds): Shortfall | null {
  const { end, taken, isSalvaged, acknowledged } = bounds
  // A salvaged log may have gaps anywhere. A whole log can only have lost its end.
  const after = isSalvaged ? taken : Math.max(end, taken)
  const upTo = isSalvaged ? Math.max(end, acknowledged) : acknowledged
  const records = Math.max(0, upTo - after - countRecords(database, after, upTo))
  if (records === 0 && end >= taken) return null
  return { end, taken, isSalvaged, lost: records === 0 ? null : { records, after, upTo } }
}

/** Returns the number of records with `after` < sequence <= `upTo`. */
function countRecords(database: DatabaseSync, after: number, upTo: number): number {
  const count = database.prepare(
    'SELECT count(*) AS records FROM records WHERE sequence > ? AND sequence <= ?',
  )
  return Number(count.get(after, upTo)?.records)
}
