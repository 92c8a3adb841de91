import type { OpenLinks } from '#core/lake/model/open-links'
import type { SqlQuery } from '#core/ports'
import { inFiles, integer, join, sql, trustedSql } from '#core/sql/sql'
import { mayHaveErasedHot, withoutErasedLinks } from './erased-events.ts'
import type { EventField, LakeRead } from './lake-read.ts'

/**
 * Puts the ids that users are linked to in the place of those that events have (core/identity). Only projects
 * with links pay for it: one hash join with the links, which are few beside the events.
 */

type LinksRead = Pick<LakeRead, 'links' | 'snapshot' | 'project'>

/** The same rows, with the final user_id. */
export function resolveUserIds(read: LinksRead, rows: SqlQuery, fields: readonly EventField[]): SqlQuery {
  const { links } = read
  if (links == null) return rows
  const columns = fields.map(field =>
    field === 'user_id' ? sql`coalesce(linked_id, user_id) AS user_id` : trustedSql(field),
  )
  return sql`(SELECT ${join(columns, ', ')} FROM ${rows} AS stored_event
      LEFT JOIN (${finalLinks(links, 'id', read)}) AS link ON previous_id = user_id)`
}

/** The same rows (columns and `key`), with the key of the final user_id. */
export function resolveUserKeys(
  read: LinksRead,
  rows: SqlQuery,
  columns: readonly string[],
  key: 'user_key' | 'user_ref',
): SqlQuery {
  const { links } = read
  if (links == null) return rows
  const resolved = sql`coalesce(linked_key, ${trustedSql(key)}) AS ${trustedSql(key)}`
  return sql`(SELECT ${join([...columns.map(trustedSql), resolved], ', ')} FROM ${rows} AS stored_row
      LEFT JOIN (${finalLinks(links, 'key', read)}) AS link ON previous_key = ${trustedSql(key)})`
}

/**
 * The user_key of a user_id, as `shortKey` of id-keys.ts makes it: the first 53 bits of the SHA-256. Hashing
 * takes time, so group first.
 */
export function userKeyOf(userId: SqlQuery): SqlQuery {
  return sql`bitwise_right_shift(from_base(substr(to_hex(sha256(to_utf8(${userId}))), 1, 14), 16), 3)`
}

/**
 * One row for each linked id: previous_id and linked_id, or previous_key and linked_key. An id has a row in
 * one file only. What it led to when the file was written may have a row in a newer file, and so on: each
 * step is one more join. `read`: links of persons who are erased in its project are left out; then no other
 * row leads over them. Null: of everybody, for what an erasure asks.
 */
export function finalLinks(
  { scope, bucket, files, hops }: OpenLinks,
  form: 'id' | 'key',
  read: LinksRead | null,
): SqlQuery {
  const [from, to] = [trustedSql(`previous_${form}`), trustedSql(`linked_${form}`)]
  const linksOf = (keys: readonly string[]) =>
    sql`FROM links WHERE ${inFiles('links', keys)} AND bucket = ${integer(bucket)} AND scope = ${scope}`
  const first =
    read !== null && mayHaveErasedHot(read)
      ? withoutErasedLinks(
          read,
          sql`SELECT ${from}, ${to}, linked_at${form === 'id' ? sql`, previous_key` : sql``} ${linksOf(files)}`,
          sql`${from}, ${to}`,
        )
      : sql`SELECT ${from}, ${to} ${linksOf(files)}`
  if (hops === 0) return first
  const steps = Array.from({ length: hops }, (_, i) => i + 1)
  const joins = steps.map(
    i => sql`
        LEFT JOIN (SELECT ${from} AS ${trustedSql(`from_${i}`)}, ${to} AS ${trustedSql(`to_${i}`)} ${linksOf(files.slice(1))}) AS ${trustedSql(`step_${i}`)}
          ON ${trustedSql(`from_${i}`)} = ${i === 1 ? to : trustedSql(`to_${i - 1}`)}`,
  )
  const finals = [...steps.toReversed().map(i => trustedSql(`to_${i}`)), to]
  return sql`SELECT ${from}, coalesce(${join(finals, ', ')}) AS ${to}
      FROM (${first}) AS first_step${join(joins, '')}`
}
