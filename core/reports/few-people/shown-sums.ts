import type { EventField } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { QueryRequest } from '#core/reports/query/params'
import { groupValue, planQuery } from '#core/reports/query/plan'
import type { ReadRows } from '#core/reports/run/statements'
import { join, sql } from '#core/sql/sql'
import { numericOf } from '#schemas/query'
import { FEWEST_PEOPLE } from './fold-groups.ts'
import { type Choice, datesOfWholeGroups, numberOfProperty } from './whole-groups.ts'

type Row = Record<string, unknown>
/** Whether a row may show a metric. */
export type IsSumShown = (row: Row, metric: string) => boolean

/** The property whose values a metric adds up; undefined for other metrics. */
export function addedKey(metric: string): string | undefined {
  return numericOf(metric)?.key
}

/**
 * Which sums and means of a property's values are shown. One value must not be the difference of two sums,
 * and a range may begin and end with any date. So each date of the row has numbers of at least FEWEST_PEOPLE,
 * or of nobody: in each of the groups where the query has groups, and with filters in whole groups. Groups
 * and filters together would be groups of groups, so they have no sums. Today has none either: it would tell
 * what each new event adds.
 */
export async function findShownSums(
  rows: ReadRows,
  request: QueryRequest,
  choices: readonly Choice[],
): Promise<IsSumShown> {
  const { metrics, group_by } = request.params
  const keys = [...new Set(metrics.flatMap(metric => addedKey(metric) ?? []))]
  const isGrouped = group_by.some(field => field !== 'date')
  const today = request.zone.dateOf(request.now)
  const shownOf = new Map(
    await Promise.all(
      keys.map(async (key): Promise<[string, (date: unknown) => boolean]> => {
        if (isGrouped && choices.length > 0) return [key, () => false]
        const dates =
          choices.length > 0
            ? await datesOfWholeGroups(rows, request, choices, key)
            : await datesOfGroups(rows, request, key)
        const isShown = (date: string) => date < today && dates.get(date) === true
        const areAllShown = [...dates.keys()].every(isShown)
        return [
          key,
          date => (isGrouped || typeof date !== 'string' ? areAllShown : !dates.has(date) || isShown(date)),
        ]
      }),
    ),
  )
  return (row, metric) => shownOf.get(addedKey(metric) ?? '')?.(row.date) ?? true
}

/** The dates with numbers of a property, each with whether all groups of it have enough people. */
async function datesOfGroups(
  rows: ReadRows,
  request: QueryRequest,
  key: string,
): Promise<Map<string, boolean>> {
  const number = numberOfProperty(key)
  const date = groupValue('date', request)
  const { groups } = planQuery({ ...request, params: { ...request.params, metrics: ['event_count'] } }, [])
  const others = groups.filter(({ field }) => field !== 'date')
  const fields = new Set<EventField>(['user_id', ...[date, number, ...others].flatMap(each => each.fields)])
  const columns = [
    sql`${date.value} AS day`,
    sql`${number.text} AS ${number.textAlias}`,
    ...others.map(({ value, alias }) => sql`${value} AS ${alias}`),
  ]
  const keys = join([sql`day`, ...others.map(({ alias }) => alias)], ', ')
  const found = await rows(sql`SELECT CAST(day AS varchar) AS day, min(people) AS fewest
    FROM (SELECT ${keys}, count(DISTINCT user_id) AS people
      FROM (SELECT ${join(columns, ', ')}, user_id FROM ${events(request.read, [...fields])} AS each_event) AS dated_event
      WHERE ${number.number} IS NOT NULL GROUP BY ${keys}) AS dated_group
    GROUP BY day`)
  return new Map(found.map(({ day, fewest }) => [String(day), Number(fewest) >= FEWEST_PEOPLE]))
}
