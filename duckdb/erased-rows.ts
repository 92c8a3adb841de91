import { tombstoneKey } from '#core/lake/model/keys'
import type { RemovedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import { ARRIVAL_MS, ERASED_UNTIL, readFiles } from './compaction-sql.ts'
import { countRows, type ScratchDatabase } from './scratch-database.ts'

/** The erased events of a bucket that were among event_rows. */
export type ErasedCount = RemovedEvents & { bucket: number }

/** Tombstones of a bucket. Those up to the number `above` are left out. */
export type ErasedOfBucket = {
  bucket: number
  tombstones: readonly TombstoneBatch[]
  above?: number
}

/**
 * Loads tombstones into the tables erased_users and erased_projects: of those that name the same events, the
 * one that reaches further. Returns whether there are any. A project is in one bucket only, so its id says
 * the bucket.
 */
export async function loadTombstones(
  database: ScratchDatabase,
  buckets: readonly ErasedOfBucket[],
): Promise<boolean> {
  const selects: string[] = []
  for (const { bucket, tombstones, above = 0 } of buckets) {
    if (tombstones.length === 0) continue
    const files = await database.fetch(
      'tombstones',
      tombstones.map(batch => tombstoneKey(bucket, batch)),
    )
    selects.push(
      `SELECT project_id, user_key, number, ${ERASED_UNTIL} AS until FROM ${readFiles(files)} WHERE number > ${above}`,
    )
  }
  if (selects.length === 0) return false
  const latest = 'max(until) AS erased_until, arg_max(number, until) AS number'
  await database.run(`
    CREATE OR REPLACE TABLE erased_rows AS ${selects.join(' UNION ALL ')};
    CREATE OR REPLACE TABLE erased_users AS SELECT project_id, user_key, ${latest} FROM erased_rows
      WHERE user_key IS NOT NULL GROUP BY ALL;
    CREATE OR REPLACE TABLE erased_projects AS SELECT project_id, ${latest} FROM erased_rows
      WHERE user_key IS NULL GROUP BY ALL;
    DROP TABLE erased_rows`)
  return true
}

/**
 * Whether rows of events or of the activity have the users or projects of the loaded tombstones, whenever the
 * events arrived.
 */
export async function hasErasedUsers(database: ScratchDatabase, relation: string): Promise<boolean> {
  const found = await countRows(
    database,
    `SELECT 1 FROM ${relation} WHERE project_id IN (SELECT project_id FROM erased_projects)
      OR (project_id, user_key) IN (SELECT (project_id, user_key) FROM erased_users) LIMIT 1`,
  )
  return found > 0
}

/** False for what a hot file keeps of an erased event (duckdb/rewrite-hot.ts). */
export const HAS_NAME = 'event IS NOT NULL'

/**
 * Deletes from event_rows what hot files keep of events that were erased before. Returns how many rows of
 * each bucket.
 */
export async function dropNameless(database: ScratchDatabase): Promise<{ bucket: number; events: number }[]> {
  const counts = await database.rows(
    `SELECT bucket, count(*) AS events FROM event_rows WHERE NOT (${HAS_NAME}) GROUP BY bucket`,
  )
  if (counts.length > 0) await database.run(`DELETE FROM event_rows WHERE NOT (${HAS_NAME})`)
  return counts as { bucket: number; events: number }[]
}

/** Deletes the erased events from event_rows, after loadTombstones, and returns how many. */
export async function eraseRows(database: ScratchDatabase): Promise<ErasedCount[]> {
  const counts = await countErased(database, 'event_rows')
  if (counts.length > 0) {
    const erased = withErasedNumber('(SELECT *, rowid AS erased_row FROM event_rows)')
    await database.run(`
      DELETE FROM event_rows WHERE rowid IN (SELECT erased_row FROM ${erased} WHERE erased_number IS NOT NULL)`)
  }
  return counts
}

/**
 * Counts the erased events of a relation with the columns bucket, project_id, user_key, timestamp, lag_s
 * and lag_ms.
 */
export async function countErased(database: ScratchDatabase, relation: string): Promise<ErasedCount[]> {
  const rows = await database.rows(`
    SELECT bucket, erased_number AS number, count(*) AS events FROM ${withErasedNumber(relation)}
    WHERE erased_number IS NOT NULL GROUP BY ALL ORDER BY ALL`)
  return rows as ErasedCount[]
}

/** The rows of a relation with the number of the tombstone that erases them; null if none does. */
export function withErasedNumber(relation: string): string {
  return `(SELECT event.*, coalesce(
      CASE WHEN ${ARRIVAL_MS} <= erased_users.erased_until THEN erased_users.number END,
      CASE WHEN ${ARRIVAL_MS} <= erased_projects.erased_until THEN erased_projects.number END) AS erased_number
    FROM ${relation} AS event
    LEFT JOIN erased_users ON erased_users.project_id = event.project_id AND erased_users.user_key = event.user_key
    LEFT JOIN erased_projects ON erased_projects.project_id = event.project_id)`
}
