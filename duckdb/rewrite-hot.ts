import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HotRewriteJob } from '#core/lake/compactor'
import type { Lake } from '#core/ports'
import { readFiles } from './compaction-sql.ts'
import { countErased, erasedNumber } from './erased-rows.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { newerColumns, selectColumns, text } from './tables.ts'

/** Writes hot files anew, under their keys, without erased events, one after the other. Files without such events stay as they are. */
export async function rewriteHot(
  { database, lake }: { database: ScratchDatabase; lake: Lake },
  { keys, buckets }: HotRewriteJob,
): Promise<number> {
  const path = join(database.folder, 'output.parquet')
  let rewritten = 0
  for (const key of keys) {
    // Maintenance may have deleted it since the listing.
    if ((await lake.get(key)) === null) continue
    const files = await database.fetch('events_hot', [key])
    if ((await countErased(database, readFiles(files), buckets)).length > 0) {
      const newer = await newerColumns(database.connection, readFiles(files))
      await database.run(`COPY (${selectColumns('events_hot', newer)} FROM ${readFiles(files)}
        WHERE (${erasedNumber(buckets)}) IS NULL) TO ${text(path)} (FORMAT parquet, COMPRESSION zstd)`)
      await lake.put(key, await readFile(path))
      await rm(path)
      rewritten++
    }
    await database.drop(files)
  }
  return rewritten
}
