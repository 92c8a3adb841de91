import { existsSync, renameSync, rmSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { COUNT_DAYS, EVENTS_OF_LINES } from '#duckdb/event-tables'
import { FolderError } from '#local/lock'
import {
  addOtherTables,
  isDatabase,
  type Origin,
  type Totals,
  totalsOf,
  unfinishedOf,
  writeParquet,
} from './copy-tables.ts'

type Counts = Readonly<Record<string, number>>

export type PullOptions = {
  /** The events as lines of JSON, as GET /events returns them. */
  rows: string
  /** The events of each UTC day by the service, before and after the rows were read. */
  counts: { before: Counts; after: Counts }
  /** A file that ends in .duckdb, or a folder. It must not exist. */
  into: string
  origin: Origin
}

export type Pulled = Totals & { into: string }

/**
 * Writes the events with their sessions and people, and compares the rows of each day with the counts of the
 * service. Nothing is left when they differ. Throws FolderError when the operator can fix the problem.
 */
export async function writePull({ rows, counts, into, origin }: PullOptions): Promise<Pulled> {
  if (existsSync(into)) throw new FolderError(`${into} exists. Name a new file or folder with --into.`, null)
  const unfinished = unfinishedOf(into)
  rmSync(unfinished, { recursive: true, force: true })
  const instance = await DuckDBInstance.create(isDatabase(into) ? unfinished : ':memory:')
  try {
    const connection = await instance.connect()
    try {
      await fill(connection, rows)
      await addOtherTables(connection, origin)
      const wrong = differences(await countDays(connection), counts)
      if (wrong.length > 0)
        throw new FolderError(
          `The rows are not what the service counts, so nothing was written. Run it again; if it repeats, report it. ${wrong.join(' ')}`,
          null,
        )
      if (!isDatabase(into)) await writeParquet(connection, unfinished)
      const pulled = await totalsOf(connection)
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
  await connection.run(`CREATE TABLE events AS ${EVENTS_OF_LINES}`, [rows])
}

async function countDays(connection: DuckDBConnection): Promise<Counts> {
  const reader = await connection.runAndReadAll(COUNT_DAYS)
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
