import { randomBytes } from 'node:crypto'
import type { ArrivalPause } from '#core/ingest/ids'
import type { TombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { userHash } from '#core/lake/erase/tombstones'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ErasureStore } from './store.ts'

export type ErasureServices = {
  erasures: ErasureStore
  tombstones: TombstoneWriter
  arrivals: KnownArrivals
  clock: Now
}

type ErasedProject = Pick<Project, 'id' | 'name' | 'account_id' | 'bucket'>

/** A project, and what reads have returned of a person in it. Without `replays` there are none. */
export type ErasedPart = { project: ErasedProject; events: number; sessions: number; replays?: number }

/**
 * What is known of arrivals: by the order of this process, if it takes events, and by what others have noted.
 */
export type KnownArrivals = {
  /** Of the order of this process (core/ingest/ids.ts). A process that takes no events just has its clock. */
  pause(nowMs: number): ArrivalPause
  /** The newest arrival, Unix ms, of which a clock is known that was ahead; 0 without one. */
  newestAhead(): Promise<number>
}

/**
 * Erasures of persons and of whole projects. The lake hides the events at once and removes them later
 * (core/lake/erase/tombstones.ts).
 */
export function createErasures({ erasures, tombstones, arrivals, clock }: ErasureServices) {
  /**
   * Erases the events of a person that arrive until the promise resolves. `userIds`: all ids of the person.
   * `parts`: the projects of the identity scope, which are all erased (U55); the first one is the caller's.
   * `removeIdentity`: removes what requests until then (Unix ms) have told of the person. It comes after the
   * events are hidden: without the links, a second try would not know the other ids. Returns the id of the
   * erasure, whose receipt counts for all projects. Throws UNAVAILABLE if the erasure cannot be saved now;
   * then send it again.
   */
  async function erasePerson(
    parts: readonly [ErasedPart, ...ErasedPart[]],
    userIds: readonly string[],
    removeIdentity: (erasureId: string, until: number) => Promise<unknown> = async () => {},
  ): Promise<string> {
    const users = userIds.map(userHash)
    const id = newId()
    const ahead = await arrivals.newestAhead()
    const requested_at = clock.now()
    const pause = arrivals.pause(requested_at)
    try {
      // What a clock that was ahead has dated after `until` of the pause was sent before it, too.
      const until = Math.max(pause.until, ahead)
      const numbers = await Promise.all(
        parts.map(({ project: { id: project_id, bucket } }) =>
          tombstones.add(bucket, { project_id, users, until }),
        ),
      )
      await saveReceipts(id, parts, numbers, requested_at)
      await removeIdentity(id, until)
      return id
    } finally {
      pause.end()
    }
  }

  /** The receipt of the caller's project names those of the others. */
  async function saveReceipts(
    ownId: string,
    parts: readonly ErasedPart[],
    numbers: readonly number[],
    requested_at: number,
  ): Promise<void> {
    const receipts = parts.map(({ project: { id: project_id, name, account_id, bucket }, ...part }, i) => {
      const found = { replays: 0, ...part }
      const number = numbers[i] as number
      const id = i === 0 ? ownId : newId()
      return { id, account_id, project_id, project: name, bucket, number, ...found, requested_at }
    })
    const [own, ...others] = receipts as [(typeof receipts)[number], ...typeof receipts]
    await Promise.all(others.map(receipt => erasures.create({ ...receipt, others: [] })))
    await erasures.create({ ...own, others: others.map(({ id }) => id) })
  }

  /**
   * Erases all events of a deleted project. Returns the number of its tombstone, for `isGone` of receipts.ts.
   */
  async function purgeProject({ id, bucket }: Pick<Project, 'id' | 'bucket'>): Promise<number> {
    const until = Math.max(clock.now(), await arrivals.newestAhead())
    return tombstones.add(bucket, { project_id: id, users: null, until })
  }

  /**
   * Erases the events of a live project that arrived up to `until` (Unix ms). All of them are older
   * than the account's plan shows.
   */
  async function expireEvents({ id, bucket }: Pick<Project, 'id' | 'bucket'>, until: number): Promise<void> {
    await tombstones.add(bucket, { project_id: id, users: null, until })
  }

  /**
   * Erases the events of ids that arrived until then, Unix ms. For ids that turn out to be those of an erased
   * person.
   */
  async function eraseIds(
    { id, bucket }: Pick<Project, 'id' | 'bucket'>,
    ids: readonly string[],
    until: number,
  ): Promise<void> {
    await tombstones.add(bucket, { project_id: id, users: ids.map(userHash), until })
  }

  return { erasePerson, eraseIds, noteIdentity: erasures.noteIdentity, purgeProject, expireEvents }
}

export type Erasures = ReturnType<typeof createErasures>

function newId(): string {
  return `era_${randomBytes(8).toString('hex')}`
}
