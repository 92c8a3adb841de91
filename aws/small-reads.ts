import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { remember } from '#core/async/lazily'
import type { FileSizes, Lake, Log, QueryEngine, Row, ScanEstimator, SqlQuery } from '#core/ports'
import { duckdbThreads } from './duckdb-threads.ts'
import { createLakeCopies, type LakeCopies } from './lake-copies.ts'

/** The largest read that is small: the bytes of its files together, and how many they are. */
export type SmallRead = { bytes: number; files: number }

export type SmallReadsSettings = {
  /** Answers what is not small, and what the other engine cannot answer. */
  athena: QueryEngine & ScanEstimator
  copies: LakeCopies
  /** Opens DuckDB over the folder of the copies. The first small read calls it. */
  openDuckdb(): Promise<QueryEngine>
  largest: SmallRead
  log: Log
}

/** What a function with DuckDB opens (duckdb/reads/query-engine.ts). */
export type OpenDuckdb = (settings: {
  lakeDir: string
  tempDir: string
  log: Log
  memoryMb: number
  spillMb: number
  threads: number
  timeoutMs: number
}) => Promise<QueryEngine>

/**
 * These are the segments of some four million events (MAINTENANCE.mergeBytes), and the hot files of an hour.
 * A function copies 128 MB from S3 in about two seconds (estimated), and they fit into its memory.
 */
const LARGEST: SmallRead = { bytes: 128_000_000, files: 500 }

/** The disk of the function (lib/function-sizes.ts), beside what statements hold. */
const DISK = { copyBytes: 1_000_000_000, copies: 10_000, spillMb: 512 }

/** So Athena still has time for the statement, before the API gives up. */
const DUCKDB_MS = 8_000

/** The engine for small reads on the disk of a function. `tempDir`: its own folder, which is emptied. */
export function openSmallReads({
  athena,
  lake,
  log,
  memoryMb,
  tempDir,
  openDuckdb,
}: Pick<SmallReadsSettings, 'athena' | 'log'> & {
  lake: Pick<Lake, 'get'>
  memoryMb: number
  tempDir: string
  openDuckdb: OpenDuckdb
}): QueryEngine & ScanEstimator {
  // The disk outlives the process, and nobody knows what of it is whole.
  rmSync(tempDir, { recursive: true, force: true })
  const lakeDir = join(tempDir, 'copies')
  return createSmallReads({
    athena,
    copies: createLakeCopies({ lake, folder: lakeDir, maxBytes: DISK.copyBytes, maxFiles: DISK.copies }),
    openDuckdb: () =>
      openDuckdb({
        ...{ lakeDir, log, memoryMb, spillMb: DISK.spillMb, timeoutMs: DUCKDB_MS },
        tempDir: join(tempDir, 'engine'),
        threads: duckdbThreads(memoryMb),
      }),
    largest: LARGEST,
    log,
  })
}

type RowsOptions = NonNullable<Parameters<QueryEngine['rows']>[1]>

/**
 * The QueryEngine port on AWS with `reads=auto` (docs/aws.md). A statement whose files are together small is
 * answered by DuckDB in the function, over copies of these files: Athena needs longer to start a statement
 * than such a one runs, and bills 10 MB for it. Athena answers all others, and each one that fails here.
 */
export function createSmallReads({
  athena,
  copies,
  openDuckdb,
  largest,
  log,
}: SmallReadsSettings): QueryEngine & ScanEstimator {
  const openOnce = remember(openDuckdb)

  function isSmall(query: SqlQuery, sizes: Partial<FileSizes> = {}): boolean {
    const files = filesOf(query)
    const sizeOf = (key: string) => sizes.sizeOf?.(key)?.bytes ?? copies.sizeOf(key) ?? 0
    return (
      query.scans !== undefined &&
      files.length <= largest.files &&
      files.reduce((sum, key) => sum + sizeOf(key), 0) <= largest.bytes
    )
  }

  /** The rows by DuckDB; null where Athena must answer. */
  async function answerHere(query: SqlQuery, options: RowsOptions): Promise<Row[] | null> {
    const held = await copies.hold(filesOf(query))
    if (held === null) return null
    try {
      // The snapshot does not know how large files of links and of erasures are.
      if (held.bytes > largest.bytes) return null
      const duckdb = await openOnce()
      return await duckdb.rows(query, options)
    } finally {
      held.release()
    }
  }

  return {
    // The segments of AWS are written for statements with one scan of a table (lambdas/jobs/index.ts).
    areScansBilled: true,
    isFree: isSmall,

    async rows(query, options = {}) {
      const here = isSmall(query, options.snapshot)
        ? await answerHere(query, options).catch((error: unknown) => {
            options.signal?.throwIfAborted()
            log('SMALL_READ_FAILED', { reason: String(error) })
            return null
          })
        : null
      return here ?? athena.rows(query, options)
    },

    async estimate(query, sizes, turn) {
      const estimated = await athena.estimate(query, sizes, turn)
      return isSmall(query, sizes) ? { ...estimated, costUsd: 0 } : estimated
    },
  }
}

function filesOf({ scans = [] }: SqlQuery): string[] {
  return [...new Set(scans.flatMap(({ files }) => files))]
}
