import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { FolderError } from '#local/lock'

type Counts = Readonly<Record<string, number>>

export type PullOptions = {
  /** The events as lines of JSON, as GET /events returns them. */
  rows: string
  /** The events of each UTC day by the service, before and after the rows were read. */
  counts: { before: Counts; after: Counts }
  /** A file that ends in .duckdb, or a folder. It must not exist. */
  into: string
}

export type Pulled = { into: string; events: number; sessions: number; people: number; days: number }

const TABLES = ['events', 'sessions', 'people'] as const
const UNFINISHED = '.unfinished'

/** Columns of a line; what GET /events may leave out is null. */
const COLUMNS = `{
  id: 'VARCHAR', event_id: 'VARCHAR', event: 'VARCHAR', timestamp: 'BIGINT', date: 'DATE',
  user_id: 'VARCHAR', session_id: 'VARCHAR', country: 'VARCHAR', properties: 'JSON' }`

const STATEMENTS = [
  `CREATE TABLE sessions AS SELECT session_id, any_value(user_id) AS user_id,
    min(timestamp) AS started_at, max(timestamp) AS ended_at, count(*) AS events,
    arg_min(path, timestamp) AS entry_page, arg_max(path, timestamp) AS exit_page, any_value(country) AS country
    FROM events WHERE session_id IS NOT NULL GROUP BY session_id ORDER BY started_at`,
  `CREATE TABLE people AS SELECT user_id, min(timestamp) AS first_seen_at, max(timestamp) AS last_seen_at,
    count(*) AS events, count(DISTINCT session_id) AS sessions
    FROM events WHERE user_id IS NOT NULL GROUP BY user_id ORDER BY first_seen_at`,
]

/**
 * Writes the events with their sessions and people, and compares the rows of each day with the counts of the
 * service. Nothing is left when they differ. Throws FolderError when the operator can fix the problem.
 */
export async function writePull({ rows, counts, into }: PullOptions): Promise<Pulled> {
  if (existsSync(into)) throw new FolderError(`${into} exists. Name a new file or folder with --into.`, null)
  const isDatabase = into.endsWith('.duckdb')
  const unfinished = into + UNFINISHED
  rmSync(unfinished, { recursive: true, force: true })
  const instance = await DuckDBInstance.create(isDatabase ? unfinished : ':memory:')
  try {
    const connection = await instance.connect()
    try {
      await fill(connection, rows)
      const wrong = differences(await countDays(connection), counts)
      if (wrong.length > 0)
        throw new FolderError(
          `The rows are not what the service counts, so nothing was written. Run it again; if it repeats, report it. ${wrong.join(' ')}`,
          null,
        )
      if (!isDatabase) await writeParquet(connection, unfinished)
      const pulled = await totals(connection)
      await connection.run('CHECKPOINT')
      connection.closeSync()
      instance.closeSync()
      renameSync(unfinished, into)
      return { into, ...pulled }
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
    rmSync(unfinished, { recursive: true, force: true })
    rmSync(`${unfinished}.wal`, { force: true })
  }
}

async function fill(connection: DuckDBConnection, rows: string): Promise<void> {
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run(
    `CREATE TABLE events AS SELECT id, event_id, event, make_timestamp(timestamp * 1000) AS timestamp, date,
      user_id, session_id, country, json_extract_string(properties, '$.path') AS path, properties
      FROM read_json($1, format = 'newline_delimited', columns = ${COLUMNS}, maximum_object_size = 67108864)
      ORDER BY timestamp, id`,
    [rows],
  )
  for (const statement of STATEMENTS) await connection.run(statement)
}

async function countDays(connection: DuckDBConnection): Promise<Counts> {
  const reader = await connection.runAndReadAll(
    'SELECT CAST(date AS VARCHAR) AS day, CAST(count(*) AS INTEGER) AS events FROM events GROUP BY date',
  )
  return Object.fromEntries(reader.getRowObjectsJS().map(({ day, events }) => [String(day), Number(events)]))
}

/** The days whose rows are not between both counts. Events may have come while the rows were read. */
function differences(found: Counts, { before, after }: PullOptions['counts']): string[] {
  const days = new Set([before, found, after].flatMap(Object.keys))
  return [...days].toSorted().flatMap(day => {
    const [low, rows, high] = [before, found, after].map(counts => counts[day] ?? 0) as [
      number,
      number,
      number,
    ]
    return low <= rows && rows <= high ? [] : [`${day}: ${rows} rows, ${low} to ${high} by the service.`]
  })
}

async function writeParquet(connection: DuckDBConnection, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const table of TABLES) {
    const file = join(folder, `${table}.parquet`).replaceAll("'", "''")
    await connection.run(`COPY ${table} TO '${file}' (FORMAT parquet, COMPRESSION zstd)`)
  }
}

async function totals(connection: DuckDBConnection): Promise<Omit<Pulled, 'into'>> {
  const counts = [...TABLES.map(table => `(SELECT count(*) FROM ${table}) AS ${table}`)]
  const reader = await connection.runAndReadAll(
    `SELECT ${counts.join(', ')}, (SELECT count(DISTINCT date) FROM events) AS days`,
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
