import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { parseHotKey } from '#core/lake/model/keys'
import { list, text } from '#duckdb/tables'
import type { FileFooter } from './file-footers.ts'

/**
 * Chooses which files the engine opens for the hot files that a scan names. An epoch of ten minutes has up to
 * 600 small hot files, and DuckDB needs 0.4 ms for each file in each scan. So the engine writes joined files:
 * temporary files with the rows of eight hot files, or of eight joined files. A scan that names all parts of
 * a joined file opens it in place of them. Its rows are the same, because a hot file never changes.
 */

type JoinedFile = {
  path: string
  /** The hot files whose rows it has. */
  keys: readonly string[]
  bytes: number
  rows: number
  /** How often its rows were joined: 0 for a hot file. */
  level: number
  /** When a scan last read it, by performance.now(). */
  usedAt: number
}

/**
 * A list of hot files in two parts. `joined`: the largest joined files whose hot files are all in the list.
 * `rest`: the other hot files of the list.
 */
type Cover = { joined: JoinedFile[]; rest: string[] }

export type HotFilesSettings = {
  lakeDir: string
  /** Folder of the joined files. */
  dir: string
  /** A joined file that no scan has read for this time is deleted, ms: longer than a statement may run. */
  keepMs: number
  /** The footer of a hot file, by its path; undefined if it is not known yet. */
  footerOf(path: string): FileFooter | undefined
  /** Opens a connection, which is closed after a join. */
  connect(): Promise<DuckDBConnection>
}

/** The files of a scan. */
export type ChosenFiles = {
  /** What to open. */
  paths: string[]
  /** The hot files whose rows these are. */
  keys: string[]
  hasJoined: boolean
}

/** So many files of one level become a file of the next one. */
const PARTS = 8
/** To join a larger hot file would take longer than to open it. */
const MAX_PART_BYTES = 100_000
/** A larger file takes longer to write again than to open. */
const MAX_JOINED_BYTES = 2_000_000
/**
 * The rows of a joined file are in memory while they are sorted. An event has up to 8 KB there, even if the
 * file is small: a stranger with the public token may send equal texts. So the rows take at most 134 MB.
 */
const MAX_JOINED_ROWS = 16_384
/** Few enough that a scan of one project can skip most of a file. */
const ROW_GROUP_ROWS = 8_192
/** Pause after a failure, as on a full disk, ms. */
const PAUSE_MS = 60_000

export function createHotFiles(settings: HotFilesSettings) {
  const { lakeDir, dir, keepMs, footerOf, connect } = settings
  /** The largest first. At most one for eight hot files of the epochs that were read in the last `keepMs`. */
  let joinedFiles: readonly JoinedFile[] = []
  let fileCount = 0
  let running: Promise<void> | null = null
  let pausedUntil = 0
  const sweep = setInterval(() => void deleteUnused(performance.now() - keepMs), keepMs / 4)
  sweep.unref()

  const pathOf = (key: string) => join(lakeDir, key)

  function cover(keys: readonly string[]): Cover {
    const rest = new Set(keys)
    const joined = joinedFiles.filter(file => {
      if (!file.keys.every(key => rest.has(key))) return false
      for (const key of file.keys) rest.delete(key)
      return true
    })
    return { joined, rest: [...rest] }
  }

  /** A file whose footer is not known may have rows of every bucket. */
  function mayHaveBucket(key: string, bucket: number): boolean {
    const [lowest, highest] = footerOf(pathOf(key))?.buckets ?? [bucket, bucket]
    return lowest <= bucket && bucket <= highest
  }

  /** Eight files of one epoch, shard and level that are small enough; null without them. */
  function findParts({ joined, rest }: Cover): JoinedFile[] | null {
    const hot = rest.flatMap(key => {
      const footer = footerOf(pathOf(key))
      if (footer === undefined || footer.bytes > MAX_PART_BYTES) return []
      return { path: pathOf(key), keys: [key], bytes: footer.bytes, rows: footer.rows, level: 0, usedAt: 0 }
    })
    const parts = [...hot, ...joined].filter(
      ({ bytes, rows }) => bytes <= MAX_JOINED_BYTES / PARTS && rows <= MAX_JOINED_ROWS / PARTS,
    )
    const groups = Map.groupBy(parts, ({ keys: [key = ''], level }) =>
      [dirname(key), parseHotKey(key)?.shard, level].join(' '),
    )
    const full = [...groups.values()].find(group => group.length >= PARTS)
    return full?.slice(0, PARTS) ?? null
  }

  /** Begins to join files, if enough are small and no others are being joined. */
  function joinDue(covered: Cover): void {
    if (running !== null || performance.now() < pausedUntil) return
    const parts = findParts(covered)
    if (parts === null) return
    running = joinParts(parts)
      .catch(() => {
        pausedUntil = performance.now() + PAUSE_MS
      })
      .finally(() => {
        running = null
      })
  }

  async function joinParts(parts: readonly JoinedFile[]): Promise<void> {
    const keys = parts.flatMap(part => part.keys)
    fileCount += 1
    // The epoch of a row is in the path of its file.
    const path = join(dir, dirname(keys[0] as string), `${fileCount}.parquet`)
    await mkdir(dirname(path), { recursive: true })
    const connection = await connect()
    try {
      const paths = list(parts.map(part => part.path))
      await connection.run(`COPY (SELECT * FROM read_parquet(${paths}, union_by_name = true, hive_partitioning = false)
          ORDER BY bucket, project_id, timestamp)
        TO ${text(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`)
    } finally {
      connection.closeSync()
    }
    const sum = (field: 'bytes' | 'rows') => parts.reduce((total, part) => total + part[field], 0)
    const level = Math.max(...parts.map(part => part.level)) + 1
    const joined = { path, keys, bytes: sum('bytes'), rows: sum('rows'), level, usedAt: performance.now() }
    joinedFiles = [...joinedFiles, joined].toSorted((a, b) => b.keys.length - a.keys.length)
  }

  async function deleteUnused(usedBefore: number): Promise<void> {
    const unused = joinedFiles.filter(({ usedAt }) => usedAt < usedBefore)
    joinedFiles = joinedFiles.filter(file => !unused.includes(file))
    // What cannot be deleted is deleted with the folder.
    for (const { path } of unused) await rm(path, { force: true }).catch(() => {})
  }

  return {
    /**
     * Chooses files that have the rows of these hot files, or at least those of the bucket. Begins to join
     * small ones for later scans.
     */
    choose(keys: readonly string[], bucket: number | undefined): ChosenFiles {
      const covered = cover(keys)
      joinDue(covered)
      const mayHave = (key: string) => bucket === undefined || mayHaveBucket(key, bucket)
      const joined = covered.joined.filter(file => file.keys.some(mayHave))
      const hot = covered.rest.filter(mayHave)
      const usedAt = performance.now()
      for (const file of joined) file.usedAt = usedAt
      return {
        paths: [...joined.map(({ path }) => path), ...hot.map(pathOf)],
        keys: [...joined.flatMap(file => file.keys), ...hot],
        hasJoined: joined.length > 0,
      }
    },

    /** Forgets all joined files, because one of them may be gone or damaged. */
    forget: () => deleteUnused(Number.POSITIVE_INFINITY),

    async close(): Promise<void> {
      clearInterval(sweep)
      await running
    },
  }
}
