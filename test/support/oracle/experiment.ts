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

/** The counts of each variant (docs/api/experiments.md). `events` are in any order, with resolved users. */
export function oracleExperiment(
  events: readonly SentEvent[],
  { project, now, keptSince = 0 }: { project: string; now: number; keptSince?: number | undefined },
  { name, variants, goal_event, created_at, completed_at }: OracleExperiment,
) {
  const end = completed_at === null ? now + 5 * 60_000 : Date.parse(completed_at)
  const start = Math.max(Date.parse(created_at), keptSince)
  const inWindow = events
    .filter(event => event.project_id === project && event.timestamp >= start && event.timestamp <= end)
    .toSorted(byPosition)
  const textOf = (event: SentEvent, key: string) => {
    const value = event.properties?.[key]
    return value === undefined || value === null ? null : String(value)
  }
  const exposures = inWindow.filter(
    event =>
      event.event === '$experiment_exposure' &&
      textOf(event, 'experiment') === name &&
      textOf(event, 'forced') !== 'true' &&
      variants.some(({ key }) => key === textOf(event, 'variant')),
  )
  const firstOf = new Map<string, SentEvent>()
  for (const exposure of exposures) {
    const { user_id } = exposure
    if (user_id !== null && !firstOf.has(user_id)) firstOf.set(user_id, exposure)
  }
  const goals = Map.groupBy(
    inWindow.filter(({ event }) => event === goal_event),
    ({ user_id }) => user_id,
  )
  return variants.map(({ key }) => {
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
