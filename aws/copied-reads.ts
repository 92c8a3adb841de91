import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { unavailable } from '#core/errors'
import type { Lake, Log, QueryEngine } from '#core/ports'
import { createLakeCopies } from './lake-copies.ts'

/** What opens DuckDB over a folder (duckdb/reads/query-engine.ts). */
export type OpenEngine = (settings: {
  lakeDir: string
  tempDir: string
  log: Log
  memoryMb: number
  threads: number
  timeoutMs: number
}) => Promise<QueryEngine & { close(): Promise<void> }>

/** Copies that no statement holds: the disk of the function has 10 GB (lib/function-sizes.ts). */
const COPIES = { maxBytes: 2_000_000_000, maxFiles: 10_000 }
/** Of a statement over a day of a large project. */
const TIMEOUT_MS = 120_000

/**
 * The QueryEngine port for the jobs of a function: DuckDB over copies of the objects that a statement names.
 * Unlike Athena it bills no scan, so work may read a project in many small statements. `tempDir`: its own
 * folder, which is emptied.
 */
export async function openCopiedReads({
  lake,
  log,
  tempDir,
  memoryMb,
  threads,
  openEngine,
}: {
  lake: Pick<Lake, 'get'>
  log: Log
  tempDir: string
  memoryMb: number
  threads: number
  openEngine: OpenEngine
}): Promise<QueryEngine & { close(): Promise<void> }> {
  // The disk outlives the process, and nobody knows what of it is whole.
  rmSync(tempDir, { recursive: true, force: true })
  const lakeDir = join(tempDir, 'copies')
  const copies = createLakeCopies({ lake, folder: lakeDir, ...COPIES })
  const engine = await openEngine({
    ...{ lakeDir, log, memoryMb, threads, timeoutMs: TIMEOUT_MS },
    tempDir: join(tempDir, 'engine'),
  })
  return {
    // The segments of AWS are written for statements with one scan of a table (lambdas/jobs/index.ts).
    areScansBilled: true,
    async rows(query, options) {
      const held = await copies.hold((query.scans ?? []).flatMap(({ files }) => files))
      if (held === null) throw unavailable('A file of the lake has just been replaced. Try again.', 1)
      try {
        return await engine.rows(query, options)
      } finally {
        held.release()
      }
    },
    async close() {
      await engine.close()
      rmSync(tempDir, { recursive: true, force: true })
    },
  }
}
