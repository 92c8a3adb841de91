import type { AccountStore } from '#core/accounts/store'
import type { LakeStateStore } from '#core/lake/model/state'
import { eventCounts } from '#core/lake/read/relations'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { EventStream, Now, QueryEngine } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import { defineReport, runReport } from '#core/reports/run/run'
import { sql } from '#core/sql/sql'
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

type Days = { days: Record<string, number> }

/** All events of a project by day. An event may be dated a few minutes ahead. */
const dayCounts = defineReport<object, Days>({
  range: (_, { now }) => ({ from: 0, to: midnight(now) + 2 * DAY_MS }),
  sql: ({ read }) => sql`SELECT CAST(date AS varchar) AS day, CAST(sum(event_count) AS bigint) AS events
    FROM ${eventCounts(read)} AS counted GROUP BY date ORDER BY date`,
  shape: rows => ({ days: Object.fromEntries(rows.map(({ day, events }) => [String(day), Number(events)])) }),
})

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
  for (let after: string | null = null; ; ) {
    const { ids, next } = await accounts.listIds(after)
    for (const id of ids)
      for (const listed of await projects.list(id)) {
        // A copy is counted on a later day, when the project shows fewer of its days.
        const project = { ...listed, retention_days: null }
        days[project.id] = (await runReport(dayCounts, services, { project })).days
      }
    if (next === null) return { days, shards: Object.fromEntries(states) }
    after = next
  }
}
