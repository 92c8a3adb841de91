import { byPosition } from './common.ts'
import type { SentEvent } from './sent-event.ts'

export type OracleExperiment = {
  name: string
  variants: readonly { key: string }[]
  goal_event: string
  /** ISO 8601. */
  created_at: string
  completed_at: string | null
}

type Scope = { project: string; now: number; keptSince?: number | undefined }

/** The counts of each variant (docs/api/experiments.md). `events` are in any order, with resolved users. */
export function oracleExperiment(events: readonly SentEvent[], scope: Scope, experiment: OracleExperiment) {
  const exposures = exposuresOf(events, scope, experiment)
  const firstOf = new Map<string, SentEvent>()
  for (const exposure of exposures) {
    const { user_id } = exposure
    if (user_id !== null && !firstOf.has(user_id)) firstOf.set(user_id, exposure)
  }
  const goals = Map.groupBy(
    inWindow(events, scope, experiment).filter(({ event }) => event === experiment.goal_event),
    ({ user_id }) => user_id,
  )
  return experiment.variants.map(({ key }) => {
    const users = [...firstOf].filter(([, first]) => textOf(first, 'variant') === key)
    const converted = users.filter(([user, first]) =>
      goals.get(user)?.some(({ timestamp }) => timestamp >= first.timestamp),
    )
    return {
      key,
      exposures: exposures.filter(event => textOf(event, 'variant') === key).length,
      unique_users: users.length,
      conversions: converted.length,
    }
  })
}

/** The time of the first exposure of anybody, ISO 8601; null without one. */
export function oracleFirstExposure(
  events: readonly SentEvent[],
  scope: Scope,
  experiment: OracleExperiment,
): string | null {
  const [first] = exposuresOf(events, scope, experiment)
  return first === undefined ? null : new Date(first.timestamp).toISOString()
}

function exposuresOf(events: readonly SentEvent[], scope: Scope, experiment: OracleExperiment): SentEvent[] {
  return inWindow(events, scope, experiment).filter(
    event =>
      event.event === '$experiment_exposure' &&
      textOf(event, 'experiment') === experiment.name &&
      textOf(event, 'forced') !== 'true' &&
      experiment.variants.some(({ key }) => key === textOf(event, 'variant')),
  )
}

/** The events of the experiment's time, the oldest first. */
function inWindow(
  events: readonly SentEvent[],
  { project, now, keptSince = 0 }: Scope,
  { created_at, completed_at }: OracleExperiment,
): SentEvent[] {
  const end = completed_at === null ? now + 5 * 60_000 : Date.parse(completed_at)
  const start = Math.max(Date.parse(created_at), keptSince)
  return events
    .filter(event => event.project_id === project && event.timestamp >= start && event.timestamp <= end)
    .toSorted(byPosition)
}

function textOf(event: SentEvent, key: string): string | null {
  const value = event.properties?.[key]
  return value === undefined || value === null ? null : String(value)
}
