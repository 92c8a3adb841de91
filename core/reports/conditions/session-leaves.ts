import { DURATION_MS } from '#core/lake/read/session-rows'
import { textField } from '#core/reports/sql/filters'
import { sql } from '#core/sql/sql'
import { numberField } from './parse-filter.ts'

/** Fields of a session that conditions name: what each reads of one, and how it is compared. */
export const SESSION_LEAVES = {
  entry_page: { reads: ['entry_page'], filterField: textField(sql`entry_page`) },
  exit_page: { reads: ['exit_page'], filterField: textField(sql`exit_page`) },
  /** true or false. */
  is_bounce: { reads: ['is_bounce'], filterField: numberField(sql`is_bounce`) },
  /** ms. */
  duration: { reads: ['start_at', 'end_at'], filterField: numberField(DURATION_MS) },
} as const

export type SessionLeaf = keyof typeof SESSION_LEAVES

export function isSessionLeaf(field: string): field is SessionLeaf {
  return Object.hasOwn(SESSION_LEAVES, field)
}
