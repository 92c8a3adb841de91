import { events, oldestEvent } from '#core/lake/relations'
import type { ReportProject, ReportServices } from '#core/reports/run'
import { withStatements } from '#core/reports/statements'
import { join, sql } from '#core/sql'
import { EVENT_LIMITS } from '#schemas/event'

/** What the lake has of a person: 0 events if it does not know the person. */
export type FoundPerson = { events: number; sessions: number }

/** Counts the events of a person that reads return, also those that are older than the account's plan shows. */
export async function findPerson(
  { engine, openLake, clock }: ReportServices,
  project: ReportProject,
  userIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FoundPerson> {
  const lake = await openLake()
  const read = {
    snapshot: await lake.ofBucket(project.bucket),
    project,
    from: oldestEvent(project),
    to: clock.now() + EVENT_LIMITS.futureMs + 1,
  }
  const ids = join(
    userIds.map(id => sql`${id}`),
    ', ',
  )
  const [row] = await withStatements(engine, { lake, signal }, rows =>
    rows(sql`SELECT count(*) AS events, count(DISTINCT session_id) AS sessions
      FROM ${events(read, ['user_id', 'session_id'])} AS person_event WHERE user_id IN (${ids})`),
  )
  return { events: Number(row?.events ?? 0), sessions: Number(row?.sessions ?? 0) }
}
