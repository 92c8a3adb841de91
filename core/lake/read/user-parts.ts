import type { SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import { ENTRY_COLUMNS } from './session-rule.ts'

/**
 * The column user_parts of segment_sessions. A row with events of several users says there what each of them
 * has, so that an erasure of one can be left out of the row. Parts have commas between them, and the values
 * of a part `|`. Texts are percent-encoded, and an empty value is null.
 */
export const PART_VALUES = [
  'user_key',
  /** Of the last event of the user: with end_at the order of events. */
  'last_lag_s',
  'last_seq',
  'start_at',
  'end_at',
  'event_count',
  'interactive_count',
  'entry_page',
  'entry_at',
  'entry_lag_s',
  'entry_seq',
  'exit_page',
  'exit_at',
  'exit_lag_s',
  'exit_seq',
  'page_view_count',
  'entry_referrer',
  'entry_hostname',
  'entry_click_id',
  'entry_utm_source',
  'entry_utm_medium',
  'entry_utm_campaign',
  'entry_utm_content',
] as const

export type PartValue = (typeof PART_VALUES)[number]

/** Values that are texts. */
export const TEXTS: ReadonlySet<PartValue> = new Set([
  ...(['entry_page', 'exit_page'] as const),
  ...ENTRY_COLUMNS,
])
const TIMES: ReadonlySet<PartValue> = new Set(['start_at', 'end_at', 'entry_at', 'exit_at'])

/** A value of the part `part`, with its type. */
export function partValue(value: PartValue): SqlQuery {
  const text = sql`nullif(split_part(part, '|', ${integer(PART_VALUES.indexOf(value) + 1)}), '')`
  if (TEXTS.has(value)) return sql`url_decode(${text})`
  return TIMES.has(value) ? sql`CAST(${text} AS timestamp)` : sql`CAST(${text} AS bigint)`
}
