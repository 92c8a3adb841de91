import { forEachConcurrent } from '#core/concurrency'
import { events, oldestEvent } from '#core/lake/relations'
import type { ReportProject, ReportServices } from '#core/reports/run'
import { withStatements } from '#core/reports/statements'
import { isOneOf, sql } from '#core/sql'
import { EVENT_LIMITS } from '#schemas/event'

/** What the lake has of a person: 0 events if it does not know the person. */
export type FoundPerson = { events: number; sessions: number }

/** Characters of the ids of one statement, and statements that run at the same time. Athena takes statements of 262,144 bytes. */
const IDS_CHARS = 50_000
const CONCURRENCY = 4

/**
 * Counts the events of a person that reads return, also those that are older than the account's plan shows. With very many ids, a
 * session of several of them may count more than once.
 */
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
  const found: FoundPerson = { events: 0, sessions: 0 }
  await withStatements(engine, { lake, signal }, rows =>
    forEachConcurrent(sliceIds(userIds), CONCURRENCY, async ids => {
      const [row] = await rows(sql`SELECT count(*) AS events, count(DISTINCT session_id) AS sessions
      FROM ${events(read, ['user_id', 'session_id'])} AS person_event WHERE ${isOneOf(sql`user_id`, ids)}`)
      found.events += Number(row?.events ?? 0)
      found.sessions += Number(row?.sessions ?? 0)
    }),
  )
  return found
}

function sliceIds(userIds: readonly string[]): string[][] {
  const sliced: string[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const id of userIds) {
    chars += id.length
    if (chars > IDS_CHARS) {
      sliced.push([])
      chars = id.length
    }
    sliced.at(-1)?.push(id)
  }
  return sliced
}
