import { eventRefs, joinSets } from '#core/lake/read/chosen'
import type { EventField, LakeRead } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import type { JoinedValue } from '#core/reports/conditions/joined-value'
import { bit, integer, join, NOT_MATERIALIZED, name, sql, trustedSql, unixMs } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { MAX_PEOPLE } from '#schemas/funnel'
import type { FunnelStep } from './steps.ts'

export type FunnelPlan = {
  steps: readonly FunnelStep[]
  countBy: 'user_id' | 'session_id'
  windowMs: number
  /** The value of the event of step 1 by which the funnel is broken down. */
  breakdown: JoinedValue | undefined
  /** The step, from 0, of which reachedSql has the session: that of the event with which it is passed. */
  sessionOfStep?: number
}

/** Entities of step 1 that a funnel follows (docs/api/funnel.md). */
export const MAX_ENTITIES = 10_000

/** The values of `kind` in the rows of funnelSql. */
export const KINDS = { funnel: 0, activity: 1 } as const

/**
 * Rows of two kinds:
 * - `funnel`: one row for each breakdown value, or a single row without a breakdown. users_<i> is the number
 *   of entities that reached step i. time_<i> adds up the milliseconds from step i to step i + 1, of the
 *   entities that reached both.
 * - `activity`: a single row. events_<i> is the number of events of step i, in any order and with any sender.
 *   active_<i> and joinable_<i> are the numbers of their distinct users and entities; joinable_0 counts all
 *   entities of step 1, also those beyond the cap.
 *
 * A first scan groups the events by entity: that gives the activity, and the entities that the funnel
 * follows. A second one reads their events of all steps. Level by level, a window finds the first event of
 * the next step after the event of the step before, within the window that starts with step 1. Windows over
 * the events of all entities took nine times as long on 10 million events.
 */
export function funnelSql(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const { steps } = plan
  const ofFunnel = steps.flatMap((_, i) => [column('users', i), column('time', i)])
  const ofActivity = steps.flatMap((_, i) => [
    column('events', i),
    column('active', i),
    column('joinable', i),
  ])
  const nulls = (columns: readonly SqlQuery[]) => columns.map(each => sql`CAST(NULL AS bigint) AS ${each}`)
  return sql`WITH step_event AS ${NOT_MATERIALIZED} (${stepEvents(read, plan)}), each_entity AS (${entitiesSql(plan)})
    SELECT * FROM (
      SELECT ${integer(KINDS.funnel)} AS kind, breakdown_value, ${list([...ofFunnel, ...nulls(ofActivity)])}
      FROM (${totalsSql(plan)}) AS funnel_total
      UNION ALL
      SELECT ${integer(KINDS.activity)} AS kind, CAST(NULL AS varchar) AS breakdown_value,
        ${list([...nulls(ofFunnel), ...ofActivity])}
      FROM (${activitySql(plan)}) AS activity) AS funnel_row
    ORDER BY kind, users_0 DESC, CASE WHEN breakdown_value IS NULL THEN 1 ELSE 0 END, breakdown_value`
}

/**
 * One row for each entity, also for "no entity": (entity, count_<i>, at_0), how many events of step i it has,
 * and the time of the first one of step 1. If the funnel counts by sessions, a session has a row for each of
 * its users, with user_key.
 */
function entitiesSql(plan: FunnelPlan): SqlQuery {
  const counts = plan.steps.map(
    (_, i) => sql`count(CASE WHEN ${column('is_step', i)} = 1 THEN 1 END) AS ${column('count', i)}`,
  )
  const first = sql`min(CASE WHEN is_step_0 = 1 THEN sent_at END) AS at_0`
  if (plan.countBy === 'user_id') {
    return sql`SELECT entity, ${list(counts)}, ${first} FROM step_event GROUP BY entity`
  }
  return sql`SELECT entity, user_key, ${list(counts)}, ${first}
      FROM (SELECT *, ${textKey(sql`user_id`)} AS user_key FROM step_event) AS keyed_event
      GROUP BY entity, user_key`
}

/**
 * Rows (id, reached_at, session): the entities that reached step `step`, from 0, when and in which session,
 * the latest first. `isLast`: only those that did not reach the step after it.
 */
export function funnelPeopleSql(
  read: LakeRead,
  steps: FunnelPlan,
  { step, isLast }: { step: number; isLast: boolean },
): SqlQuery {
  const plan = { ...steps, sessionOfStep: step }
  const hasNext = isLast && step + 1 < plan.steps.length
  return sql`WITH step_event AS ${NOT_MATERIALIZED} (${stepEvents(read, plan)}), each_entity AS (${entitiesSql(plan)})
    SELECT entity AS id, ${column('at', step)} AS reached_at, session FROM (${reachedSql(plan)}) AS entity_steps
    WHERE ${column('place', step)} IS NOT NULL${hasNext ? sql` AND ${column('place', step + 1)} IS NULL` : sql``}
    ORDER BY ${column('at', step)} DESC, entity LIMIT ${integer(MAX_PEOPLE)}`
}

/** One row for each entity that reached step 1: (entity, breakdown_value, place_<i>, at_<i>, session). */
function reachedSql(plan: FunnelPlan): SqlQuery {
  const { steps, breakdown, windowMs, sessionOfStep } = plan
  // Of the events of step 1 only the first one counts, so most of them stay out of the windows.
  const isLater = join(
    steps.slice(1).map((_, i) => sql`${column('is_step', i + 1)} = 1`),
    ' OR ',
  )
  const followed = sql`SELECT step_event.*, at_0
      FROM step_event JOIN (${FIRST_ENTITIES}) AS first_entity ON first_id = entity
      WHERE sent_at >= at_0 AND sent_at - at_0 <= ${integer(windowMs)} AND (sent_at = at_0 OR ${isLater})`
  const numbered = sql`SELECT *, row_number() OVER (PARTITION BY entity ORDER BY timestamp, lag_s, seq) AS place
      FROM (${followed}) AS followed_event`
  const levels = steps.reduce((relation, _, i) => nextLevel(relation, i), numbered)
  const reached = steps.flatMap((_, i) => [
    sql`max(${column('place', i)}) AS ${column('place', i)}`,
    sql`max(CASE WHEN place = ${column('place', i)} THEN sent_at END) AS ${column('at', i)}`,
    ...(i === sessionOfStep
      ? [sql`max(CASE WHEN place = ${column('place', i)} THEN event_session END) AS session`]
      : []),
  ])
  const value =
    breakdown === undefined
      ? sql`CAST(NULL AS varchar)`
      : sql`max(CASE WHEN place = place_0 THEN breakdown_value END)`
  return sql`SELECT entity, ${value} AS breakdown_value, ${list(reached)}
      FROM (${levels}) AS level GROUP BY entity`
}

/** The rows of kind `funnel`. */
function totalsSql(plan: FunnelPlan): SqlQuery {
  const { steps } = plan
  const totals = steps.flatMap((_, i) => [
    sql`count(${column('place', i)}) AS ${column('users', i)}`,
    sql`${i + 1 < steps.length ? sql`CAST(sum(${column('at', i + 1)} - ${column('at', i)}) AS bigint)` : sql`CAST(NULL AS bigint)`} AS ${column('time', i)}`,
  ])
  return sql`SELECT breakdown_value, ${list(totals)}
    FROM (${reachedSql(plan)}) AS entity_steps GROUP BY breakdown_value`
}

/** The MAX_ENTITIES entities that reached step 1 first: (first_id, at_0). */
const FIRST_ENTITIES = sql`SELECT entity AS first_id, min(at_0) AS at_0 FROM each_entity
      WHERE entity IS NOT NULL AND at_0 IS NOT NULL
      GROUP BY entity ORDER BY at_0, first_id LIMIT ${integer(MAX_ENTITIES)}`

/** The row of kind `activity`. */
function activitySql({ steps, countBy }: FunnelPlan): SqlQuery {
  const isByUser = countBy === 'user_id'
  const counts = steps.flatMap((_, i) => {
    const ifActive = (key: SqlQuery) => sql`CASE WHEN ${column('count', i)} > 0 THEN ${key} END`
    // A user has one row if the funnel counts by users, else one for each session.
    const users = isByUser
      ? sql`count(${ifActive(sql`entity`)})`
      : sql`count(DISTINCT ${ifActive(sql`user_key`)})`
    return [
      sql`CAST(coalesce(sum(${column('count', i)}), 0) AS bigint) AS ${column('events', i)}`,
      sql`${users} AS ${column('active', i)}`,
      sql`${isByUser ? users : sql`count(DISTINCT ${ifActive(sql`entity`)})`} AS ${column('joinable', i)}`,
    ]
  })
  return sql`SELECT ${list(counts)} FROM each_entity`
}

/**
 * The events that match any step: (entity, user_id, timestamp, lag_s, seq, sent_at, is_step_<i>,
 * breakdown_value), and event_session where the plan asks for the session. `entity` is null for events
 * without the id that the funnel counts by.
 */
function stepEvents(read: LakeRead, { steps, countBy, breakdown, sessionOfStep }: FunnelPlan): SqlQuery {
  const hasSession = sessionOfStep !== undefined
  const fields = new Set<EventField>([
    'event',
    'user_id',
    countBy,
    'timestamp',
    'lag_s',
    'seq',
    ...steps.flatMap(({ fields }) => fields),
    ...(breakdown?.fields ?? []),
    ...(hasSession ? (['session_id'] as const) : []),
  ])
  const flags = steps.map(({ matches }, i) => sql`${bit(matches)} AS ${column('is_step', i)}`)
  const names = steps.map(({ event }) => sql`${event}`)
  return sql`SELECT ${name(countBy)} AS entity, user_id, timestamp, lag_s, seq, ${unixMs(sql`timestamp`)} AS sent_at, ${list(flags)},${hasSession ? sql` session_id AS event_session,` : sql``}
        ${breakdown?.text ?? sql`CAST(NULL AS varchar)`} AS breakdown_value
      FROM ${events(read, [...fields])} AS each_event${joinSets(breakdown?.sets ?? [], eventRefs)} WHERE event IN (${list(names)})`
}

/** Adds place_<i>, the place of the event with which the entity reaches step i. */
function nextLevel(relation: SqlQuery, i: number): SqlQuery {
  const isNext =
    i === 0 ? sql`is_step_0 = 1` : sql`${column('is_step', i)} = 1 AND place > ${column('place', i - 1)}`
  return sql`SELECT *, min(CASE WHEN ${isNext} THEN place END) OVER (PARTITION BY entity) AS ${column('place', i)}
      FROM (${relation}) AS ${column('level', i)}`
}

function column(
  prefix:
    | 'is_step'
    | 'count'
    | 'place'
    | 'at'
    | 'users'
    | 'time'
    | 'events'
    | 'active'
    | 'joinable'
    | 'level',
  i: number,
): SqlQuery {
  return trustedSql(`${prefix}_${i}`)
}

function list(pieces: readonly SqlQuery[]): SqlQuery {
  return join(pieces, ', ')
}
