import type { z } from 'zod'
import { sessions } from '#core/lake/read/relations'
import { DURATION_MS } from '#core/lake/read/session-rule'
import type { Row } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import { namesOf } from '#schemas/compare'
import { type PageRow, pagesOfPeriod, type pagesQuery, type pagesResponse } from '#schemas/sessions'
import { ratio } from './run/rounding.ts'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'

export type PagesParams = Omit<z.output<typeof pagesQuery>, 'project'>

/**
 * GET /pages (docs/api/sessions.md): sessions by the page on which they began or ended, most sessions first.
 */
export const pages = defineReport<PagesParams, z.input<typeof pagesResponse>>({
  range: sinceDays(7),
  compared: { fields: namesOf(pagesOfPeriod) },
  /**
   * - `page_total`: the sessions of each entry page and of each exit page, from one pass over the sessions.
   * - `ranked_page`: the same with the rank of each page in its list.
   * - `shown_page`: the same with a null rank for the pages that the limit cuts.
   */
  sql: ({ read, params: { limit } }) => sql`WITH
    page_total AS (
      SELECT grouping(entry_page, exit_page) AS kind, coalesce(entry_page, exit_page) AS page,
        count(*) AS sessions, CAST(sum(is_bounce) AS bigint) AS bounces,
        CAST(sum(${DURATION_MS}) AS bigint) AS duration, CAST(sum(event_count) AS bigint) AS events
      FROM ${sessions(read, FIELDS)} AS session
      GROUP BY GROUPING SETS ((entry_page), (exit_page))),
    ranked_page AS (
      SELECT *, row_number() OVER (PARTITION BY kind ORDER BY sessions DESC, page) AS rank_in_kind
      FROM page_total WHERE page IS NOT NULL),
    shown_page AS (
      SELECT *, CASE WHEN rank_in_kind <= ${integer(limit)} THEN rank_in_kind END AS shown_rank FROM ranked_page)
    SELECT kind, shown_rank, count(*) AS page_count, max(page) AS page,
      CAST(sum(sessions) AS bigint) AS sessions, CAST(sum(bounces) AS bigint) AS bounces,
      CAST(sum(duration) AS bigint) AS duration, CAST(sum(events) AS bigint) AS events
    FROM shown_page
    GROUP BY kind, shown_rank
    ORDER BY kind, shown_rank NULLS LAST`,
  shape(rows, request) {
    const {
      project,
      params: { type },
    } = request
    const rowsOf = (kind: number) => rows.filter(row => Number(row.kind) === kind)
    const ofTypes = [
      ...(type === 'exit' ? [] : rowsOf(KINDS.entry)),
      ...(type === 'entry' ? [] : rowsOf(KINDS.exit)),
    ]
    const listOf = (kind: number) => rowsOf(kind).filter(isShown).map(toPageRow)
    const hidden = ofTypes.filter(row => !isShown(row)).reduce((sum, row) => sum + Number(row.page_count), 0)
    return {
      project: project.name,
      period: toPeriod(request),
      ...(type !== 'exit' && { entry_pages: listOf(KINDS.entry) }),
      ...(type !== 'entry' && { exit_pages: listOf(KINDS.exit) }),
      ...(hidden > 0 && {
        truncated: true as const,
        total_rows: ofTypes.filter(isShown).length + hidden,
      }),
    }
  },
})

const FIELDS = ['start_at', 'end_at', 'event_count', 'is_bounce', 'entry_page', 'exit_page'] as const

/** The values of `grouping(entry_page, exit_page)`: the column that is not grouped by has the 1 bit. */
export const KINDS = { entry: 0b01, exit: 0b10 } as const

/** Whether the row is one page. The row without a rank stands for the pages that the limit has cut. */
function isShown({ shown_rank }: Row): boolean {
  return shown_rank !== null
}

function toPageRow(row: Row): PageRow {
  const sessions = Number(row.sessions)
  return {
    page: String(row.page),
    sessions,
    bounces: Number(row.bounces),
    bounce_rate: ratio(Number(row.bounces), sessions, 3),
    avg_duration: ratio(Number(row.duration), sessions, 0),
    avg_events: ratio(Number(row.events), sessions, 1),
  }
}
