import { parquetReadObjects } from 'hyparquet'
import { shortKey } from '#core/lake/consume/id-keys'
import { encodeRows } from '#core/lake/consume/parquet'
import { compareText } from '#core/text/compare-text'
import type { LinkRow } from './links.ts'

/** Small, so that a look for some keys skips most of a large file by the statistics of the row groups. */
export const LINK_ROW_GROUP = 8_192

/**
 * Encodes a links file. The rows are sorted by scope and key, as duckdb/links-engine.ts sorts those of large
 * files.
 */
export function encodeLinks(rows: readonly LinkRow[]): Uint8Array {
  const keyed = rows.map(({ scope, previous_id, user_id, linked_id, at, seq }) => ({
    ...{ scope, previous_id, user_id, linked_id, linked_at: at, linked_seq: seq },
    previous_key: Number(shortKey(previous_id)),
    linked_key: Number(shortKey(linked_id)),
  }))
  const sorted = keyed.toSorted((a, b) => compareText(a.scope, b.scope) || a.previous_key - b.previous_key)
  return encodeRows('links', sorted, LINK_ROW_GROUP)
}

/** Reads a links file. Throws an Error if it is damaged. */
export async function decodeLinks(bytes: Uint8Array): Promise<LinkRow[]> {
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  return rows.map(toLinkRow)
}

export function toLinkRow(row: Record<string, unknown>): LinkRow {
  return {
    scope: String(row.scope),
    previous_id: String(row.previous_id),
    user_id: String(row.user_id),
    linked_id: String(row.linked_id),
    at: Number(row.linked_at),
    seq: Number(row.linked_seq),
  }
}
