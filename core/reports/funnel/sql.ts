import { type EventField, events, type LakeRead } from '#core/lake/relations'
import { unixMs } from '#core/lake/session-rows'
import type { SqlQuery } from '#core/ports'
import { integer, join, name, sql } from '#core/sql'
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
 * One scan reads the events of all steps, with their position among the events of their entity. Level by level, a window finds
 * the first event of the next step after the event of the step before, within the window that starts with step 1.
 */
export function funnelSql(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const { steps, breakdown } = plan
  const matched = stepEvents(read, plan, sql`${name(plan.countBy)} IS NOT NULL`)
  const numbered = sql`SELECT *, row_number() OVER (PARTITION BY entity ORDER BY timestamp, lag_s, seq) AS place
      FROM (${matched}) AS matched_event`
  const levels = steps.reduce((relation, _, i) => nextLevel(relation, i, plan.windowMs), numbered)
  const reached = steps.flatMap((_, i) => [
    sql`max(${column('place', i)}) AS ${column('place', i)}`,
    sql`max(${column('at', i)}) AS ${column('at', i)}`,
  ])
  const value =
    breakdown === undefined
      ? sql`CAST(NULL AS varchar)`
      : sql`max(CASE WHEN place = place_0 THEN breakdown_value END)`
  const entities = sql`SELECT entity, ${value} AS breakdown_value, ${list(reached)} FROM (${levels}) AS level
      GROUP BY entity HAVING max(place_0) IS NOT NULL`
  const capped = sql`SELECT * FROM (SELECT *, count(*) OVER () AS step_1_entities,
        row_number() OVER (ORDER BY at_0, entity) AS entity_rank FROM (${entities}) AS entity_steps) AS ranked_entity
      WHERE entity_rank <= ${integer(MAX_ENTITIES)}`
  const totals = steps.flatMap((_, i) => [
    sql`count(${column('place', i)}) AS ${column('users', i)}`,
    ...(i + 1 < steps.length
      ? [sql`CAST(sum(${column('at', i + 1)} - ${column('at', i)}) AS bigint) AS ${column('time', i)}`]
      : []),
  ])
  return sql`SELECT breakdown_value, max(step_1_entities) AS step_1_entities, ${list(totals)}
    FROM (${capped}) AS capped_entity GROUP BY breakdown_value
    ORDER BY users_0 DESC, CASE WHEN breakdown_value IS NULL THEN 1 ELSE 0 END, breakdown_value`
}

/** How often the events of each step occurred, whoever sent them: events_<i>, users_<i>, entities_<i>. */
export function activitySql(read: LakeRead, plan: FunnelPlan): SqlQuery {
  const counts = plan.steps.flatMap((_, i) => {
    const isStep = sql`${column('is_step', i)} = 1`
    return [
      sql`count(CASE WHEN ${isStep} THEN 1 END) AS ${column('events', i)}`,
      sql`count(DISTINCT CASE WHEN ${isStep} THEN user_id END) AS ${column('users', i)}`,
      sql`count(DISTINCT CASE WHEN ${isStep} THEN entity END) AS ${column('entities', i)}`,
    ]
  })
  return sql`SELECT ${list(counts)} FROM (${stepEvents(read, { ...plan, breakdown: undefined }, sql`true`)}) AS step_event`
}

/** The events that match any step: (entity, user_id, timestamp, lag_s, seq, sent_at, is_step_<i>, breakdown_value). */
function stepEvents(
  read: LakeRead,
  { steps, countBy, breakdown }: FunnelPlan,
  condition: SqlQuery,
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

/** Adds place_<i> and at_<i>: the event with which the entity reaches step i. */
function nextLevel(relation: SqlQuery, i: number, windowMs: number): SqlQuery {
  const isNext =
    i === 0
      ? sql`is_step_0 = 1`
      : sql`${column('is_step', i)} = 1 AND place > ${column('place', i - 1)} AND sent_at - at_0 <= ${integer(windowMs)}`
  return sql`SELECT *, min(CASE WHEN ${isNext} THEN place END) OVER (PARTITION BY entity) AS ${column('place', i)},
        min(CASE WHEN ${isNext} THEN sent_at END) OVER (PARTITION BY entity) AS ${column('at', i)}
      FROM (${relation}) AS ${column('level', i)}`
}

function column(
  prefix: 'is_step' | 'place' | 'at' | 'users' | 'time' | 'events' | 'entities' | 'level',
  i: number,
): SqlQuery {
  return { text: `${prefix}_${i}`, params: [] }
}

function list(pieces: readonly SqlQuery[]): SqlQuery {
  return join(pieces, ', ')
}
