import type { EventField, LakeRead } from '#core/lake/read/lake-read'
import { withoutWhere } from '#core/lake/read/lake-read'
import { events, hasIdsAsKeys, sessions, sessionsEnd } from '#core/lake/read/relations'
import type { SessionField } from '#core/lake/read/session-fragments'
import { PAGE } from '#core/lake/read/session-rule'
import { userKeyOf } from '#core/lake/read/user-links'
import type { SqlQuery } from '#core/ports'
import { EVENT_POSITION } from '#core/reports/sql/event-position'
import { join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { ASKED_COLUMNS, nameSources, type OwnSources } from './name-sources.ts'

/** A column that a report makes of events, and the fields that it reads. */
type EventColumn = { column: string; fields: readonly EventField[]; value: SqlQuery }
/** A column of all events of a session: an aggregate. */
export type EventSum = EventColumn

/**
 * The sessions that start in the range, with where they came from: (session_key, fields, ASKED_COLUMNS,
 * referrer_host, source, channel, sums). It is the first event with a page that says so. No rollup has it, so
 * this reads the events of the range.
 */
export function sessionsWithSources(
  read: LakeRead,
  fields: readonly SessionField[],
  own: OwnSources,
  sums: readonly EventSum[] = [],
): SqlQuery {
  const all = withoutWhere(read)
  const columns = join([...fields.map(trustedSql), ...sums.map(({ column }) => trustedSql(column))], ', ')
  const entry = sql`SELECT ${hasIdsAsKeys(all) ? sql`max(session_id)` : userKeyOf(sql`max(session_id)`)} AS entry_key,
          min_by(CAST(ROW(${join(ASKED_COLUMNS.map(name), ', ')}) AS ROW(${ROW_TYPE})), ${EVENT_POSITION}) FILTER (WHERE page IS NOT NULL) AS entry,
          max(CASE WHEN page IS NOT NULL THEN 1 ELSE 0 END) AS has_page${join(
            sums.map(({ column, value }) => sql`, ${value} AS ${trustedSql(column)}`),
            '',
          )}
        FROM (SELECT *, ${PAGE} AS page FROM ${eventsOfSessions(all, sums)} AS each_event WHERE session_id IS NOT NULL) AS paged_event
        GROUP BY ${textKey(sql`session_id`)}`
  const entryColumns = join(
    ASKED_COLUMNS.map(column => sql`entry.${name(column)} AS ${name(column)}`),
    ', ',
  )
  const asked = sql`(SELECT session_key, has_page, ${entryColumns}${columns.text === '' ? sql`` : sql`, ${columns}`}
      FROM ${sessions(read, fields)} AS started_session JOIN (${entry}) AS session_entry ON entry_key = session_key)`
  return nameSources(asked, own)
}

/**
 * Sums of the events of each session, by a value of the events: (sums_key, the value, the sums). `sums_key`
 * is the `session_key` of sessionsWithSources. Events without the value are left out.
 */
export function sumsOfSessions(read: LakeRead, value: EventColumn, sums: readonly EventSum[]): SqlQuery {
  const all = withoutWhere(read)
  const columns = sums.map(each => sql`, ${each.value} AS ${trustedSql(each.column)}`)
  const key = hasIdsAsKeys(all) ? sql`max(session_id)` : userKeyOf(sql`max(session_id)`)
  return sql`SELECT ${key} AS sums_key, value_of_event AS ${trustedSql(value.column)}${join(columns, '')}
        FROM (SELECT *, ${value.value} AS value_of_event FROM ${eventsOfSessions(all, [value, ...sums])} AS each_event WHERE session_id IS NOT NULL) AS valued_event
        WHERE value_of_event IS NOT NULL GROUP BY ${textKey(sql`session_id`)}, value_of_event`
}

const ROW_TYPE = trustedSql(ASKED_COLUMNS.map(column => `${column} varchar`).join(', '))

/** The events of the sessions that start in the range. */
function eventsOfSessions(read: LakeRead, sums: readonly EventSum[]): SqlQuery {
  const fields = new Set<EventField>([
    ...(['session_id', 'timestamp', 'lag_s', 'seq', 'path', 'url'] as const),
    ...ASKED_COLUMNS,
    ...sums.flatMap(({ fields }) => fields),
  ])
  return events({ ...read, to: sessionsEnd(read) }, [...fields])
}
