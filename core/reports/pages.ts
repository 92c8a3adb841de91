import type { z } from 'zod'
import { sessions } from '#core/lake/relations'
import { DURATION_MS } from '#core/lake/session-rows'
import type { Row } from '#core/ports'
import { integer, sql } from '#core/sql'
import type { PageRow, pagesQuery, pagesResponse } from '#schemas/sessions'
import { ratio } from './rounding.ts'
import { defineReport, sinceDays } from './run.ts'

export type PagesParams = Omit<z.output<typeof pagesQuery>, 'project'>

/** GET /pages (contract 1.3): sessions by the page on which they began or ended, most sessions first. */
export const pages = defineReport<PagesParams, z.input<typeof pagesResponse>>({
  range: sinceDays(7),
  // Both lists come from one pass over the sessions: the grouping sets count by entry page and by exit page.
  sql: ({ read, params: { limit } }) => sql`SELECT kind, page, sessions, bounces, duration, events, total_rows
    FROM (SELECT kind, page, sessions, bounces, duration, events,
        row_number() OVER (PARTITION BY kind ORDER BY sessions DESC, page) AS rank_in_kind,
        count(*) OVER (PARTITION BY kind) AS total_rows
      FROM (SELECT grouping(entry_page, exit_page) AS kind, coalesce(entry_page, exit_page) AS page,
          count(*) AS sessions, CAST(sum(is_bounce) AS bigint) AS bounces,
          CAST(sum(${DURATION_MS}) AS bigint) AS duration, CAST(sum(event_count) AS bigint) AS events
        FROM ${sessions(read, FIELDS)} AS session
        GROUP BY GROUPING SETS ((entry_page), (exit_page))) AS page_totals
      WHERE page IS NOT NULL) AS ranked_pages
    WHERE rank_in_kind <= ${integer(limit)}
    ORDER BY kind, rank_in_kind`,
  shape(rows, { project, params: { type } }) {
    const entryRows = type === 'exit' ? [] : rows.filter(row => Number(row.kind) === KINDS.entry)
    const exitRows = type === 'entry' ? [] : rows.filter(row => Number(row.kind) === KINDS.exit)
    const hidden = countHidden(entryRows) + countHidden(exitRows)
    return {
      project: project.name,
      ...(type !== 'exit' && { entry_pages: entryRows.map(toPageRow) }),
      ...(type !== 'entry' && { exit_pages: exitRows.map(toPageRow) }),
      ...(hidden > 0 && {
        truncated: true as const,
        total_rows: entryRows.length + exitRows.length + hidden,
      }),
    }
  },
})

const FIELDS = ['start_at', 'end_at', 'event_count', 'is_bounce', 'entry_page', 'exit_page'] as const

/** The values of `grouping(entry_page, exit_page)`: the column that is not grouped by has the 1 bit. */
const KINDS = { entry: 0b01, exit: 0b10 } as const

/** How many pages of the list the limit has cut. */
function countHidden(rows: readonly Row[]): number {
  return Number(rows[0]?.total_rows ?? 0) - rows.length
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
