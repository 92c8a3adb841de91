import type { EventField, LakeRead } from '#core/lake/read/lake-read'
import { withoutWhere } from '#core/lake/read/lake-read'
import { events, hasIdsAsKeys, sessions, sessionsEnd } from '#core/lake/read/relations'
import { FREE_SCANS } from '#core/lake/read/scan-strategy'
import type { SessionField } from '#core/lake/read/session-fragments'
import { ASKED_COLUMNS, ENTRY_COLUMNS } from '#core/lake/read/session-rule'
import { userKeyOf } from '#core/lake/read/user-links'
import type { SqlQuery } from '#core/ports'
import { join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { nameSources, type OwnSources } from './name-sources.ts'

/** A column that a report makes of events, and the fields that it reads. */
type EventColumn = { column: string; fields: readonly EventField[]; value: SqlQuery }
/** A column of the events of a session: an aggregate. */
export type EventSum = EventColumn

/**
 * The sessions that start in the range, with where they came from: (session_key, fields, entry_page,
 * ASKED_COLUMNS, referrer_host, source, channel). It is the first event with a page that says so.
 */
export function sessionsWithSources(
  read: LakeRead,
  fields: readonly SessionField[],
  own: OwnSources,
): SqlQuery {
  const needed = [...new Set([...fields, 'entry_page' as const])]
  const { namesSourcesOnce } = read.scans ?? FREE_SCANS
  const asked = ASKED_COLUMNS.map(
    (column, i) => sql`${trustedSql(String(ENTRY_COLUMNS[i]))} AS ${name(column)}`,
  )
  const columns = join(['session_key', ...needed].map(trustedSql), ', ')
  const started = sql`(SELECT ${columns}, CASE WHEN entry_page IS NULL THEN 0 ELSE 1 END AS has_page, ${join(asked, ', ')}
      FROM ${sessions(read, [...needed, ...ENTRY_COLUMNS])} AS started_session)`
  if (!namesSourcesOnce) return nameSources(started, own)
  const said = ['has_page', ...ASKED_COLUMNS].map(trustedSql)
  const isSame = said.map(column => sql`named.${column} IS NOT DISTINCT FROM asking_session.${column}`)
  const different = sql`(SELECT DISTINCT ${join(said, ', ')} FROM asking_session)`
  return sql`(WITH asking_session AS ${started}
      SELECT ${columns}, named.* FROM asking_session
      JOIN ${nameSources(different, own)} AS named ON ${join(isSame, ' AND ')})`
}

/**
 * Sums of the events of one name of each session of the range: (sums_key, the sums). `sums_key` is the
 * `session_key` of sessionsWithSources. `by`: also by a value of the events; those without it are left out.
 */
export function sumsOfSessions(
  read: LakeRead,
  { event, sums, by }: { event: string; sums: readonly EventSum[]; by?: EventColumn },
): SqlQuery {
  const all = withoutWhere(read)
  const fields = [...sums, ...(by === undefined ? [] : [by])].flatMap(each => each.fields)
  const named = events({ ...all, to: sessionsEnd(all) }, [
    ...new Set(['session_id' as const, 'event' as const, ...fields]),
  ])
  const columns = sums.map(each => sql`, ${each.value} AS ${trustedSql(each.column)}`)
  const key = hasIdsAsKeys(all) ? sql`max(session_id)` : userKeyOf(sql`max(session_id)`)
  const isOfSession = sql`session_id IS NOT NULL AND event = ${event}`
  if (by === undefined)
    return sql`SELECT ${key} AS sums_key${join(columns, '')} FROM ${named} AS each_event
        WHERE ${isOfSession} GROUP BY ${textKey(sql`session_id`)}`
  return sql`SELECT ${key} AS sums_key, value_of_event AS ${trustedSql(by.column)}${join(columns, '')}
        FROM (SELECT *, ${by.value} AS value_of_event FROM ${named} AS each_event WHERE ${isOfSession}) AS valued_event
        WHERE value_of_event IS NOT NULL GROUP BY ${textKey(sql`session_id`)}, value_of_event`
}
