import type { QueryParams } from '#core/reports/query/params'
import { query } from '#core/reports/query/query'
import type { ReportRequest } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'

type Filter = { field: string; op: string; value: string }

/** The metric that counts people. */
export const PEOPLE = 'unique_users'

/** How many people have an event that all filters hold for. */
export async function countPeople(
  rows: ReadRows,
  request: ReportRequest<{ tz?: string | undefined }>,
  filters: readonly Filter[],
): Promise<number> {
  const params: QueryParams = {
    ...{ metrics: [PEOPLE], group_by: [], filters: [...filters], count_mode: 'raw' },
    ...{ order: 'desc', limit: 1, tz: request.params.tz },
  }
  const body = await query.compute(rows, { ...request, params })
  return Number(body.rows[0]?.[PEOPLE] ?? 0)
}
