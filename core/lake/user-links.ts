import type { SqlQuery } from '#core/ports'
import { inFiles, integer, join, sql } from '#core/sql'
import type { EventField, LakeRead } from './relations.ts'

/**
 * Puts the ids that users are linked to in the place of those that events have (core/identity). Only projects with links pay for it:
 * one hash join with the links, which are few beside the events.
 */

/** The same rows, with the final user_id. */
export function resolveUserIds(
  { links }: Pick<LakeRead, 'links'>,
  rows: SqlQuery,
  fields: readonly EventField[],
): SqlQuery {
  if (links == null) return rows
  const columns = fields.map(field =>
    field === 'user_id' ? sql`coalesce(linked_id, user_id) AS user_id` : plain(field),
  )
  return sql`(SELECT ${join(columns, ', ')} FROM ${rows} AS stored_event
      LEFT JOIN (${latestLinks(links, 'previous_id', 'linked_id')}) AS link ON previous_id = user_id)`
}

/** The same rows (columns and `key`), with the key of the final user_id. */
export function resolveUserKeys(
  { links }: Pick<LakeRead, 'links'>,
  rows: SqlQuery,
  columns: readonly string[],
  key: 'user_key' | 'user_ref',
): SqlQuery {
  if (links == null) return rows
  const resolved = sql`coalesce(linked_key, ${plain(key)}) AS ${plain(key)}`
  return sql`(SELECT ${join([...columns.map(plain), resolved], ', ')} FROM ${rows} AS stored_row
      LEFT JOIN (${latestLinks(links, 'previous_key', 'linked_key')}) AS link ON previous_key = ${plain(key)})`
}

/** The user_key of a user_id, as `shortKey` of rows.ts makes it: the first 53 bits of the SHA-256. Hashing takes time, so group first. */
export function userKeyOf(userId: SqlQuery): SqlQuery {
  return sql`bitwise_right_shift(from_base(substr(to_hex(sha256(to_utf8(${userId}))), 1, 14), 16), 3)`
}

/** One row for each linked id: the newest one, if there are several files. */
function latestLinks(
  { bucket, files }: NonNullable<LakeRead['links']>,
  from: 'previous_id' | 'previous_key',
  to: 'linked_id' | 'linked_key',
): SqlQuery {
  const where = sql`WHERE ${inFiles('links', files)} AND bucket = ${integer(bucket)}`
  if (files.length === 1) return sql`SELECT ${plain(from)}, ${plain(to)} FROM links ${where}`
  return sql`SELECT ${plain(from)}, max_by(${plain(to)}, version) AS ${plain(to)} FROM links ${where} GROUP BY ${plain(from)}`
}

/** Names that the code writes. */
function plain(text: string): SqlQuery {
  return { text, params: [] }
}
