import type { Known } from '#dashboard/answers'
import { type Answer, type Call, send } from '#dashboard/api'
import type { LoadWhole } from '#dashboard/charts/csv'

/** Requests for all rows of a list that shows its first ones, when somebody saves them. */

/** Rows of one answer: no read gives more. */
export const MAX_ROWS = 1_000
/** Pages of a list that goes on by a cursor. More rows are those of a query, or of the command line. */
const MAX_PAGES = 20

type Cut = { truncated?: boolean | undefined; total_rows?: number | undefined; other?: unknown }

/** Rows of values, without the row of all others of a cut list. */
export function withoutRest<Row extends { other?: unknown }>(rows: readonly Row[]): readonly Row[] {
  return rows.filter(row => row.other !== true)
}

/** Whether there are rows that the answer does not have. */
function isCut(data: Cut): boolean {
  return data.truncated === true || data.other !== undefined
}

/**
 * The same read with as many rows as it takes. Undefined: the answer has all. `rowsOf` makes rows of an
 * answer as those that are shown, and `totalOf` says how many a list has that is still cut.
 */
export function wholeOf<Data extends Cut, Row>(
  answer: Pick<Known<Data>, 'call' | 'data'>,
  rowsOf: (data: Data) => readonly Row[],
  totalOf: (data: Data, rows: number) => number | undefined = data => data.total_rows,
): (() => Promise<{ rows: readonly Row[]; total: number | undefined }>) | undefined {
  if (answer.data === undefined || !isCut(answer.data)) return undefined
  return async () => {
    const { values } = answer.call
    const { data } = await send({ ...answer.call, values: { ...values, limit: MAX_ROWS } } as Call<Data>)
    const rows = rowsOf(data)
    return { rows, total: isCut(data) ? totalOf(data, rows.length) : undefined }
  }
}

type Sessions = Answer<'GET /sessions'>

/** All sessions of a list from its first page, page by page. */
export function wholeSessions(
  each: Call<Sessions>,
  rowsOf: (sessions: Sessions['sessions']) => Awaited<ReturnType<LoadWhole>>['rows'],
): LoadWhole {
  return async progress => {
    const rows: Awaited<ReturnType<LoadWhole>>['rows'][number][] = []
    let before: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data } = await send({ ...each, values: { ...each.values, limit: MAX_ROWS, before } })
      rows.push(...rowsOf(data.sessions))
      progress(rows.length)
      if (data.next_before === null) return { rows }
      before = data.next_before
    }
    // No read says how many there are without reading them.
    return { rows, total: Number.POSITIVE_INFINITY }
  }
}
