import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { FROM_EVENTS } from '#duckdb/event-tables'

/** The tables of a copy that `footfall pull` makes (docs/cli.md), in DuckDB or as files of Parquet. */
export const TABLES = ['events', 'sessions', 'people', 'pulled'] as const

/** What the table `pulled` has: one row. */
export type Origin = {
  project: string
  project_id: string
  /** Erasures since this `next_since` of GET /erasures are not applied yet. Null: unknown. */
  erasures_since: string | null
}

export type Totals = { events: number; sessions: number; people: number; days: number }

const UNFINISHED = '.unfinished'

/** What is written until it is whole, and then takes the place of `place`. */
export function unfinishedOf(place: string): string {
  return place + UNFINISHED
}

export function isDatabase(place: string): boolean {
  return place.endsWith('.duckdb')
}

/** The file of a table in a copy of Parquet. */
export function parquetFile(folder: string, table: (typeof TABLES)[number]): string {
  return join(folder, `${table}.parquet`)
}

/** Makes all other tables of the table `events`. */
export async function addOtherTables(
  connection: DuckDBConnection,
  { project, project_id, erasures_since }: Origin,
): Promise<void> {
  for (const [table, select] of Object.entries(FROM_EVENTS))
    await connection.run(`CREATE TABLE ${table} AS ${select}`)
  await connection.run(
    'CREATE TABLE pulled AS SELECT $1::VARCHAR AS project, $2::VARCHAR AS project_id, $3::VARCHAR AS erasures_since',
    [project, project_id, erasures_since],
  )
}

/**
 * Writes the tables as files of Parquet into the folder, which may exist. Each is whole when it has its name.
 */
export async function writeParquet(connection: DuckDBConnection, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // `pulled` is the last one: until it has its new form, a run that was killed begins again.
  for (const table of TABLES) {
    const file = parquetFile(folder, table)
    const written = unfinishedOf(file)
    await connection.run(`COPY ${table} TO ${text(written)} (FORMAT parquet, COMPRESSION zstd)`)
    renameSync(written, file)
  }
}

export async function totalsOf(connection: DuckDBConnection): Promise<Totals> {
  const count = (table: string) => `(SELECT count(*) FROM ${table}) AS ${table}`
  const reader = await connection.runAndReadAll(
    `SELECT ${['events', 'sessions', 'people'].map(count).join(', ')},
      (SELECT count(DISTINCT date) FROM events) AS days`,
  )
  const [row = {}] = reader.getRowObjectsJS()
  const { events, sessions, people, days } = row
  return {
    events: Number(events),
    sessions: Number(sessions),
    people: Number(people),
    days: Number(days),
  }
}

/** A literal of a name of a file, for statements that take no parameters. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
