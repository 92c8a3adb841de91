import { copiedKeysSql, mayHaveCopies } from '#core/lake/read/hot-events'
import type { LakeRead } from '#core/lake/read/lake-read'
import type { ReadRows } from './statements.ts'

/** A statement names at most this many keys, of 20 characters each, three times. */
const MAX_KEYS = 300
/** The same for replaced events, of up to 75 characters each. */
const MAX_REPLACED = 20

/**
 * What a read must know of copies. Keys that are undefined, and replaced events that are null, are too many
 * to name.
 */
export type CopiesOfRead = Pick<LakeRead, 'copiedKeys' | 'replaced'>

/**
 * Finds the hot events that have copies, and the stored events that hot ones replace, once for all statements
 * of a report. If there are too many to name them, each statement searches for them.
 */
export async function readCopiedKeys(
  rows: ReadRows,
  read: Pick<LakeRead, 'snapshot' | 'project'>,
): Promise<CopiesOfRead> {
  if (!mayHaveCopies(read)) return { copiedKeys: [], replaced: [] }
  const found = await rows(copiedKeysSql(read, MAX_KEYS + 1))
  const keys = new Set(found.map(({ copied_key }) => String(copied_key)))
  const replaced = found.flatMap(row => (row.replaced == null ? [] : [String(row.replaced)]))
  return {
    copiedKeys: found.length > MAX_KEYS ? undefined : [...keys],
    // Rows with replaced events come first.
    replaced: replaced.length > MAX_REPLACED ? null : replaced,
  }
}
