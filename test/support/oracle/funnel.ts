import {
  byCodePoint,
  byPosition,
  eventsOf,
  HOUR,
  isInRange,
  type OracleRequest,
  ratioOf,
  sum,
} from './common.ts'
import { matches } from './matches.ts'
import { keyNamed, propertyText } from './properties.ts'
import type { SentEvent } from './sent-event.ts'
import { SESSION_GROUPS, sessionGroups, sessionText } from './session-groups.ts'
import { isTrait, traitText } from './traits.ts'

type Value = string | number | boolean
export type OracleStep = {
  event: string
  filters: { property: string; op: string; value: Value | Value[] }[]
}
export type OracleFunnel = {
  steps: OracleStep[]
  count_by: 'user_id' | 'session_id'
  conversion_window_hours: number
  breakdown?: string | undefined
  breakdown_limit: number
  people_of_step?: number | undefined
  people_dropped?: boolean | undefined
}

function isStep(event: SentEvent, { event: name, filters }: OracleStep): boolean {
  return (
    event.event === name &&
    filters.every(({ property, op, value }) => {
      const { properties } = event
      const key = keyNamed(property)
      const actual = properties !== null && Object.hasOwn(properties, key) ? properties[key] : null
      return matches(actual, op, value)
    })
  )
}

/**
 * The events with which an entity passes the steps, in order. `own`: all events of the entity in the range.
 */
function passSteps(own: readonly SentEvent[], { steps, conversion_window_hours }: OracleFunnel): SentEvent[] {
  const ordered = own.toSorted(byPosition)
  const passed: SentEvent[] = []
  let next = 0
  for (const step of steps) {
    const latest = (passed[0]?.timestamp ?? Number.POSITIVE_INFINITY) + conversion_window_hours * HOUR
    const place = ordered.findIndex(
      (event, i) => i >= next && isStep(event, step) && event.timestamp <= latest,
    )
    const event = ordered[place]
    if (event === undefined) break
    passed.push(event)
    next = place + 1
  }
  return passed
}

function stepResults(entities: readonly SentEvent[][], { steps }: OracleFunnel) {
  const users = steps.map((_, i) => entities.filter(passed => passed.length > i).length)
  return steps.map(({ event }, i) => {
    const own = users[i] ?? 0
    const previous = users[i - 1] ?? own
    const rate = i === 0 ? 1 : ratioOf(own, previous, 3)
    const times = entities.flatMap(passed => {
      const [at, next] = [passed[i], passed[i + 1]]
      return at === undefined || next === undefined ? [] : [next.timestamp - at.timestamp]
    })
    return {
      step: i + 1,
      event,
      users: own,
      strict_survivors: own,
      conversion_rate: rate,
      conversion_from_previous: rate,
      drop_off_rate: i === 0 || previous === 0 ? 0 : Number((1 - rate).toFixed(3)),
      avg_time_to_next_ms: times.length === 0 ? null : ratioOf(sum(times), times.length, 0),
      conversion_rates: { from_previous: rate, from_first: i === 0 ? 1 : ratioOf(own, users[0] ?? 0, 3) },
    }
  })
}

/** The numbers of the response; `warnings` says which steps have one, and why. */
export function oracleFunnel(events: readonly SentEvent[], request: OracleRequest, funnel: OracleFunnel) {
  const { steps, count_by, breakdown, breakdown_limit, people_of_step, people_dropped } = funnel
  const own = eventsOf(events, request).filter(event => isInRange(event.timestamp, request))
  const entities = [...Map.groupBy(own, event => event[count_by])]
    .filter(([id]) => id !== null)
    .map(([, of]) => passSteps(of, funnel))
    .filter(passed => passed.length > 0)
  const results = stepResults(entities, funnel)
  const activity = steps.map(step => {
    const of = own.filter(event => isStep(event, step))
    const distinct = (key: 'user_id' | 'session_id') =>
      new Set(of.map(event => event[key]).filter(id => id !== null)).size
    return { event_count: of.length, unique_users: distinct('user_id'), entities: distinct(count_by) }
  })
  const ofSessions = sessionGroups(events, request)
  const groupValueOf = (event: SentEvent, name: string) =>
    SESSION_GROUPS.includes(name)
      ? sessionText(event, name, ofSessions)
      : isTrait(name)
        ? traitText(event, name, request.traitsOf)
        : propertyText(event, name)
  const overall = (of: typeof results) => ratioOf(of.at(-1)?.users ?? 0, of[0]?.users ?? 0, 3)
  const groups = [
    ...Map.groupBy(entities, ([first]) =>
      breakdown === undefined || first === undefined ? null : groupValueOf(first, breakdown),
    ),
  ]
    .toSorted(
      ([a, ofA], [b, ofB]) =>
        ofB.length - ofA.length || Number(a === null) - Number(b === null) || byCodePoint(a ?? '', b ?? ''),
    )
    .map(([value, of]) => {
      const groupSteps = stepResults(of, funnel)
      return { value, steps: groupSteps, overall_conversion_rate: overall(groupSteps) }
    })
  return {
    project: request.project,
    count_by,
    steps: results.map((step, i) => ({
      ...step,
      raw_activity: {
        event_count: activity[i]?.event_count,
        unique_users: activity[i]?.unique_users,
      },
      joinable_entities: activity[i]?.entities,
    })),
    overall_conversion_rate: overall(results),
    conversion_rates: { overall: overall(results), by_step: results.map(step => step.conversion_rate) },
    warnings: activity.flatMap(({ event_count, entities: joinable }, i) => {
      if (event_count === 0) return [`Step ${i + 1}: did not occur`]
      if (joinable === 0) return [`Step ${i + 1}: carries the id`]
      return results[i]?.users === 0 ? [`Step ${i + 1}: in order`] : []
    }),
    ...(people_of_step !== undefined && {
      people: entities
        .filter(passed => passed.length >= people_of_step)
        .filter(
          passed => !people_dropped || passed.length === people_of_step || people_of_step === steps.length,
        )
        .map(passed => passed[people_of_step - 1] as SentEvent)
        .map(event => ({
          ...{ id: event[count_by] as string, at: event.timestamp },
          ...{ session_id: event.session_id, replay_count: 0 },
        }))
        .toSorted((a, b) => b.at - a.at || byCodePoint(a.id, b.id)),
    }),
    ...(breakdown !== undefined && {
      breakdowns: groups.slice(0, breakdown_limit),
      ...(groups.length > breakdown_limit && { truncated: true, total_rows: groups.length }),
    }),
  }
}
