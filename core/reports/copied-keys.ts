import { copiedKeysSql, mayHaveCopies } from '#core/lake/hot-events'
import type { LakeRead } from '#core/lake/relations'
import type { ReadRows } from './statements.ts'

/** A statement names at most this many keys, of 20 characters each. */
const MAX_KEYS = 400

/**
 * Finds the hot events that have copies, once for all statements of a report. Returns undefined if there are too many to name
 * them: then each statement searches for the copies.
 */
export async function readCopiedKeys(
  rows: ReadRows,
  read: Pick<LakeRead, 'snapshot' | 'project'>,
): Promise<readonly string[] | undefined> {
  if (!mayHaveCopies(read)) return []
  const keys = (await rows(copiedKeysSql(read, MAX_KEYS + 1))).map(({ copied_key }) => String(copied_key))
  return keys.length > MAX_KEYS ? undefined : keys
}
