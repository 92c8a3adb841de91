import { existsSync, renameSync, rmSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { FolderError } from '#local/lock'
import { EVENT_LIMITS } from '#schemas/event'
import {
  addOtherTables,
  isDatabase,
  type Origin,
  parquetFile,
  TABLES,
  type Totals,
  text,
  totalsOf,
  unfinishedOf,
  writeParquet,
} from './copy-tables.ts'

export type ApplyOptions = {
  /** A copy of `footfall pull`. */
  into: string
  /** Lines of JSON: the `erasures` of GET /erasures. */
  erasures: string
  /** The `next_since` of GET /erasures. */
  erasuresSince: string
}

/** The people and events that the copy had of erased persons, and what it has now. */
export type Applied = Totals & { into: string; erased_people: number; erased_events: number }

/**
 * Selects the events that an erasure covers. The time of an event is at most `EVENT_LIMITS.futureMs` after
 * its arrival. So an event with a later time arrived after the erasure, and stays. The hash is the one of
 * `listedHash` (core/identity).
 */
const ERASED = `e.user_id IS NOT NULL AND EXISTS (SELECT 1 FROM erased x
  WHERE x.user_hash = left(sha256($1 || ':' || e.user_id), 32)
  AND epoch_ms(e.timestamp) <= x.erased_until + ${EVENT_LIMITS.futureMs})`

/**
 * Reads whose copy it is. Throws FolderError when it is none, or when nobody can say which erasures it lacks.
 */
export async function describeCopy(into: string): Promise<Origin & { erasures_since: string }> {
  const origin = await withCopy(into, ':memory:', async connection => {
    const reader = await connection.runAndReadAll('SELECT * FROM before_pulled')
    return reader.getRowObjectsJS()[0] as Origin | undefined
  })
  const erasures_since = origin?.erasures_since ?? null
  if (origin === undefined || erasures_since === null)
    throw new FolderError(
      `${into} was made without the right to read erasures (scope exports:read), so nobody knows which it lacks. Sign in with footfall login, delete it, and pull again.`,
      null,
    )
  return { ...origin, erasures_since }
}

/**
 * Writes the copy anew without the events of erased persons, so that no free page of the old file has them.
 * The new copy takes the place of the old one when it is whole; after a kill, run it again. Throws
 * FolderError when the operator can fix the problem.
 */
export async function applyErasures({ into, erasures, erasuresSince }: ApplyOptions): Promise<Applied> {
  const origin = await describeCopy(into)
  const unfinished = unfinishedOf(into)
  rmSync(unfinished, { recursive: true, force: true })
  try {
    const applied = await withCopy(into, isDatabase(into) ? unfinished : ':memory:', async connection => {
      await connection.run(
        `CREATE TEMP TABLE erased AS SELECT user_hash, max(erased_until) AS erased_until FROM (
          SELECT unnest(users) AS user_hash, erased_until
          FROM read_json($1, format = 'newline_delimited', columns = {erased_until: 'BIGINT', users: 'VARCHAR[]'}))
          GROUP BY user_hash`,
        [erasures],
      )
      const reader = await connection.runAndReadAll(
        `SELECT count(*) AS events, count(DISTINCT e.user_id) AS people FROM before_events e WHERE ${ERASED}`,
        [origin.project_id],
      )
      const [gone = {}] = reader.getRowObjectsJS()
      await connection.run(
        `CREATE TABLE events AS SELECT * FROM before_events e WHERE NOT (${ERASED}) ORDER BY timestamp, id`,
        [origin.project_id],
      )
      await addOtherTables(connection, { ...origin, erasures_since: erasuresSince })
      const totals = await totalsOf(connection)
      if (!isDatabase(into)) await writeParquet(connection, into)
      return { into, erased_people: Number(gone.people), erased_events: Number(gone.events), ...totals }
    })
    if (isDatabase(into)) renameSync(unfinished, into)
    return applied
  } finally {
    rmSync(unfinished, { force: true })
    rmSync(`${unfinished}.wal`, { force: true })
  }
}

/** Opens `database` with the tables of the copy as views: `before_events`, `before_pulled`. */
async function withCopy<Result>(
  into: string,
  database: string,
  use: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(isDatabase(into) ? into : parquetFile(into, 'events')))
    throw new FolderError(`${into} is no copy of footfall pull. Name one with --into.`, null)
  const instance = await DuckDBInstance.create(database)
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    if (isDatabase(into)) await attach(connection, into)
    for (const table of ['events', 'pulled'] as const) {
      const source = isDatabase(into) ? `before.${table}` : `read_parquet(${text(parquetFile(into, table))})`
      await connection.run(`CREATE TEMP VIEW before_${table} AS SELECT * FROM ${source}`)
    }
    const result = await use(connection)
    if (database !== ':memory:') await connection.run('CHECKPOINT')
    return result
  } catch (error) {
    throw error instanceof Error && /No files found|does not exist/.test(error.message)
      ? new FolderError(`${into} was made by an older version. Delete it, and pull again.`, null)
      : error
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Attaches a copy. Throws FolderError if it contains other tables: the new file would not have them. */
async function attach(connection: DuckDBConnection, into: string): Promise<void> {
  try {
    await connection.run(`ATTACH ${text(into)} AS before (READ_ONLY)`)
  } catch (error) {
    throw new FolderError(
      `${into} cannot be opened. Close other programs that have it open. ${(error as Error).message}`,
      null,
    )
  }
  const reader = await connection.runAndReadAll(
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'before'
      UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = 'before' AND NOT internal`,
  )
  const names = reader.getRowObjectsJS().map(({ name }) => String(name))
  const own = names.filter(name => !(TABLES as readonly string[]).includes(name))
  if (own.length > 0)
    throw new FolderError(
      `${into} also has ${own.slice(0, 5).join(', ')}, which would be lost. Keep your own tables in another file, and attach this one there.`,
      null,
    )
}
