import type { RemovedEvents, Tombstone } from '#core/lake/tombstones'
import { userKeyOf } from '#core/lake/tombstones'
import { ARRIVAL } from './compaction-sql.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { text } from './tables.ts'

/** The erased events of a bucket that were among event_rows. */
export type ErasedCount = RemovedEvents & { bucket: number }

type BucketTombstones = { bucket: number; tombstones: readonly Tombstone[] }

/** Deletes erased events from event_rows, and returns how many. An event of several tombstones counts for the first one. */
export async function eraseRows(
  database: ScratchDatabase,
  buckets: readonly BucketTombstones[],
): Promise<ErasedCount[]> {
  if (buckets.every(({ tombstones }) => tombstones.length === 0)) return []
  const counts = await countErased(database, 'event_rows', buckets)
  if (counts.length > 0) {
    await database.run(`DELETE FROM event_rows WHERE ${erasedNumber(buckets)} IS NOT NULL`)
  }
  return counts
}

/** Counts the erased events of a relation with the columns bucket, project_id, user_key, timestamp and lag_s. */
export async function countErased(
  database: ScratchDatabase,
  relation: string,
  buckets: readonly BucketTombstones[],
): Promise<ErasedCount[]> {
  const rows = await database.rows(`
    SELECT bucket, ${erasedNumber(buckets)} AS number, count(*) AS events FROM ${relation}
    WHERE number IS NOT NULL GROUP BY ALL ORDER BY ALL`)
  return rows as ErasedCount[]
}

/** The number of the first tombstone of an event; null if it is not erased. */
export function erasedNumber(buckets: readonly BucketTombstones[]): string {
  const cases = buckets.flatMap(({ bucket, tombstones }) =>
    tombstones.map(
      tombstone =>
        `WHEN bucket = ${bucket} AND ${ofSameUsers(tombstone)} AND ${ARRIVAL} <= ${tombstone.until} THEN ${tombstone.number}`,
    ),
  )
  return `CASE ${cases.join(' ')} END`
}

/** A condition on the events or the activity of a bucket: those of the users of the tombstone, whenever they arrived. */
export function ofSameUsers({ project_id, users }: Tombstone): string {
  const isOfProject = `project_id = ${text(project_id)}`
  return users === null ? isOfProject : `${isOfProject} AND user_key IN (${users.map(userKeyOf).join(', ')})`
}
