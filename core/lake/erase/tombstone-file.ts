import { parquetReadObjects } from 'hyparquet'
import { encodeRows } from '#core/lake/consume/parquet'
import type { ErasedEvents, NewBatch } from '#core/lake/model/tombstone-batch'
import { MAX_LISTED_PROJECTS, userKeyOf } from './tombstones.ts'

/** A row of the table tombstones. */
export type TombstoneRow = {
  project_id: string
  /** Null for a whole project, as is the hash. */
  user_key: number | null
  user_hash: string | null
  /** Unix ms of the last arrival that is erased. */
  erased_until_ms: number
  number: number
}

/** The rows of an erasure: one for each id of the person, or one for the project. */
export function toTombstoneRows({ project_id, users, until }: ErasedEvents, number: number): TombstoneRow[] {
  const common = { project_id, erased_until_ms: until, number }
  if (users === null) return [{ ...common, user_key: null, user_hash: null }]
  return users.map(user_hash => ({ ...common, user_key: userKeyOf(user_hash), user_hash }))
}

/**
 * Encodes rows as a file. They are sorted by project, so that a read of one project can skip the others. They
 * have the whole second too, for versions that read nothing else.
 */
export function encodeTombstones(rows: readonly TombstoneRow[]): Uint8Array {
  return encodeRows(
    'tombstones',
    rows
      .toSorted((a, b) => (a.project_id < b.project_id ? -1 : Number(a.project_id > b.project_id)))
      .map(row => ({ ...row, erased_until: Math.floor(row.erased_until_ms / 1_000) })),
  )
}

/** Reads the rows of a file. */
export async function decodeTombstones(bytes: Uint8Array): Promise<TombstoneRow[]> {
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  return rows.map(({ project_id, user_key, user_hash, erased_until, erased_until_ms, number }) => ({
    project_id: String(project_id),
    user_key: user_key == null ? null : Number(user_key),
    user_hash: user_hash == null ? null : String(user_hash),
    // A file from before the column erases the whole second.
    erased_until_ms: Number(erased_until_ms ?? Number(erased_until) * 1_000 + 999),
    number: Number(number),
  }))
}

/** What the manifest says of rows. */
export function describeRows(
  rows: readonly TombstoneRow[],
): Pick<NewBatch, 'rows' | 'oldestUntil' | 'newestUntil' | 'projects'> {
  const projects = new Set<string>()
  let [oldest, newest] = [Number.POSITIVE_INFINITY, 0]
  for (const { project_id, user_hash, erased_until_ms } of rows) {
    projects.add(project_id)
    newest = Math.max(newest, Math.floor(erased_until_ms / 1_000))
    // The last second that is erased as a whole.
    if (user_hash !== null) oldest = Math.min(oldest, Math.floor((erased_until_ms + 1) / 1_000) - 1)
  }
  return {
    rows: rows.length,
    oldestUntil: Number.isFinite(oldest) ? oldest : null,
    newestUntil: newest,
    projects: projects.size <= MAX_LISTED_PROJECTS ? [...projects] : null,
  }
}
