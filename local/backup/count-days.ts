import type { AccountStore } from '#core/accounts/store'
import type { LakeStateStore } from '#core/lake/model/state'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { EventStream, Now, QueryEngine } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import { dayCounts } from '#core/reports/day-counts'
import { runReport } from '#core/reports/run/run'
import { DAY_MS, midnight } from '#core/time'

export type CountServices = {
  accounts: Pick<AccountStore, 'listIds'>
  projects: Pick<ProjectStore, 'list'>
  lakeState: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'shards'>
  engine: QueryEngine
  openLake(): Promise<LakeSnapshot>
  clock: Now
}

export type Counted = {
  /** Events by the id of their project and their UTC day, as reports count them. */
  days: Record<string, Record<string, number>>
  /** Up to which record of each shard the lake had them when the count began. */
  shards: Record<string, string | null>
}

/**
 * Counts all events by project and day, of all accounts. The counts come from the rollups where there are
 * some, one project after the other, so readers hardly notice.
 */
export async function countDays(services: CountServices): Promise<Counted> {
  const { accounts, projects, lakeState, stream } = services
  const states = await Promise.all(
    (await stream.shards()).map(async shard => [shard, (await lakeState.shard(shard)).highWater] as const),
  )
  const days: Counted['days'] = {}
  // An event may be dated a few minutes ahead.
  const range = { from: 0, to: midnight(services.clock.now()) + 2 * DAY_MS }
  for (let after: string | null = null; ; ) {
    const { ids, next } = await accounts.listIds(after)
    for (const id of ids)
      for (const listed of await projects.list(id)) {
        // A copy is counted on a later day, when the project shows fewer of its days.
        const project = { ...listed, retention_days: null }
        days[project.id] = (await runReport(dayCounts, services, { project, query: { range } })).days
      }
    if (next === null) return { days, shards: Object.fromEntries(states) }
    after = next
  }
}
