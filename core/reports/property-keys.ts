import { events, type LakeRead } from '#core/lake/relations'
import { unixMs } from '#core/lake/session-rows'
import type { Row, SqlQuery } from '#core/ports'
import { integer, join, name, sql } from '#core/sql'
import { propertyColumns } from '#schemas/columns'
import { countEventsByDate } from './events-by-date.ts'
import type { ReadRows } from './statements.ts'

/** So many events are read in less time than another statement takes. */
const FEW_EVENTS = 20_000

/**
 * Which property keys the newest `sample` events have: rows (event, property_key, found_events), each pair of event and key
 * once. A row with a null key stands for an event name. `found_events` is the number of events, or `sample` + 1 if there are more
 * than `sample`. Two small statements find out when the oldest of them happened: by the dates of the rollup, then by the timestamps of the
 * events on these dates. Reading the properties of all events of the range takes ten times as long.
 */
export async function readPropertyKeys(rows: ReadRows, read: LakeRead, sample: number): Promise<Row[]> {
  const dates = await countEventsByDate(rows, read)
  if (dates?.length === 0) return []
  let found = 0
  const oldestDate = dates?.find(({ events }) => {
    found += events
    return found > sample
  })
  const onDates = { ...read, from: Math.max(read.from, oldestDate?.date ?? read.from) }
  if (dates !== null && found <= FEW_EVENTS) return rows(propertyKeysSql(onDates, sample))
  const [{ oldest = null } = {}] = await rows(oldestOfNewestSql(onDates, sample + 1))
  return oldest === null ? [] : rows(propertyKeysSql({ ...read, from: Number(oldest) }, sample))
}

/** When the oldest of the newest `count` events happened, Unix ms; null without events. */
function oldestOfNewestSql(read: LakeRead, count: number): SqlQuery {
  return sql`SELECT min(${unixMs(sql`timestamp`)}) AS oldest
    FROM (SELECT timestamp FROM ${events(read, ['timestamp'])} AS each_event
      ORDER BY timestamp DESC LIMIT ${integer(count)}) AS newest_event`
}

function propertyKeysSql(read: LakeRead, sample: number): SqlQuery {
  const columns = propertyColumns.map(column => column.name)
  const fields = ['event', 'timestamp', 'lag_s', 'seq', 'properties', ...columns] as const
  const columnKeys = propertyColumns.map(
    ({ name: column, property }) =>
      sql`CASE WHEN ${name(column)} IS NOT NULL THEN ${{ text: `'${property}'`, params: [] }} END`,
  )
  return sql`SELECT event, property_key, max(found_events) AS found_events
    FROM (SELECT event, found_events,
        coalesce(map_keys(CAST(json_parse(properties) AS map(varchar, json))), ARRAY[CAST(NULL AS varchar)])
          || ARRAY[${join(columnKeys, ', ')}, CAST(NULL AS varchar)] AS property_keys
      FROM (SELECT *, count(*) OVER () AS found_events, row_number() OVER (${NEWEST_FIRST}) AS place
        FROM (SELECT ${join(fields.map(name), ', ')} FROM ${events(read, fields)} AS each_event
          ${NEWEST_FIRST} LIMIT ${integer(sample + 1)}) AS newest_event) AS found_event
      WHERE place <= ${integer(sample)}) AS keyed_event
    CROSS JOIN UNNEST(property_keys) AS key_of_event(property_key)
    GROUP BY event, property_key`
}

const NEWEST_FIRST = sql`ORDER BY timestamp DESC, lag_s DESC, seq DESC`
