import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { slices } from '#core/async/slices'
import type { HotRewriteJob } from '#core/lake/model/compactor'
import type { Lake } from '#core/ports'
import { readFiles } from './compaction-sql.ts'
import { loadTombstones, withErasedNumber } from './erased-rows.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { list, newerColumns, selectColumns, text } from './tables.ts'

/**
 * Files that one statement searches. A day has tens of thousands of hot files, and most have no erased event.
 */
const SEARCHED_FILES = 200

/**
 * Writes hot files anew, under their keys, without erased events. Files without such events stay as they are.
 */
export async function rewriteHot(
  { database, lake }: { database: ScratchDatabase; lake: Lake },
  { keys, buckets }: HotRewriteJob,
): Promise<number> {
  if (!(await loadTombstones(database, buckets))) return 0
  let rewritten = 0
  for (const slice of slices(keys, SEARCHED_FILES)) {
    // Maintenance may have deleted some since the listing.
    const present = (
      await Promise.all(slice.map(async key => ((await lake.get(key)) === null ? [] : [key])))
    ).flat()
    const files = await database.fetch('events_hot', present)
    const [emptyFile = ''] = files
    for (const path of await filesWithErased(files)) {
      await rewriteFile([emptyFile, path], path.slice(database.folder.length + 1))
      rewritten++
    }
    await database.drop(files)
  }
  return rewritten

  async function filesWithErased(files: readonly string[]): Promise<string[]> {
    const rows = `read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false, filename = true)`
    const found = await database.rows(`
      SELECT DISTINCT filename FROM ${withErasedNumber(`(SELECT * FROM ${rows})`)} WHERE erased_number IS NOT NULL`)
    return found.map(({ filename }) => String(filename))
  }

  /** `paths`: the empty file, which has the columns that an older file lacks, and the file. */
  async function rewriteFile(paths: readonly string[], key: string): Promise<void> {
    const output = join(database.folder, 'output.parquet')
    const rows = readFiles(paths)
    const newer = await newerColumns(database.connection, rows)
    await database.run(`COPY (${selectColumns('events_hot', newer)} FROM ${withErasedNumber(rows)}
      WHERE erased_number IS NULL) TO ${text(output)} (FORMAT parquet, COMPRESSION zstd)`)
    await lake.put(key, await readFile(output))
    await rm(output)
  }
}
