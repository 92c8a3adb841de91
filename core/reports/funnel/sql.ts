import { type EventField, events, type LakeRead } from '#core/lake/relations'
import { unixMs } from '#core/lake/session-rows'
import type { SqlQuery } from '#core/ports'
import { integer, join, name, sql } from '#core/sql'
import { textKey } from '../distinct.ts'
import { propertyValue } from '../property-value.ts'
import type { FunnelStep } from './steps.ts'

export type FunnelPlan = {
  steps: readonly FunnelStep[]
  countBy: 'user_id' | 'session_id'
  windowMs: number
  /** A property key, or `country`. */
  breakdown: string | undefined
}

/** Entities of step 1 that a funnel follows (contract 2.2). */
export const MAX_ENTITIES = 10_000

/**
 * One row for each breakdown value (one row without a breakdown): users_<i>, the entities that reached step i, and time_<i>, the
 * milliseconds from step i to step i + 1 of all that reached both; also step_1_entities, before the cap.
 *
 * A first scan finds the entities that the funnel follows, a second one reads their events of all steps. Level by level, a window
 * finds the first event of the next step after the event of the step before, within the window that starts with step 1. Windows over
 * the events of all entities took nine times as long on 10 million events.
 */
export function funnelSql(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const { steps, breakdown, windowMs } = plan
  const matched = stepEvents(read, plan)
  const followed = sql`SELECT matched_event.*, at_0, step_1_entities
      FROM (${matched}) AS matched_event JOIN (${firstEntities(read, plan)}) AS first_entity ON first_id = entity
      WHERE sent_at >= at_0 AND sent_at - at_0 <= ${integer(windowMs)}`
  const numbered = sql`SELECT *, row_number() OVER (PARTITION BY entity ORDER BY timestamp, lag_s, seq) AS place
      FROM (${followed}) AS followed_event`
  const levels = steps.reduce((relation, _, i) => nextLevel(relation, i), numbered)
  const reached = steps.flatMap((_, i) => [
    sql`max(${column('place', i)}) AS ${column('place', i)}`,
    sql`max(CASE WHEN place = ${column('place', i)} THEN sent_at END) AS ${column('at', i)}`,
  ])
  const value =
    breakdown === undefined
      ? sql`CAST(NULL AS varchar)`
      : sql`max(CASE WHEN place = place_0 THEN breakdown_value END)`
  const entities = sql`SELECT entity, max(step_1_entities) AS step_1_entities, ${value} AS breakdown_value, ${list(reached)}
      FROM (${levels}) AS level GROUP BY entity`
  const totals = steps.flatMap((_, i) => [
    sql`count(${column('place', i)}) AS ${column('users', i)}`,
    ...(i + 1 < steps.length
      ? [sql`CAST(sum(${column('at', i + 1)} - ${column('at', i)}) AS bigint) AS ${column('time', i)}`]
      : []),
  ])
  return sql`SELECT breakdown_value, max(step_1_entities) AS step_1_entities, ${list(totals)}
    FROM (${entities}) AS entity_steps GROUP BY breakdown_value
    ORDER BY users_0 DESC, CASE WHEN breakdown_value IS NULL THEN 1 ELSE 0 END, breakdown_value`
}

/** The MAX_ENTITIES entities that reached step 1 first: (first_id, at_0, step_1_entities); the last is their number before the cap. */
function firstEntities(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const started = stepEvents(read, { ...plan, steps: plan.steps.slice(0, 1), breakdown: undefined })
  const entities = sql`SELECT entity AS first_id, min(sent_at) AS at_0 FROM (${started}) AS started_event
        WHERE is_step_0 = 1 GROUP BY entity`
  return sql`SELECT first_id, at_0, step_1_entities
      FROM (SELECT *, count(*) OVER () AS step_1_entities, row_number() OVER (ORDER BY at_0, first_id) AS entity_rank
        FROM (${entities}) AS each_entity) AS ranked_entity
      WHERE entity_rank <= ${integer(MAX_ENTITIES)}`
}

/**
 * How often the events of each step occurred, whoever sent them: events_<i>, users_<i>, entities_<i>. The users and entities are
 * grouped first, because distinct counts over the events themselves take several times as long.
 */
export function activitySql(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const isByUser = plan.countBy === 'user_id'
  const eventCounts = plan.steps.map((_, i) => sql`sum(${column('is_step', i)}) AS ${column('count', i)}`)
  // A user is in one group if the funnel counts by users, else in a group for each session.
  const countOf = (key: SqlQuery) => (isByUser ? sql`count(${key})` : sql`count(DISTINCT ${key})`)
  const counts = plan.steps.flatMap((_, i) => {
    const ifActive = (key: SqlQuery) => sql`CASE WHEN ${column('count', i)} > 0 THEN ${key} END`
    return [
      sql`CAST(sum(${column('count', i)}) AS bigint) AS ${column('events', i)}`,
      sql`${countOf(ifActive(sql`user_key`))} AS ${column('users', i)}`,
      sql`${countOf(ifActive(isByUser ? sql`user_key` : sql`entity_key`))} AS ${column('entities', i)}`,
    ]
  })
  const keys = isByUser ? sql`user_key` : sql`user_key, entity_key`
  const matched = stepEvents(read, { ...plan, breakdown: undefined }, sql`true`)
  return sql`SELECT ${list(counts)} FROM (SELECT ${keys}, ${list(eventCounts)}
      FROM (SELECT *, ${textKey(sql`user_id`)} AS user_key, ${textKey(sql`entity`)} AS entity_key
        FROM (${matched}) AS step_event) AS keyed_event GROUP BY ${keys}) AS each_entity`
}

/**
 * The events that match any step: (entity, user_id, timestamp, lag_s, seq, sent_at, is_step_<i>, breakdown_value). Those without an
 * entity are left out, unless `condition` says otherwise.
 */
function stepEvents(
  read: LakeRead,
  { steps, countBy, breakdown }: FunnelPlan,
  condition: SqlQuery = sql`${name(countBy)} IS NOT NULL`,
): SqlQuery {
  const value = breakdown === undefined ? null : breakdownValue(breakdown)
  const fields = new Set<EventField>([
    'event',
    'user_id',
    countBy,
    'timestamp',
    'lag_s',
    'seq',
    ...steps.flatMap(({ fields }) => fields),
    ...(value?.fields ?? []),
  ])
  const flags = steps.map(
    ({ matches }, i) => sql`CASE WHEN ${matches} THEN 1 ELSE 0 END AS ${column('is_step', i)}`,
  )
  const names = steps.map(({ event }) => sql`${event}`)
  return sql`SELECT ${name(countBy)} AS entity, user_id, timestamp, lag_s, seq, ${unixMs(sql`timestamp`)} AS sent_at, ${list(flags)},
        ${value?.text ?? sql`CAST(NULL AS varchar)`} AS breakdown_value
      FROM ${events(read, [...fields])} AS each_event WHERE event IN (${list(names)}) AND ${condition}`
}

function breakdownValue(property: string): { fields: EventField[]; text: SqlQuery } {
  return property === 'country' ? { fields: ['country'], text: sql`country` } : propertyValue(property)
}

/** Adds place_<i>, the place of the event with which the entity reaches step i. */
function nextLevel(relation: SqlQuery, i: number): SqlQuery {
  const isNext =
    i === 0 ? sql`is_step_0 = 1` : sql`${column('is_step', i)} = 1 AND place > ${column('place', i - 1)}`
  return sql`SELECT *, min(CASE WHEN ${isNext} THEN place END) OVER (PARTITION BY entity) AS ${column('place', i)}
      FROM (${relation}) AS ${column('level', i)}`
}

function column(
  prefix: 'is_step' | 'count' | 'place' | 'at' | 'users' | 'time' | 'events' | 'entities' | 'level',
  i: number,
): SqlQuery {
  return { text: `${prefix}_${i}`, params: [] }
}

function list(pieces: readonly SqlQuery[]): SqlQuery {
  return join(pieces, ', ')
}
