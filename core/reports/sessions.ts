import type { z } from 'zod'
import { shortKey } from '#core/lake/consume/id-keys'
import type { LakeRead } from '#core/lake/read/lake-read'
import { hasIdsAsKeys, sessions as sessionsRelation } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { MAX_LISTED_REPLAYS } from '#core/replays/of-sessions'
import { integer, isOneOf, join, sql, unixMs } from '#core/sql/sql'
import type { SessionRow, sessionsQuery, sessionsResponse } from '#schemas/sessions'
import { compareCodePoints } from './run/code-points.ts'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from './run/run.ts'
import { encodeSessionCursor, parseSessionCursor } from './run/session-cursor.ts'
import type { ReadRows } from './run/statements.ts'
import { readSessionIds, type SessionIds, type SessionKeys } from './sql/session-ids.ts'
import { listSessions, type SessionList } from './sql/session-list.ts'

export type SessionsParams = Omit<z.output<typeof sessionsQuery>, 'project'>

/**
 * GET /sessions (docs/api/sessions.md): the sessions that start in the range, newest start first, then by id.
 * A first statement finds them in the rollup, a second one reads the ids of those that are listed. If the
 * limit cuts the list, one more counts all sessions.
 */
export const sessions = defineReport<SessionsParams, z.input<typeof sessionsResponse>>({
  range: sinceDays(7, { takesTimes: true }),
  async compute(rows, request) {
    const { project, params, zone, read, identity } = request
    const users = params.user_id === undefined ? null : await identity.idsOf(params.user_id)
    const areKeysIds = hasIdsAsKeys(read)
    const recorded = params.has_replay ? await idsOfRecorded(request) : null
    const toKey = (id: string) => (areKeysIds ? id : shortKey(id))
    const condition = listCondition(params, {
      users: users?.map(toKey) ?? null,
      sessions: recorded?.map(toKey) ?? null,
    })
    const { limit, before } = params
    const list: SessionList = {
      read,
      limit,
      areKeysIds,
      after: before === undefined ? null : parseSessionCursor(before),
      selectSessions: isListed => selectSessions(read, sql`${isListed} AND ${condition.where}`),
    }
    const found = await listSessions(rows, list)
    const [ids, total] = await Promise.all([
      areKeysIds ? null : readSessionIds(rows, read, found.sessions.map(toKeys)),
      found.hasMore ? countSessions(rows, read, condition) : null,
    ])
    const known = found.sessions
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
    const counts = await request.replays.countReplays(
      project.id,
      known.map(({ session_id }) => session_id),
    )
    const listed = known.map(session => {
      const replay_count = counts.get(session.session_id) ?? 0
      return { ...session, has_replay: replay_count > 0, replay_count }
    })
    const last = found.hasMore ? listed.at(-1) : undefined
    return {
      project: project.name,
      period: toPeriod(request),
      sessions: listed.map(session => pickFields(session, params.fields)),
      next_before: last === undefined ? null : encodeSessionCursor(last),
      ...(total !== null && { truncated: true as const, total_rows: total }),
    }
  },
})

/**
 * The ids of sessions that have a replay (U141). The state knows them, not the lake; so they are as many as
 * one statement can name, and a warning says how to ask for older ones.
 */
async function idsOfRecorded(request: ReportRequest<SessionsParams>): Promise<string[]> {
  const { project, read, zone, notes, replays } = request
  const { ids, since, hasMore } = await replays.findRecorded(project.id, { from: read.from, to: read.to })
  if (hasMore) {
    notes.warnings.add(
      `These are the sessions of the newest ${MAX_LISTED_REPLAYS} replays of the range. For older ones send \`until=${zone.dateOf(since)}\`.`,
    )
  }
  return ids
}

function pickFields(session: SessionRow, fields: readonly (keyof SessionRow)[] | undefined) {
  return fields === undefined ? session : Object.fromEntries(fields.map(field => [field, session[field]]))
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

/** The condition on the sessions of the list, and the fields that it reads. */
type ListCondition = { where: SqlQuery; fields: readonly ('user_key' | 'is_bounce')[] }

type Keys = readonly (string | number | null)[]

/** `users`, `sessions`: only sessions of these keys; null: of all. */
function listCondition(
  { is_bounce }: SessionsParams,
  { users, sessions }: { users: Keys | null; sessions: Keys | null },
): ListCondition {
  const conditions = [
    ...(users === null ? [] : [isOneOf(sql`user_key`, users)]),
    ...(sessions === null ? [] : [isOneOf(sql`session_key`, sessions)]),
    ...(is_bounce === undefined ? [] : [sql`is_bounce = ${integer(is_bounce)}`]),
  ]
  return {
    where: conditions.length === 0 ? sql`true` : join(conditions, ' AND '),
    fields: [
      ...(users === null ? [] : (['user_key'] as const)),
      ...(is_bounce === undefined ? [] : (['is_bounce'] as const)),
    ],
  }
}

function selectSessions(read: LakeRead, condition: SqlQuery): SqlQuery {
  return sql`SELECT session_key, user_key, ${unixMs(sql`user_at`)} AS user_time, ${unixMs(sql`start_at`)} AS start_time,
      ${unixMs(sql`end_at`)} AS end_time, entry_page, exit_page, event_count, is_bounce
    FROM ${sessionsRelation(read, FIELDS)} AS session WHERE ${condition}`
}

/**
 * How many sessions the list has without its limit. A statement of its own reads few columns. As a window
 * over all rows beside the list, the count takes longer, because the window keeps all columns of all
 * sessions.
 */
async function countSessions(
  rows: ReadRows,
  read: LakeRead,
  { where, fields }: ListCondition,
): Promise<number> {
  const relation = sessionsRelation(read, ['start_at', ...fields])
  const [row] = await rows(sql`SELECT count(*) AS total FROM ${relation} AS session WHERE ${where}`)
  return Number(row?.total ?? 0)
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
