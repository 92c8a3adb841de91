import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_LISTED_PROJECTS } from '#core/lake/erase/tombstones'
import type { TombstoneMergeJob } from '#core/lake/model/compactor'
import { tombstoneKey } from '#core/lake/model/keys'
import type { NewBatch } from '#core/lake/model/tombstone-batch'
import type { Lake } from '#core/ports'
import { ERASED_UNTIL, readFiles } from './compaction-sql.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { selectColumns, text } from './tables.ts'

/**
 * Writes one file with the rows of all batches that are still needed. Of two rows for the same events, the
 * one that reaches further stays.
 */
export async function mergeTombstones(
  { database, lake }: { database: ScratchDatabase; lake: Lake },
  { bucket, batches, writer, forgotten }: TombstoneMergeJob,
): Promise<NewBatch | null> {
  const { number = 0 } = batches.at(-1) ?? {}
  const files = await database.fetch(
    'tombstones',
    batches.map(batch => tombstoneKey(bucket, batch)),
  )
  await database.run(`
    CREATE TABLE merged AS
    SELECT project_id, user_key, user_hash, max(until) // 1000 AS erased_until, max(until) AS erased_until_ms,
      arg_max(number, until) AS number
    FROM (SELECT *, ${ERASED_UNTIL} AS until FROM ${readFiles(files)}) GROUP BY project_id, user_key, user_hash
    HAVING max(until) // 1000 > CASE WHEN user_hash IS NULL THEN ${forgotten.projects} ELSE ${forgotten.persons} END`)
  const [described] = await database.rows(`
    SELECT count(*) AS rows, min((erased_until_ms + 1) // 1000 - 1) FILTER (WHERE user_hash IS NOT NULL) AS "oldestUntil",
      max(erased_until) AS "newestUntil"
    FROM merged`)
  const { rows, ...bounds } = described as Pick<NewBatch, 'rows' | 'oldestUntil' | 'newestUntil'>
  if (rows === 0) return null
  const projects = await database.rows(
    `SELECT DISTINCT project_id FROM merged ORDER BY 1 LIMIT ${MAX_LISTED_PROJECTS + 1}`,
  )
  const path = join(database.folder, 'output.parquet')
  await database.run(`COPY (${selectColumns('tombstones')} FROM merged ORDER BY project_id, user_key)
    TO ${text(path)} (FORMAT parquet, COMPRESSION snappy)`)
  await lake.put(tombstoneKey(bucket, { number, writer }), await readFile(path))
  await rm(path)
  return {
    number,
    first: batches[0]?.first ?? number,
    writer,
    rows,
    ...bounds,
    projects:
      projects.length > MAX_LISTED_PROJECTS ? null : projects.map(({ project_id }) => String(project_id)),
  }
}
