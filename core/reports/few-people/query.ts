import type { z } from 'zod'
import { ApiError } from '#core/errors'
import { MONEY_KEY } from '#core/reports/query/currencies-metric'
import { addDecimals } from '#core/reports/query/exact-sum'
import type { QueryParams, QueryRequest } from '#core/reports/query/params'
import { query } from '#core/reports/query/query'
import { compareCodePoints } from '#core/reports/run/code-points'
import { addNotes, createNotes } from '#core/reports/run/notes'
import { type Report, sinceDays } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import type { queryResponse } from '#schemas/query'
import { PEOPLE } from './count-people.ts'
import { FEWEST_PEOPLE, FOLDED, NO_SUMS, NOTHING } from './fold-groups.ts'
import { foldLines } from './fold-lines.ts'
import { countLeftOut, type PeopleLeftOut } from './left-out.ts'
import { propertiesForLinks } from './lists.ts'
import { addedKey, findShownSums } from './shown-sums.ts'
import { areGroupsWhole, choicesOf } from './whole-groups.ts'

type Response = z.input<typeof queryResponse>
type Groups = Pick<Response, 'rows' | 'count' | 'truncated' | 'total_rows'>
type Row = Response['rows'][number]

/**
 * POST /query for a share link. What counts everybody, in all or by date, is as it is; every other row has
 * five people at least, and leaves out as many or nobody. Sums of properties are rarer (shown-sums.ts).
 */
export const queryForLinks: Report<QueryParams, Response> = {
  // A time of day would tell the minute of an event.
  range: sinceDays(7),
  async compute(rows, asked) {
    const { metrics } = asked.params
    const params = { ...asked.params, metrics: [...new Set([...metrics, PEOPLE])] }
    const request = { ...asked, params }
    const notes = createNotes()
    // A group of one currency is one that nobody has chosen: it may be of few people.
    const { by_currency: _, ...body } = await query
      .compute(rows, { ...request, notes })
      .catch(error => withoutRareNames(rows, request, error))
    // Rows of several currencies have no sum.
    const isOneCurrency =
      !notes.caveats.has('MIXED_CURRENCIES') && !params.group_by.includes('properties.currency')
    const isAdded = (metric: string) => isOneCurrency || addedKey(metric) !== MONEY_KEY
    const { rows: all, ...folded } = await foldOf(rows, request, body, isAdded)
    const sums = await withoutFewSums(rows, request, all)
    // The warnings of the query tell how many events there are.
    addNotes(request.notes, notes, !request.notes.warnings.has(NOTHING))
    return { ...body, ...folded, rows: sums.map(row => withoutPeople(row, metrics)), metrics }
  },
  compared: query.compared,
}

/**
 * An error about a filter lists what it could name: names of events that few people have sent are not in it.
 */
async function withoutRareNames(rows: ReadRows, request: QueryRequest, error: unknown): Promise<never> {
  if (!(error instanceof ApiError) || error.extras.fields?.available_properties === undefined) throw error
  const { events, property_keys } = await propertiesForLinks.compute(rows, request)
  throw new ApiError(error.code, error.message, {
    fields: { ...error.extras.fields, available_properties: { events, property_keys } },
  })
}

/** Hides groups of a period. If no group has enough people, one more statement counts all of them. */
async function foldOf(
  rows: ReadRows,
  request: QueryRequest,
  groups: Groups,
  isAdded: (metric: string) => boolean,
): Promise<Groups> {
  const { group_by, filters } = request.params
  const isOfEverybody = filters.length === 0 && group_by.every(field => field === 'date')
  if (isOfEverybody) return groups
  const choices = choicesOf(request)
  const nothing = (): Groups => {
    request.notes.warnings.add(NOTHING)
    if (group_by.length > 0) return { rows: [], count: 0 }
    return { rows: groups.rows.map(emptyRow), count: groups.count }
  }
  const isEnough = filters.length === 0 || (await haveEnough(rows, request, groups))
  if (!isEnough || !(await areGroupsWhole(rows, request, choices))) return nothing()
  if (group_by.length === 0) return groups
  const named = groups.rows.filter(row => row.other !== true)
  const leftOut = choices.length === 0 ? [] : await countLeftOut(rows, request, choices, named)
  return leftOut === null ? nothing() : foldRows(request, groups, leftOut, isAdded)
}

async function haveEnough(rows: ReadRows, request: QueryRequest, groups: Groups): Promise<boolean> {
  if (groups.rows.some(row => Number(row[PEOPLE]) >= FEWEST_PEOPLE)) return true
  if (request.params.group_by.length === 0) return false
  const params = { ...request.params, metrics: [PEOPLE], group_by: [] }
  const all = await query.compute(rows, { ...request, params })
  return Number(all.rows[0]?.[PEOPLE] ?? 0) >= FEWEST_PEOPLE
}

/** The rows that are shown, and a last one with the sums of all others. */
function foldRows(
  { params, notes }: QueryRequest,
  groups: Groups,
  leftOut: readonly PeopleLeftOut[],
  isAdded: (metric: string) => boolean,
): Groups {
  const cut = groups.rows.filter(row => row.other === true)
  const nameOf = (row: Row) => JSON.stringify(params.group_by.map(field => row[field]))
  const named = groups.rows.filter(row => row.other !== true)
  // Rows of the same size are ordered by name, so the order that a request asks for does not change what is
  // hidden.
  const byName = named.toSorted((a, b) => compareCodePoints(nameOf(a), nameOf(b)))
  // Everybody may know the numbers of each date, and those of each value.
  const lines = params.group_by.length < 2 ? [] : params.group_by.flatMap(field => linesBy(byName, field))
  const people = (row: Row) => Number(row[PEOPLE])
  const rest = groups.truncated === true ? 1 : 0
  const hidden = foldLines([byName, ...lines], [people, ...leftOut], rest)
  if (hidden.size === 0) return groups
  const shown = named.filter(row => !hidden.has(row))
  notes.warnings.add(FOLDED)
  const sums = params.metrics.map((metric): [string, number | null] => [
    metric,
    isAdditive(metric) && isAdded(metric) ? sumOfNumbers([...hidden, ...cut].map(row => row[metric])) : null,
  ])
  const other = {
    ...Object.fromEntries(params.group_by.map(field => [field, null])),
    ...Object.fromEntries(sums),
    other: true,
  }
  return { ...groups, rows: [...shown, other], count: shown.length + 1 }
}

function linesBy(rows: readonly Row[], field: string): Row[][] {
  return [...Map.groupBy(rows, row => row[field]).values()]
}

/** The rows with null for each sum or mean that is not shown. */
async function withoutFewSums(rows: ReadRows, request: QueryRequest, all: readonly Row[]): Promise<Row[]> {
  const added = request.params.metrics.filter(metric => addedKey(metric) !== undefined)
  if (added.length === 0 || all.length === 0) return [...all]
  const isShown = await findShownSums(rows, request, choicesOf(request))
  return all.map(row => {
    const few = added.filter(metric => !isShown(row, metric))
    if (few.length === 0) return row
    request.notes.warnings.add(NO_SUMS)
    return { ...row, ...Object.fromEntries(few.map(metric => [metric, null])) }
  })
}

function isAdditive(metric: string): boolean {
  return metric === 'event_count' || metric.startsWith('sum(')
}

/** Null if none of them is a number. */
function sumOfNumbers(values: readonly (Row[string] | undefined)[]): number | null {
  const numbers = values.filter(value => typeof value === 'number')
  return numbers.length === 0 ? null : addDecimals(numbers)
}

/** The row of a query that nothing matches. */
function emptyRow(row: Row): Row {
  return Object.fromEntries(Object.keys(row).map(name => [name, name.includes('(') ? null : 0]))
}

function withoutPeople(row: Row, metrics: readonly string[]): Row {
  const { [PEOPLE]: _, ...others } = row
  return metrics.includes(PEOPLE) ? row : others
}
