import type { SqlQuery } from '#core/ports'
import type { ReportRequest } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { countEventsByDate } from '#core/reports/sql/events-by-date'
import { integer, join, sql, trustedSql } from '#core/sql/sql'
import type { Metric } from './metric.ts'

/**
 * Values that a percentile tells apart at most. Each needs 50 to 100 bytes of the query memory. More values
 * are rounded to 12 bits first: then a range of six decimal places has about 40,000 different ones, and the
 * percentile is exact to 0.03 %.
 */
export const EXACT_VALUES = 5_000_000

/** 2^41 + 1. See `rounded`. */
const SPLITTER = '2199023255553e0'

/** What is needed of a metric; `column` is that of its numbers. */
type RankedMetric = { rowsOf: Metric['rowsOf']; column?: { alias: SqlQuery } | undefined }

/** Whether the percentiles of the query are of rounded values, because the range has so many events. */
export async function mustRound(
  rows: ReadRows,
  { read, exactValues = EXACT_VALUES }: Pick<ReportRequest<unknown>, 'read' | 'exactValues'>,
  { metrics }: { metrics: readonly Metric[] },
): Promise<boolean> {
  const keys = keysOf(metrics).length
  if (keys === 0) return false
  const inBucket = read.snapshot.segments
    .filter(({ firstAt, lastAt }) => lastAt >= read.from && firstAt < read.to)
    .reduce((sum, segment) => sum + segment.rows, 0)
  // The files of the project's bucket may have few events of the project.
  if (inBucket * keys <= exactValues) return false
  const dates = await countEventsByDate(rows, read)
  const events = dates?.reduce((sum, date) => sum + date.events, 0) ?? inBucket
  return events * keys > exactValues
}

/**
 * The different values of each property of which a percentile is asked: (group_<i>, rank_key, number, below,
 * total). `below` is how many numbers of the group are not larger, and `total` how many there are. A group
 * without numbers has a row with a null number. It holds each value once, not each event.
 */
export function rankedNumbers(
  { groups, metrics }: { groups: readonly { alias: SqlQuery }[]; metrics: readonly RankedMetric[] },
  filtered: SqlQuery,
  isRounded: boolean,
): SqlQuery {
  const columns = keysOf(metrics)
  const present = columns.map((column, i) => sql`CASE WHEN ${column} IS NOT NULL THEN ${integer(i)} END`)
  const numbers = columns.map(
    (column, i) => sql`WHEN ${integer(i)} THEN ${isRounded ? rounded(column) : column}`,
  )
  const keys = join([...groups.map(({ alias }) => alias), sql`rank_key`], ', ')
  const keyed =
    columns.length === 1
      ? // DuckDB takes 2 µs to make a list for an event and to unnest it: 45 times all other work.
        sql`SELECT *, ${join(present, '')} AS rank_key FROM (${filtered}) AS number_event`
      : sql`SELECT * FROM (${filtered}) AS number_event
        CROSS JOIN UNNEST(ARRAY[${join(present, ', ')}]) AS key_of_event(rank_key)`
  const counted = sql`SELECT ${keys}, number, count(*) AS events
      FROM (SELECT *, CASE rank_key ${join(numbers, ' ')} END AS number FROM (${keyed}) AS event_with_key) AS keyed_number
      GROUP BY ${keys}, number`
  return sql`SELECT ${keys}, number, sum(events) OVER (PARTITION BY ${keys} ORDER BY number NULLS LAST) AS below,
      sum(CASE WHEN number IS NOT NULL THEN events ELSE 0 END) OVER (PARTITION BY ${keys}) AS total
    FROM (${counted}) AS counted_number`
}

/** The value at the nearest rank, ceil(percent / 100 * n), from the rows of rankedNumbers. */
export function percentile(key: number, percent: number): SqlQuery {
  return sql`min(CASE WHEN rank_key = ${integer(key)} AND below * 100 >= total * ${integer(percent)} THEN number END)`
}

/** The columns of numbers of which percentiles are asked, each once. */
export function keysOf(metrics: readonly RankedMetric[]): SqlQuery[] {
  const columns = metrics.flatMap(({ rowsOf, column }) =>
    rowsOf === 'ranks' && column !== undefined ? [column.alias] : [],
  )
  return columns.filter((column, i) => columns.findIndex(({ text }) => text === column.text) === i)
}

/**
 * The number with its first 12 bits: Veltkamp's splitting, which needs additions and a multiplication of
 * doubles only. So both engines round to the same number, other than with logarithms. Numbers that the
 * multiplication would make infinite stay.
 */
function rounded(number: SqlQuery): SqlQuery {
  const splitter = trustedSql(SPLITTER)
  return sql`CASE WHEN abs(${number}) < 1e290 THEN ${number} * ${splitter} - (${number} * ${splitter} - ${number}) ELSE ${number} END`
}
