import { randomBytes } from 'node:crypto'
import { unavailable } from '#core/errors'
import { changeManifest } from '#core/lake/change-manifest'
import type { Manifest } from '#core/lake/manifest'
import type { LakeStateStore } from '#core/lake/state'
import {
  addTombstone,
  type ErasedEvents,
  MAX_TOMBSTONES,
  openTombstones,
  type Removed,
  type Tombstone,
  userHash,
} from '#core/lake/tombstones'
import type { Clock } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { Erasure, ErasureStore } from './store.ts'

export type ErasureServices = {
  erasures: ErasureStore
  lakeState: Pick<LakeStateStore, 'manifest' | 'saveManifest'>
  clock: Clock
}

type ErasedProject = Pick<Project, 'id' | 'name' | 'account_id' | 'bucket'>

export type ErasureStatus = 'pending' | 'running' | 'done'

/** How far an erasure is. Times in Unix ms. */
export type ErasureReport = Pick<
  Erasure,
  'id' | 'project' | 'sessions' | 'links' | 'profiles' | 'requested_at'
> & {
  status: ErasureStatus
  completed_at: number | null
  removed: Removed
}

/** Expired events leave so much room for erasures of persons in a manifest. */
const MAX_EXPIRIES = MAX_TOMBSTONES / 2
/** The name of the tombstone of a purged project. */
const purgeId = (projectId: string) => `purge ${projectId}`
const ERASURE_ID = /^era_[0-9a-f]{16}$/

/** Erasures of persons and of whole projects. The lake hides the events at once and removes them later (core/lake/tombstones.ts). */
export function createErasures({ erasures, lakeState, clock }: ErasureServices) {
  /**
   * Erases the events of a person that arrived until now. `userIds`: all ids of the person. `sessions`: for the receipt. `others`: the
   * other projects of a joined identity scope, which are erased too (U55). Returns the id of the erasure, whose receipt counts for
   * all projects. Throws UNAVAILABLE when the bucket of a project has too many erasures under way.
   */
  async function erasePerson(
    project: ErasedProject,
    userIds: readonly string[],
    sessions: number,
    others: readonly ErasedProject[] = [],
  ): Promise<string> {
    const otherIds: string[] = []
    for (const other of others) otherIds.push(await eraseIn(other, userIds, 0, []))
    return eraseIn(project, userIds, sessions, otherIds)
  }

  async function eraseIn(
    { id: project_id, name, account_id, bucket }: ErasedProject,
    userIds: readonly string[],
    sessions: number,
    others: readonly string[],
  ): Promise<string> {
    const id = `era_${randomBytes(8).toString('hex')}`
    const requested_at = clock.now()
    // The receipt comes first. If this process ends here, the caller never gets the id, and nothing is erased.
    await erasures.create({
      id,
      account_id,
      project_id,
      project: name,
      bucket,
      others,
      sessions,
      requested_at,
    })
    const users = userIds.map(userHash)
    await bury(bucket, id, { project_id, users, until: Math.floor(requested_at / 1_000) })
    return id
  }

  /** Erases all events of a deleted project. Returns whether all of them are gone; until then, call it again later. */
  async function purgeProject({ id, bucket }: Pick<Project, 'id' | 'bucket'>): Promise<boolean> {
    const until = Math.floor(clock.now() / 1_000)
    const { tombstones } = await lakeState.manifest(bucket)
    const tombstone = tombstones.find(each => each.id === purgeId(id))
    if (tombstone === undefined) await bury(bucket, purgeId(id), { project_id: id, users: null, until })
    return tombstone?.doneAt != null
  }

  /**
   * Erases the events of a live project that arrived up to the Unix second `until`, the end of `day`. All of them are older than the
   * account's plan shows. Returns false when the project's bucket has too many erasures under way.
   */
  async function expireEvents(
    { id, bucket }: Pick<Project, 'id' | 'bucket'>,
    day: string,
    until: number,
  ): Promise<boolean> {
    const { tombstones } = await lakeState.manifest(bucket)
    if (tombstones.length >= MAX_EXPIRIES) return false
    await bury(bucket, `retention ${id} ${day}`, { project_id: id, users: null, until })
    return true
  }

  async function bury(bucket: number, id: string, erased: ErasedEvents): Promise<void> {
    await changeManifest(lakeState, bucket, manifest => {
      const next = addTombstone(manifest, id, erased, clock.now())
      if (next === null && !manifest.tombstones.some(tombstone => tombstone.id === id)) {
        throw unavailable('Too many erasures are under way. Send the same request again in an hour.', 3_600)
      }
      return next
    })
  }

  /** Returns how far the account's erasure is, in all its projects, or null if the account has no erasure of this id. */
  async function progress(accountId: string, id: string): Promise<ErasureReport | null> {
    const erasure = ERASURE_ID.test(id) ? await erasures.byId(id) : null
    if (erasure === null || erasure.account_id !== accountId) return null
    const others = await Promise.all(erasure.others.map(other => progress(accountId, other)))
    return [await progressOf(erasure), ...others.filter(other => other !== null)].reduce(addReport)
  }

  /** How far an erasure is in its own project. */
  async function progressOf(erasure: Erasure): Promise<ErasureReport> {
    const { id } = erasure
    const { project, sessions, links, profiles, requested_at } = erasure
    const report = { id, project, sessions, links, profiles, requested_at }
    const { completed_at, removed } = erasure
    if (completed_at !== null && removed !== null) return { ...report, status: 'done', completed_at, removed }
    const manifest = await lakeState.manifest(erasure.bucket)
    const tombstone = manifest.tombstones.find(each => each.id === id)
    if (tombstone === undefined)
      return { ...report, status: 'pending', completed_at: null, removed: { events: 0, files: 0 } }
    return {
      ...report,
      status: statusOf(manifest, tombstone),
      completed_at: tombstone.doneAt,
      removed: tombstone.removed,
    }
  }

  /** For maintenance of the lake: keeps the figures of a tombstone before it is forgotten. */
  async function onErased(_bucket: number, { id, doneAt, removed }: Tombstone): Promise<void> {
    if (ERASURE_ID.test(id) && doneAt !== null) await erasures.complete(id, doneAt, removed)
  }

  return { erasePerson, noteIdentity: erasures.noteIdentity, purgeProject, expireEvents, progress, onErased }
}

export type Erasures = ReturnType<typeof createErasures>

/** The report on two projects together. Only what can differ between them is taken from the second. */
function addReport(first: ErasureReport, second: ErasureReport): ErasureReport {
  const isDone = first.completed_at !== null && second.completed_at !== null
  return {
    ...first,
    status: first.status === second.status ? first.status : 'running',
    completed_at: isDone ? Math.max(Number(first.completed_at), Number(second.completed_at)) : null,
    removed: {
      events: first.removed.events + second.removed.events,
      files: first.removed.files + second.removed.files,
    },
  }
}

function statusOf(manifest: Manifest, { number, doneAt, removed }: Tombstone): ErasureStatus {
  if (doneAt !== null) return 'done'
  const isBegun = manifest.segments.every(
    segment => !openTombstones(manifest, segment).some(open => open.number === number),
  )
  return isBegun || removed.events > 0 ? 'running' : 'pending'
}
