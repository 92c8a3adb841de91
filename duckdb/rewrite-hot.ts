import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { hotUserNumbers, insertHotUsers, mayHaveHotUsers } from '#core/lake/consume/hot-users'
import type { HotRewriteJob } from '#core/lake/model/compactor'
import type { Lake } from '#core/ports'
import { readFiles } from './compaction-sql.ts'
import { HAS_NAME, loadTombstones, withErasedNumber } from './erased-rows.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { list, newerColumns, selectColumns, text } from './tables.ts'

/** Files that one statement searches: those of an older version, and those that may have an erased event. */
const SEARCHED_FILES = 200
/** Ends of files that are read at the same time: S3 takes tens of ms for one. */
const ENDS_AT_ONCE = 32
/** A footer of one row group takes 6 KB, and the rest is enough for 2,500 users. */
const END_BYTES = 16 * 1024

/**
 * What stays of an erased event with an event_id: what makes later copies of it known. Nothing else but its
 * file says so once a compaction must run again: for a repair, a late job, or a state that is older than the
 * lake. The row has no name, so reads leave it out (core/lake/read/hot-events.ts), and so do segments.
 */
const KEPT_OF_ERASED = ['bucket', 'project_id', 'timestamp', 'lag_s', 'lag_ms', 'seq', 'event_key']

/**
 * Writes hot files anew, under their keys, without erased events. Files without such events stay as they are:
 * the end of a file says whose events it may have (core/lake/consume/hot-users.ts), so most are not read.
 */
export async function rewriteHot(
  { database, lake }: { database: ScratchDatabase; lake: Lake },
  { keys, buckets }: HotRewriteJob,
): Promise<number> {
  if (!(await loadTombstones(database, buckets))) return 0
  let rewritten = 0
  for (const slice of slices(await filesThatMayHaveErased(), SEARCHED_FILES)) {
    const files = await database.fetch('events_hot', slice)
    const [emptyFile = ''] = files
    for (const path of await filesWithErased(files)) {
      await rewriteFile([emptyFile, path], path.slice(database.folder.length + 1))
      rewritten++
    }
    await database.drop(files)
  }
  return rewritten

  /** In the order of `keys`. Maintenance may have deleted some files since they were listed. */
  async function filesThatMayHaveErased(): Promise<string[]> {
    const erased = await selectUsers(`SELECT project_id, user_key FROM erased_users
      UNION ALL SELECT project_id, NULL FROM erased_projects`)
    const found = new Set<string>()
    await forEachConcurrent(keys, ENDS_AT_ONCE, async key => {
      database.throwIfAborted()
      let answer: boolean | number = END_BYTES
      while (typeof answer === 'number') {
        const wanted: number = answer
        const end = await lake.get(key, wanted)
        answer = end !== null && mayHaveHotUsers(end, erased)
        // It says that it is longer than it is: it is damaged.
        if (typeof answer === 'number' && end !== null && end.length < wanted) answer = true
      }
      if (answer) found.add(key)
    })
    return keys.filter(key => found.has(key))
  }

  async function selectUsers(select: string): Promise<Set<number>> {
    return hotUserNumbers((await database.rows(select)) as { project_id: string; user_key: number | null }[])
  }

  async function filesWithErased(files: readonly string[]): Promise<string[]> {
    const rows = `read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false, filename = true)`
    const found = await database.rows(`
      SELECT DISTINCT filename FROM ${withErasedNumber(`(SELECT * FROM ${rows})`)}
      WHERE erased_number IS NOT NULL AND ${HAS_NAME}`)
    return found.map(({ filename }) => String(filename))
  }

  /** `paths`: the empty file, which has the columns that an older file lacks, and the file. */
  async function rewriteFile(paths: readonly string[], key: string): Promise<void> {
    const output = join(database.folder, 'output.parquet')
    const rows = readFiles(paths)
    const newer = await newerColumns(database.connection, rows)
    await database.run(`COPY (${selectColumns('events_hot', newer)} FROM (
        SELECT COLUMNS(* EXCLUDE (${KEPT_OF_ERASED.join(', ')}, erased_number)), ${KEPT_OF_ERASED.join(', ')}
        FROM ${withErasedNumber(rows)} WHERE erased_number IS NULL
        UNION ALL BY NAME
        SELECT ${KEPT_OF_ERASED.join(', ')} FROM ${withErasedNumber(rows)}
        WHERE erased_number IS NOT NULL AND event_key IS NOT NULL)
      ) TO ${text(output)} (FORMAT parquet, COMPRESSION zstd)`)
    const named = `${readFiles([output])} WHERE ${HAS_NAME}`
    const users = await selectUsers(`SELECT DISTINCT project_id, user_key FROM ${named}
      UNION SELECT project_id, NULL FROM ${named}`)
    await lake.put(key, insertHotUsers(await readFile(output), users))
    await rm(output)
  }
}
