import type { z } from 'zod'
import { ApiError } from '#core/errors'
import { addDecimals } from '#core/reports/query/exact-sum'
import type { QueryParams, QueryRequest } from '#core/reports/query/params'
import { query } from '#core/reports/query/query'
import { addNotes, createNotes } from '#core/reports/run/notes'
import type { Report } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import type { queryResponse } from '#schemas/query'
import { PEOPLE } from './count-people.ts'
import { FEWEST_PEOPLE, FOLDED, foldGroups, NOTHING } from './fold-groups.ts'
import { propertiesForLinks } from './lists.ts'

type Response = z.input<typeof queryResponse>
type Groups = Pick<Response, 'rows' | 'count' | 'truncated' | 'total_rows'>
type Row = Response['rows'][number]

/**
 * POST /query for a share link. What counts everybody, in all or by date, is as it is; every other row has
 * five people at least.
 */
export const queryForLinks: Report<QueryParams, Response> = {
  range: query.range,
  async compute(rows, request) {
    const { metrics, filters, group_by } = request.params
    const notes = createNotes()
    const asked = [...new Set([...metrics, PEOPLE])]
    const body = await query
      .compute(rows, { ...request, notes, params: { ...request.params, metrics: asked } })
      .catch(error => withoutRareNames(rows, request, error))
    const own = (groups: Groups) => ({ ...groups, rows: groups.rows.map(row => withoutPeople(row, metrics)) })
    const { previous, ...current } = body
    const isOfEverybody = filters.length === 0 && group_by.every(field => field === 'date')
    const fold = isOfEverybody ? (groups: Groups) => groups : await foldOf(rows, request, body)
    const ofPrevious =
      previous === undefined ? {} : { previous: { ...previous, ...own(fold(previous, 'previous')) } }
    const ofCurrent = own(fold(current, 'rows'))
    // The warnings of the query tell how many events there are.
    addNotes(request.notes, notes, !request.notes.warnings.has(NOTHING))
    return { ...current, ...ofCurrent, metrics, ...ofPrevious }
  },
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

type Part = 'rows' | 'previous'

/** What hides groups of a period. If no group has enough people, one more statement counts all of them. */
async function foldOf(rows: ReadRows, request: QueryRequest, body: Response) {
  const { group_by, filters } = request.params
  const hasEnough = (groups: Groups) => groups.rows.some(row => Number(row[PEOPLE]) >= FEWEST_PEOPLE)
  const parts = [body, ...(body.previous === undefined ? [] : [body.previous])]
  const isUnknown = group_by.length > 0 && filters.length > 0 && !parts.every(hasEnough)
  const params = { ...request.params, metrics: [PEOPLE], group_by: [] }
  const all = isUnknown ? await query.compute(rows, { ...request, params }) : null
  return (groups: Groups, part: Part): Groups => {
    const { [PEOPLE]: people = 0 } = (part === 'rows' ? all?.rows : all?.previous?.rows)?.[0] ?? {}
    const isEnough = filters.length === 0 || hasEnough(groups) || Number(people) >= FEWEST_PEOPLE
    if (!isEnough) {
      request.notes.warnings.add(NOTHING)
      return group_by.length > 0
        ? { rows: [], count: 0 }
        : {
            rows: groups.rows.map(emptyRow),
            count: groups.count,
            truncated: undefined,
            total_rows: undefined,
          }
    }
    return group_by.length === 0 ? groups : foldRows(request, groups)
  }
}

/** The rows of at least five people, and a last one with the sums of all others. */
function foldRows({ params, notes }: QueryRequest, groups: Groups): Groups {
  const cut = groups.rows.filter(row => row.other === true)
  const named = groups.rows.filter(row => row.other !== true)
  const rest = groups.truncated === true ? 1 : 0
  const { shown, folded } = foldGroups(named, row => Number(row[PEOPLE]), { rest })
  if (folded.length === 0) return groups
  notes.warnings.add(FOLDED)
  const sums = params.metrics.map((metric): [string, number | null] => [
    metric,
    isAdditive(metric) ? sumOfNumbers([...folded, ...cut].map(row => row[metric])) : null,
  ])
  const other = {
    ...Object.fromEntries(params.group_by.map(field => [field, null])),
    ...Object.fromEntries(sums),
    other: true,
  }
  return { ...groups, rows: [...shown, other], count: shown.length + 1 }
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
