import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import { forEachConcurrent } from '#core/async/concurrency'
import type { Erasures } from '#core/erasure/erasures'
import { keptByPlan, keptByProject } from '#core/plans/kept-since'
import type { Profile } from '#core/plans/profile'
import type { Log, Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import type { ReplayRemoval } from '#core/replays/remove'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, midnight, utcDate } from '#core/time'
import { createFoldedEvents } from '#core/usage/folded-events'
import { ownerPartition } from '#core/usage/item-keys'
import { REPLAY_LIMITS } from '#schemas/replays'

export type RetentionServices = StateTable & {
  clock: Now
  log: Log
  profile: Profile
  accounts: Pick<AccountStore, 'byId' | 'listIds'>
  projects: Pick<ProjectStore, 'list'>
  erasures: Pick<Erasures, 'expireEvents'>
  replays: Pick<ReplayRemoval, 'removeBefore'>
}

const CONCURRENT_ACCOUNTS = 8

/** How far today's round is. */
type Round = { day: string; after: string | null; isDone: boolean }

const ROUND_KEY = { pk: 'install', sk: 'retention' }

/**
 * Deletes events and replays that are older than the plan of their account, or their project, keeps them
 * (docs/api/limits.md). Reads hide events on the day when they become too old. The events are deleted here by
 * the day of their arrival, two days later: an event may be dated up to five minutes after its arrival, and
 * only whole days are counted. An event that was
 * sent late goes as much later. The counters of the project are not reduced (U21).
 */
export function createRetention({
  client,
  table,
  clock,
  log,
  profile,
  accounts,
  projects,
  erasures,
  replays,
}: RetentionServices) {
  const readFoldedEvents = createFoldedEvents({ client, table })

  /**
   * Works on one page of the accounts, once a day on each. Returns whether today's round goes on. A failed
   * account is logged, and its turn comes again on the next day.
   */
  async function tick(): Promise<boolean> {
    const round = await readRound()
    if (round.isDone) return false
    const { ids, next } = await accounts.listIds(round.after)
    let isPageDone = true
    // At the same time, so that projects of one bucket share a file of tombstones.
    await forEachConcurrent(ids, CONCURRENT_ACCOUNTS, async id => {
      try {
        const account = await accounts.byId(id)
        if (account !== null && !(await expireAccount(account))) isPageDone = false
      } catch (error) {
        log('JOB_FAILED', { job: `retention of ${id}`, error: String(error) })
      }
    })
    // Too many replays for one tick: the next one goes on with the same accounts.
    if (!isPageDone) return true
    await saveRound({ ...round, after: next, isDone: next === null })
    return next !== null
  }

  /** Returns whether nothing is left for today. */
  async function expireAccount(account: Account): Promise<boolean> {
    const now = clock.now()
    const byPlan = keptByPlan(profile, account, now) ?? 0
    let isDone = true
    for (const project of await projects.list(account.id)) {
      const keptSince = Math.max(byPlan, keptByProject(project, now))
      if (keptSince === 0) continue
      await expireEvents(project, keptSince)
      if (keptSince > midnight(now) - REPLAY_LIMITS.retention_days * DAY_MS)
        isDone = (await replays.removeBefore(project.id, keptSince)) && isDone
    }
    return isDone
  }

  async function expireEvents(project: Project, keptSince: number): Promise<void> {
    const last = utcDate(keptSince - 2 * DAY_MS)
    const done = await expiredUntil(project)
    if (done >= last) return
    if (await hasEvents(project, done, last)) await erasures.expireEvents(project, keptSince - DAY_MS - 1)
    await saveExpiredUntil(project, last)
  }

  /** Whether events of the project arrived after the day `after` and until the day `last`. */
  async function hasEvents({ id }: Project, after: string, last: string): Promise<boolean> {
    const days = await readFoldedEvents(id)
    return [...days].some(([day, events]) => day > after && day <= last && events > 0)
  }

  /** The day up to which events are deleted, YYYY-MM-DD; for a new project the day before it was created. */
  async function expiredUntil({ id, created_at }: Project): Promise<string> {
    const Item = await readItem({ client, table }, keyOf(id))
    return String(Item?.day ?? utcDate(Date.parse(created_at) - DAY_MS))
  }

  async function saveExpiredUntil({ id }: Project, day: string): Promise<void> {
    await orUnavailable(client.put({ TableName: table, Item: { ...keyOf(id), day } }))
  }

  async function readRound(): Promise<Round> {
    const Item = await readItem({ client, table }, ROUND_KEY)
    const day = utcDate(clock.now())
    return Item?.day === day ? (Item as Round) : { day, after: null, isDone: false }
  }

  async function saveRound({ day, after, isDone }: Round): Promise<void> {
    await orUnavailable(client.put({ TableName: table, Item: { ...ROUND_KEY, day, after, isDone } }))
  }

  return { tick }
}

/** Beside the counters of the project, so that it goes with them. */
function keyOf(projectId: string) {
  return { pk: ownerPartition(projectId), sk: 'retention' }
}
