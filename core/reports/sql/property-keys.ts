import type { LakeRead } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { integer, join, name, sql, trustedSql, unixMs } from '#core/sql/sql'
import { propertyColumns } from '#schemas/columns'
import { MAX_LISTED } from '#schemas/properties'
import { countEventsByDate } from './events-by-date.ts'

/** So many events are read in less time than another statement takes. */
const FEW_EVENTS = 20_000

/**
 * Pairs of key and event that a list shows. A key may have 8 KB, so the pairs of a response have at most 40
 * MB.
 */
const MAX_PAIRS = 5_000

/**
 * The newest events of a range: those from `read.from` on, at most `size`. `hasMore`: the range has more
 * events.
 */
export type NewestEvents = { read: LakeRead; size: number; hasMore: boolean }

/**
 * Finds the newest `sample` events; null without events. Two small statements find out when the oldest of
 * them happened: by the dates of the rollup, then by the timestamps of the events on these dates. Reading the
 * properties of all events of the range takes ten times as long.
 */
export async function findNewestEvents(
  rows: ReadRows,
  read: LakeRead,
  sample: number,
): Promise<NewestEvents | null> {
  const dates = await countEventsByDate(rows, read)
  const total = dates?.reduce((sum, { events }) => sum + events, 0)
  if (total === 0) return null
  let counted = 0
  const oldestDate = dates?.find(({ events }) => {
    counted += events
    return counted > sample
  })
  const onDates = { ...read, from: Math.max(read.from, oldestDate?.date ?? read.from) }
  if (total !== undefined && counted <= FEW_EVENTS) return newestOf(onDates, total, sample)
  const [{ oldest = null, events: found = 0 } = {}] = await rows(oldestOfNewestSql(onDates, sample + 1))
  return oldest === null ? null : newestOf({ ...read, from: Number(oldest) }, total ?? Number(found), sample)
}

function newestOf(read: LakeRead, total: number, sample: number): NewestEvents {
  return { read, size: Math.min(sample, total), hasMore: total > sample }
}

/**
 * When the oldest of the newest `count` events happened, Unix ms, null without events; and how many they are.
 */
function oldestOfNewestSql(read: LakeRead, count: number): SqlQuery {
  return sql`SELECT min(${unixMs(sql`timestamp`)}) AS oldest, count(*) AS events
    FROM (SELECT timestamp FROM ${events(read, ['timestamp'])} AS each_event
      ORDER BY timestamp DESC LIMIT ${integer(count)}) AS newest_event`
}

/** The entries of a list, the most frequent first, and how many the list has without its limit. */
export type Listed<Entry> = { listed: Entry[]; total: number }

/** The property keys of the events: the most frequent ones (U62). */
export async function readPropertyKeys(rows: ReadRows, newest: NewestEvents): Promise<Listed<string>> {
  const found = await rows(mostFrequentSql(newest, ['property_key'], MAX_LISTED))
  const listed = found.filter(({ is_total }) => Number(is_total) === 0)
  return { listed: listed.map(({ property_key }) => String(property_key)), total: totalOf(found) }
}

export type KeyOfEvent = { key: string; event: string }

/**
 * Which property keys the events of each name have: the most frequent pairs, of at most MAX_LISTED keys and
 * names (U62).
 */
export async function readKeysOfEvents(rows: ReadRows, newest: NewestEvents): Promise<Listed<KeyOfEvent>> {
  const found = await rows(mostFrequentSql(newest, ['property_key', 'event'], MAX_PAIRS))
  const [keys, names] = [new Set<string>(), new Set<string>()]
  const listed = found.flatMap(({ is_total, property_key, event }): KeyOfEvent[] => {
    if (Number(is_total) === 1) return []
    const pair = { key: String(property_key), event: String(event) }
    const isListed = isAmongFirst(keys, pair.key) && isAmongFirst(names, pair.event)
    return isListed ? [pair] : []
  })
  return { listed, total: totalOf(found) }
}

/** Whether the value is one of the first MAX_LISTED different ones. */
function isAmongFirst(values: Set<string>, value: string): boolean {
  if (values.size < MAX_LISTED) values.add(value)
  return values.has(value)
}

function totalOf(rows: Awaited<ReturnType<ReadRows>>): number {
  return Number(rows.find(({ is_total }) => Number(is_total) === 1)?.events ?? 0)
}

/**
 * The `limit` most frequent values of the columns with the number of their events, and a last row with
 * is_total = 1, where `events` is how many different values there are.
 */
function mostFrequentSql(
  newest: NewestEvents,
  columns: readonly ('property_key' | 'event')[],
  limit: number,
): SqlQuery {
  const list = join(
    columns.map(column => trustedSql(column)),
    ', ',
  )
  const nulls = join(
    columns.map(column => trustedSql(`CAST(NULL AS varchar) AS ${column}`)),
    ', ',
  )
  return sql`WITH key_total AS (SELECT ${list}, count(*) AS events FROM (${keysOfEventsSql(newest)}) AS key_of_event
        WHERE property_key IS NOT NULL GROUP BY ${list})
    SELECT is_total, ${list}, events FROM (SELECT 0 AS is_total, ${list}, events FROM key_total ORDER BY events DESC, ${list} LIMIT ${integer(limit)}) AS frequent_key
    UNION ALL
    SELECT 1 AS is_total, ${nulls}, count(*) AS events FROM key_total
    ORDER BY is_total, events DESC, ${list}`
}

/**
 * The keys of each event: (event, property_key), also null ones. The join names the number of keys only:
 * DuckDB groups the rows of such a join by all columns that it names, and the keys of 5,000 events of 800
 * keys take more than the query memory. JSON that is too deep for an engine has no keys.
 */
function keysOfEventsSql({ read, size }: NewestEvents): SqlQuery {
  const columns = propertyColumns.map(column => column.name)
  const fields = ['event', 'timestamp', 'lag_s', 'seq', 'properties', ...columns] as const
  const columnKeys = propertyColumns.map(
    ({ name: column, property }) =>
      sql`CASE WHEN ${name(column)} IS NOT NULL THEN ${trustedSql(`'${property}'`)} END`,
  )
  const newest = sql`SELECT ${join(fields.map(name), ', ')} FROM ${events(read, fields)} AS each_event
          ORDER BY timestamp DESC, lag_s DESC, seq DESC LIMIT ${integer(size)}`
  const keyed = sql`SELECT event, coalesce(map_keys(TRY(CAST(json_parse(properties) AS map(varchar, json)))),
            ARRAY[CAST(NULL AS varchar)]) || ARRAY[${join(columnKeys, ', ')}] AS property_keys
        FROM (${newest}) AS newest_event`
  return sql`SELECT event, element_at(property_keys, key_number) AS property_key
      FROM (SELECT *, cardinality(property_keys) AS key_count FROM (${keyed}) AS keyed_event) AS counted_event
      CROSS JOIN UNNEST(sequence(1, key_count)) AS numbered_key(key_number)`
}
