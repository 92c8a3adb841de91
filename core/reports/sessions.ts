import type { z } from 'zod'
import { hasIdsAsKeys, type LakeRead, sessions as sessionsRelation } from '#core/lake/relations'
import { shortKey } from '#core/lake/rows'
import { unixMs } from '#core/lake/session-rows'
import type { Row, SqlQuery } from '#core/ports'
import { integer, isOneOf, join, sql } from '#core/sql'
import { DAY_MS, midnight } from '#core/time'
import type { SessionRow, sessionsQuery, sessionsResponse } from '#schemas/sessions'
import { compareCodePoints } from './code-points.ts'
import { defineReport, sinceDays } from './run.ts'
import { readSessionIds, type SessionIds, type SessionKeys } from './session-ids.ts'

export type SessionsParams = Omit<z.output<typeof sessionsQuery>, 'project'>

/**
 * Sessions with equal starts are in the order of their ids, which the first statement does not know. So it reads this many
 * sessions more than the response lists. Of more sessions with an equal start, those with the lowest keys are listed.
 */
const TIES = 100

/**
 * GET /sessions (contract 1.3): the sessions that start in the range, newest start first. A first statement finds them in the
 * rollup, a second one reads the ids of those that are listed.
 */
export const sessions = defineReport<SessionsParams, z.input<typeof sessionsResponse>>({
  range: sinceDays(7),
  async compute(rows, { project, params, zone, read, identity }) {
    const users = params.user_id === undefined ? null : await identity.idsOf(params.user_id)
    const wholeDates = wholeLastDate(read)
    const areKeysIds = hasIdsAsKeys(wholeDates)
    const userKeys = users?.map(id => (areKeysIds ? id : shortKey(id))) ?? null
    const found = await rows(newestSql(wholeDates, params, userKeys))
    const total = Number(found[0]?.total_rows ?? 0)
    const lastStart = Number(found[params.limit - 1]?.start_time ?? 0)
    const candidates = found.filter(({ start_time }) => Number(start_time) >= lastStart)
    const ids = areKeysIds ? null : await readSessionIds(rows, read, candidates.map(toKeys))
    const listed = candidates
      .flatMap((row): SessionRow[] => {
        const idsOfSession = ids === null ? toIds(row) : ids.get(Number(row.session_key))
        if (idsOfSession === undefined) return []
        const [start, end] = [Number(row.start_time), Number(row.end_time)]
        return [
          {
            ...idsOfSession,
            project_id: project.id,
            start_time: start,
            end_time: end,
            duration: end - start,
            entry_page: toText(row.entry_page),
            exit_page: toText(row.exit_page),
            event_count: Number(row.event_count),
            is_bounce: Number(row.is_bounce) === 1 ? 1 : 0,
            date: zone.dateOf(start),
            has_replay: false,
            replay_count: 0,
          },
        ]
      })
      .toSorted((a, b) => b.start_time - a.start_time || compareCodePoints(a.session_id, b.session_id))
      .slice(0, params.limit)
    return {
      project: project.name,
      sessions: listed,
      ...(total > listed.length && { truncated: true as const, total_rows: total }),
    }
  },
})

/** The range ends after the newest event, so its last date is read whole. Then all of its sessions come from the rollup. */
export function wholeLastDate(read: LakeRead): LakeRead {
  return { ...read, to: midnight(read.to) + DAY_MS }
}

const FIELDS = [
  'user_key',
  'user_at',
  'start_at',
  'end_at',
  'event_count',
  'is_bounce',
  'entry_page',
  'exit_page',
] as const

function newestSql(
  read: LakeRead,
  { is_bounce, limit }: SessionsParams,
  userKeys: readonly (string | number | null)[] | null,
): SqlQuery {
  const conditions = [
    ...(userKeys === null ? [] : [isOneOf(sql`user_key`, userKeys)]),
    ...(is_bounce === undefined ? [] : [sql`is_bounce = ${integer(is_bounce)}`]),
  ]
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${join(conditions, ' AND ')}`
  return sql`SELECT session_key, user_key, ${unixMs(sql`user_at`)} AS user_time, ${unixMs(sql`start_at`)} AS start_time,
      ${unixMs(sql`end_at`)} AS end_time, entry_page, exit_page, event_count, is_bounce, count(*) OVER () AS total_rows
    FROM ${sessionsRelation(read, FIELDS)} AS session ${where}
    ORDER BY start_time DESC, session_key LIMIT ${integer(limit + TIES)}`
}

function toKeys(row: Row): SessionKeys {
  return {
    key: Number(row.session_key),
    userKey: row.user_key === null ? null : Number(row.user_key),
    startAt: Number(row.start_time),
    userAt: row.user_time === null ? null : Number(row.user_time),
  }
}

/** The ids of a session whose keys are ids. */
function toIds(row: Row): SessionIds {
  return { session_id: String(row.session_key), user_id: toText(row.user_key) }
}

function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
