import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { shortKey } from '#core/lake/consume/id-keys'
import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, hasUserKeys, oldestEvent } from '#core/lake/read/relations'
import { userSessions } from '#core/lake/read/user-sessions'
import { readCopiedKeys } from '#core/reports/run/copied-keys'
import type { ReportProject, ReportServices } from '#core/reports/run/run'
import { withStatements } from '#core/reports/run/statements'
import { isOneOf, sql } from '#core/sql/sql'
import { EVENT_LIMITS } from '#schemas/event'

/** What the lake has of a person: 0 events if it does not know the person. */
export type FoundPerson = { events: number; sessions: number }

/**
 * Users of one statement, by their keys and by their ids: Athena takes statements of 262,144 bytes, and an id
 * has up to 256 characters.
 */
const KEYS = 4_000
const IDS = 400
const CONCURRENCY = 4

/**
 * Counts what reads return of a person, also what is older than the account's plan shows: events, and
 * sessions of which the person is the user. It reads rollups, so it costs little beside the reports. With
 * very many ids, a session of several of them may count more than once.
 */
export async function findPerson(
  { engine, openLake, clock }: ReportServices,
  project: ReportProject,
  userIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FoundPerson> {
  const lake = await openLake()
  const whole: LakeRead = {
    snapshot: await lake.ofBucket(project.bucket),
    project,
    from: oldestEvent(project),
    to: clock.now() + EVENT_LIMITS.futureMs + 1,
  }
  const found: FoundPerson = { events: 0, sessions: 0 }
  await withStatements(engine, { lake, signal }, async rows => {
    const read = { ...whole, ...(await readCopiedKeys(rows, whole)) }
    const hasKeys = hasUserKeys(read)
    await forEachConcurrent(slices(userIds, hasKeys ? KEYS : IDS), CONCURRENCY, async ids => {
      const keys = ids.flatMap(id => shortKey(id) ?? [])
      const users = isOneOf(sql`user_ref`, hasKeys ? keys : ids)
      const [row] = await rows(
        sql`SELECT CAST(sum(event_count) AS bigint) AS events FROM ${activity(read)} AS user_activity WHERE ${users}`,
      )
      const events = Number(row?.events ?? 0)
      if (events === 0) return
      const [counted] = await rows(
        sql`SELECT count(DISTINCT session_key) AS sessions FROM ${userSessions(read, keys)} AS user_session`,
      )
      found.events += events
      found.sessions += Number(counted?.sessions ?? 0)
    })
  })
  return found
}
