import { randomBytes } from 'node:crypto'
import type { TombstoneWriter } from '#core/lake/tombstone-writer'
import { userHash } from '#core/lake/tombstones'
import type { Clock } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ErasureStore } from './store.ts'

export type ErasureServices = {
  erasures: ErasureStore
  tombstones: TombstoneWriter
  clock: Clock
}

type ErasedProject = Pick<Project, 'id' | 'name' | 'account_id' | 'bucket'>

/** A project, and what reads have returned of a person in it. */
export type ErasedPart = { project: ErasedProject; events: number; sessions: number }

/** Erasures of persons and of whole projects. The lake hides the events at once and removes them later (core/lake/tombstones.ts). */
export function createErasures({ erasures, tombstones, clock }: ErasureServices) {
  /**
   * Erases the events of a person that arrive until the promise resolves. `userIds`: all ids of the person. `parts`: the projects of the
   * identity scope, which are all erased (U55); the first one is the caller's. Returns the id of the erasure, whose receipt counts for all
   * projects. Throws UNAVAILABLE if the erasure cannot be saved now; then send it again.
   */
  async function erasePerson(
    parts: readonly [ErasedPart, ...ErasedPart[]],
    userIds: readonly string[],
  ): Promise<string> {
    const users = userIds.map(userHash)
    const requested_at = clock.now()
    const receipts = await Promise.all(
      parts.map(async ({ project: { id: project_id, name, account_id, bucket }, ...found }) => {
        const number = await tombstones.bury(bucket, { project_id, users, until: null })
        const id = `era_${randomBytes(8).toString('hex')}`
        const others: string[] = []
        return { id, account_id, project_id, project: name, bucket, number, others, ...found, requested_at }
      }),
    )
    // The receipts come last: if this process ends before, the caller never gets the id, and sends the request again.
    const [own, ...others] = receipts as [(typeof receipts)[number], ...typeof receipts]
    await Promise.all(others.map(erasures.create))
    await erasures.create({ ...own, others: others.map(({ id }) => id) })
    return own.id
  }

  /** Erases all events of a deleted project. Returns the number of its tombstone, for `isGone` of receipts.ts. */
  function purgeProject({ id, bucket }: Pick<Project, 'id' | 'bucket'>): Promise<number> {
    const until = Math.floor(clock.now() / 1_000)
    return tombstones.bury(bucket, { project_id: id, users: null, until })
  }

  /**
   * Erases the events of a live project that arrived up to the Unix second `until`. All of them are older than the account's plan
   * shows.
   */
  async function expireEvents({ id, bucket }: Pick<Project, 'id' | 'bucket'>, until: number): Promise<void> {
    await tombstones.bury(bucket, { project_id: id, users: null, until })
  }

  return { erasePerson, noteIdentity: erasures.noteIdentity, purgeProject, expireEvents }
}

export type Erasures = ReturnType<typeof createErasures>
