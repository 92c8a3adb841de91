import type { QueryParams } from '#core/reports/query/params'
import { query } from '#core/reports/query/query'
import type { ReportRequest } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { FEWEST_PEOPLE } from './fold-groups.ts'

type Filter = { field: string; op: string; value: string }

/** The metric that counts people. */
export const PEOPLE = 'unique_users'

/**
 * Whether at least FEWEST_PEOPLE have an event of a name, and as many or nobody have none: else a report
 * about those who have one, beside that about everybody, would be about the few others.
 */
export async function areManyWithEvent(
  rows: ReadRows,
  request: ReportRequest<{ tz?: string | undefined }>,
  event: string,
): Promise<boolean> {
  const [all, found] = await Promise.all([
    countPeople(rows, request, []),
    countPeople(rows, request, [{ field: 'event', op: 'eq', value: event }]),
  ])
  return found >= FEWEST_PEOPLE && (all === found || all - found >= FEWEST_PEOPLE)
}

/** How many people have an event that all filters hold for. */
export async function countPeople(
  rows: ReadRows,
  request: ReportRequest<{ tz?: string | undefined }>,
  filters: readonly Filter[],
): Promise<number> {
  const params = queryOf({ filters: [...filters], tz: request.params.tz })
  const body = await query.compute(rows, { ...request, params })
  return Number(body.rows[0]?.[PEOPLE] ?? 0)
}

/** The parameters of a query of people, with these fields. */
export function queryOf(fields: Partial<QueryParams>): QueryParams {
  return {
    ...{ metrics: [PEOPLE], group_by: [], filters: [], count_mode: 'raw', order: 'desc', limit: 1 },
    ...fields,
  }
}
