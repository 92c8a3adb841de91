import { randomBytes } from 'node:crypto'
import type { Buried, TombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { userHash } from '#core/lake/erase/tombstones'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ErasureStore } from './store.ts'

export type ErasureServices = {
  erasures: ErasureStore
  tombstones: TombstoneWriter
  clock: Now
}

type ErasedProject = Pick<Project, 'id' | 'name' | 'account_id' | 'bucket'>

/** A project, and what reads have returned of a person in it. Without `replays` there are none. */
export type ErasedPart = { project: ErasedProject; events: number; sessions: number; replays?: number }

/** An answer that comes so long after the end of its last erased second, ms, must erase more. */
const LATE_MS = 500
const MAX_TRIES = 3

/**
 * Erasures of persons and of whole projects. The lake hides the events at once and removes them later
 * (core/lake/erase/tombstones.ts).
 */
export function createErasures({ erasures, tombstones, clock }: ErasureServices) {
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
    const requested_at = clock.now()
    for (let tries = 0; ; tries++) {
      const buried = await buryAll(parts, users)
      const until = Math.max(...buried.map(each => each.until)) * 1_000 + 999
      if (tries === 0) {
        await saveReceipts(id, parts, buried, requested_at)
        await removeIdentity(id, until)
      }
      await Promise.all(buried.map(({ answered }) => answered))
      // It took so long that events have arrived meanwhile.
      const isLate = clock.now() > until + LATE_MS
      if (!isLate || tries === MAX_TRIES) return id
    }
  }

  function buryAll(parts: readonly ErasedPart[], users: readonly string[]): Promise<Buried[]> {
    return Promise.all(
      parts.map(({ project: { id: project_id, bucket } }) =>
        tombstones.bury(bucket, { project_id, users, until: null }),
      ),
    )
  }

  /** The receipt of the caller's project names those of the others. */
  async function saveReceipts(
    ownId: string,
    parts: readonly ErasedPart[],
    buried: readonly Buried[],
    requested_at: number,
  ): Promise<void> {
    const receipts = parts.map(({ project: { id: project_id, name, account_id, bucket }, ...part }, i) => {
      const found = { replays: 0, ...part }
      const { number } = buried[i] as Buried
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
    const until = Math.floor(clock.now() / 1_000)
    return (await tombstones.bury(bucket, { project_id: id, users: null, until })).number
  }

  /**
   * Erases the events of a live project that arrived up to the Unix second `until`. All of them are older
   * than the account's plan shows.
   */
  async function expireEvents({ id, bucket }: Pick<Project, 'id' | 'bucket'>, until: number): Promise<void> {
    await tombstones.bury(bucket, { project_id: id, users: null, until })
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
    const erased = { project_id: id, users: ids.map(userHash), until: Math.floor(until / 1_000) }
    await tombstones.bury(bucket, erased)
  }

  return { erasePerson, eraseIds, noteIdentity: erasures.noteIdentity, purgeProject, expireEvents }
}

export type Erasures = ReturnType<typeof createErasures>

function newId(): string {
  return `era_${randomBytes(8).toString('hex')}`
}
