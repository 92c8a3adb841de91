import { createErasedUsers } from '#core/identity/erased-users'
import { createErasureFeed } from '#core/identity/erasure-feed'
import { createLevelStore } from '#core/identity/links/level-store'
import { createLinkFiles } from '#core/identity/links/link-files'
import type { LinkRow } from '#core/identity/links/links'
import type { LinksEngine } from '#core/identity/links/links-engine'
import { createPointers } from '#core/identity/links/pointers'
import { createPublicLinks, PUBLIC_LINKS_BYTES } from '#core/identity/links/public-links'
import { createPersonRemoval } from '#core/identity/person-removal'
import { createScopeStore } from '#core/identity/scope-store'
import { isProject } from '#core/identity/scopes'
import { createTraitsFiles } from '#core/identity/traits/traits-files'
import { createTraitsStore } from '#core/identity/traits/traits-store'
import { parseIdentityKey } from '#core/lake/model/keys'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Lake, Log, Now } from '#core/ports'
import type { LinkNotes, Project, ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { createBucketFold, FORGET_FROM } from './fold-bucket.ts'
import { createFoldHead, type FoldHead } from './fold-head.ts'
import { createSliceFold, lastOf } from './fold-slice.ts'
import { type IdentityFile, isFolded, listIdentityFiles } from './identity-files.ts'
import { createIdentityWork } from './identity-work.ts'
import { createLateErasures } from './late-erasures.ts'
import { createRebuilds } from './rebuilds.ts'
import { createRefusedCounts } from './refused-counts.ts'
import { createRemovals, type RemovalServices } from './removals.ts'
import { createScopeBuilds } from './scope-builds.ts'
import { DAMAGED_WAIT_MS, readFile, readSlice } from './slice.ts'

export type IdentityFoldServices = StateTable & {
  lake: Pick<Lake, 'list' | 'get' | 'put' | 'delete'>
  lakeState: Pick<LakeStateStore, 'lake' | 'shards'>
  projects: Pick<ProjectDirectory, 'byId' | 'list'> & LinkNotes
  /** For files of many rows. Default: all files in memory. */
  engine?: LinksEngine
  onRemoved?: RemovalServices['onRemoved']
  /** Erases the events of ids that arrived until then, Unix ms. */
  eraseEvents?: (
    project: Pick<Project, 'id' | 'bucket'>,
    ids: readonly string[],
    until: number,
  ) => Promise<void>
  keepRetiredMs?: number
  /** Other processes fold only after this time, ms; 0 where there is one process. */
  leaseMs?: number
  /** The bound of traits without a credential of a project. */
  maxPublicBytes?: number
  /** The bound of links without a credential of a project. */
  maxPublicLinkBytes?: number
  /** After this time `run` begins no more slices, ms. */
  runMs?: number
  clock: Now
  log: Log
}

/** The name under which the files count that were damaged and are folded after later ones of their shard. */
const LATE_SHARD = 'late'

/**
 * The fold: takes the identify requests that the lake consumer has written, and makes of them what reads use:
 * links files, pointers, traits and counts. One process folds at a time, in slices of bounded size. Folding
 * again changes nothing. A claim never waits for it, so however many requests there are, only links become
 * visible later, and events do not.
 */
export function createIdentityFold(services: IdentityFoldServices) {
  const { lake, lakeState, projects, leaseMs = 0, clock, log, client, table } = services
  const { runMs = Number.POSITIVE_INFINITY, eraseEvents = async () => {} } = services
  const { maxPublicLinkBytes = PUBLIC_LINKS_BYTES } = services
  const state = { client, table }
  const heads = createFoldHead(state)
  const pointers = createPointers(state)
  const traits = createTraitsStore(state, services.maxPublicBytes)
  const erasedUsers = createErasedUsers(state)
  const erasureFeed = createErasureFeed({ ...state, clock })
  const levels = createLevelStore({ ...state, lake })
  const work = createIdentityWork(state)
  const scopes = createScopeStore(state, work)
  const buckets = createBucketFold({
    ...{ lake, levels, pointers, clock, log, onLinked, maxPublicLinkBytes },
    publicLinks: createPublicLinks(state),
    shardNames: async () => new Set((await lakeState.shards()).map(({ shard }) => shard).concat(LATE_SHARD)),
  })
  const linkFiles = createLinkFiles({ ...services, levels, buckets })
  const traitsFiles = createTraitsFiles(services)
  const removals = createRemovals({ ...services, linkFiles, pointers, traits, traitsFiles, work })
  const removePerson = createPersonRemoval({ erasedUsers, erasureFeed, scopes, work, lake, clock })
  const lateErasures = createLateErasures({
    ...{ erasedUsers, pointers, linkFiles, projects, scopes, removals, removePerson, eraseEvents, clock },
  })
  const folds = createSliceFold({
    ...{ projects, buckets, pointers, traits, traitsFiles, scopes, lateErasures, log },
    refusedCounts: createRefusedCounts(state),
  })
  const rebuilds = createRebuilds({ ...services, levels, buckets, pointers, work })
  const builds = createScopeBuilds({ ...services, linkFiles, levels, buckets, pointers, scopes, work })

  /**
   * Folds everything that is there, and then does other work of identities. Returns at once if another
   * process folds.
   */
  async function run(): Promise<void> {
    const began = await begin()
    if (began === null) return
    const endsAt = clock.now() + runMs
    let head = began
    const extendLease = async () => {
      if (leaseMs > 0) head = await heads.save(leased(head))
    }
    try {
      // Before the files, because a later request of an erased id is one of a new person.
      const { hasRemoved, failed } = await removals.run(extendLease)
      await rebuilds.run(extendLease)
      head = await foldFiles(head, failed, endsAt)
      // A joined scope is ready when it has all links of its members, so nothing of theirs may wait.
      if (head.behind === null) await builds.run(extendLease)
      await linkFiles.maintain(extendLease, bucket =>
        // The next run does it.
        work.save({ kind: 'rebuild', id: String(bucket) }),
      )
      await traitsFiles.maintain(extendLease, endsAt)
      head = await deleteFolded(head, hasRemoved)
    } finally {
      // Not if the process was overtaken.
      await heads.trySave({ ...head, leaseUntil: 0 })
    }
  }

  async function begin(): Promise<FoldHead | null> {
    const head = await heads.read()
    return head.leaseUntil > clock.now() ? null : heads.trySave(leased(head))
  }

  function leased(head: FoldHead): FoldHead {
    return { ...head, leaseUntil: leaseMs === 0 ? 0 : clock.now() + leaseMs }
  }

  async function foldFiles(
    began: FoldHead,
    keptBack: ReadonlySet<number>,
    endsAt: number,
  ): Promise<FoldHead> {
    let head = withBehind(began, keptBack)
    // Read before the files are listed: a shard that moves on later has written its files of older epochs by
    // then.
    const closed = await closedEpoch()
    const files = await listIdentityFiles({ lake, state: lakeState }, head)
    let waiting = files.filter(file => !isFolded(head, file))
    while (waiting.length > 0) {
      if (clock.now() >= endsAt) return head
      const { slice, damaged } = await readSlice({ lake, log }, waiting, { ...head, now: clock.now() })
      const behind = new Set(head.behind?.buckets)
      const failed = await folds.foldSlice(slice, bucket => !behind.has(bucket))
      const cursors = { ...head.cursors, ...lastOf(slice) }
      head = await heads.save(leased({ ...withBehind(head, failed), damaged, cursors }))
      if (slice.length === 0) break
      waiting = waiting.filter(file => !isFolded(head, file))
    }
    const isAllFolded = waiting.length === 0
    head = await catchUp(head, { files, keptBack, endsAt })
    if (head.behind !== null) return head
    head = await foldLate(head)
    return isAllFolded && closed > head.epoch ? { ...head, epoch: closed } : head
  }

  /** Notes buckets that have failed. What came after the position of the head waits for them. */
  function withBehind(head: FoldHead, failed: ReadonlySet<number>): FoldHead {
    if (failed.size === 0) return head
    const { buckets, cursors } = head.behind ?? { buckets: [], cursors: head.cursors }
    return { ...head, behind: { buckets: [...new Set([...buckets, ...failed])], cursors } }
  }

  /**
   * Folds what has waited for the buckets that have failed. Those of them that fail again wait on.
   * `keptBack`: their erased links could not be removed.
   */
  async function catchUp(
    began: FoldHead,
    {
      files,
      keptBack,
      endsAt,
    }: { files: readonly IdentityFile[]; keptBack: ReadonlySet<number>; endsAt: number },
  ): Promise<FoldHead> {
    let head = began
    if (head.behind === null) return head
    const { buckets } = head.behind
    const working = new Set(buckets.filter(bucket => !keptBack.has(bucket)))
    let position: Pick<FoldHead, 'cursors'> = head.behind
    let waiting = files.filter(file => isFolded(head, file) && !isFolded(position, file))
    while (waiting.length > 0) {
      if (working.size === 0 || clock.now() >= endsAt) return head
      const { slice, damaged } = await readSlice({ lake, log }, waiting, { ...head, now: clock.now() })
      for (const bucket of await folds.foldSlice(slice, each => working.has(each))) working.delete(bucket)
      position = { cursors: { ...position.cursors, ...lastOf(slice) } }
      const isWhole = working.size === buckets.length
      head = await heads.save(
        leased({ ...head, damaged, ...(isWhole && { behind: { buckets, ...position } }) }),
      )
      if (slice.length === 0) break
      waiting = waiting.filter(file => !isFolded(position, file))
    }
    // What is left is damaged, and may be repaired.
    if (waiting.some(({ key }) => !isPassedOver(head, key))) return head
    const left = buckets.filter(bucket => !working.has(bucket))
    const behind = left.length === 0 ? null : { buckets: left, cursors: head.behind?.cursors ?? head.cursors }
    return heads.save(leased({ ...head, behind }))
  }

  /** Whether a file was damaged for so long that the later ones of its shard went on. */
  function isPassedOver({ damaged }: FoldHead, key: string): boolean {
    const since = damaged[key]
    return since !== undefined && clock.now() >= since + DAMAGED_WAIT_MS
  }

  /** Folds files that were damaged when their shard went on without them, and are repaired. */
  async function foldLate(began: FoldHead): Promise<FoldHead> {
    let head = began
    for (const key of Object.keys(began.damaged)) {
      const parsed = parseIdentityKey(key)
      if (parsed === null || !isFolded(head, { shard: parsed.shard, last: parsed.claim.last })) continue
      const rows = await readFile({ lake, log }, { key }, head.damaged)
      if (rows === 'damaged') continue
      const late = head.late + 1
      // Later files of the shard are folded, so it counts as one of a shard of its own.
      const file = { key, shard: LATE_SHARD, last: String(late), epoch: parsed.claim.epoch }
      if (rows !== null && (await folds.foldSlice([{ ...file, rows }], () => true)).size > 0) continue
      const { [key]: _, ...damaged } = head.damaged
      head = await heads.save(leased({ ...head, late, damaged }))
    }
    return head
  }

  /**
   * Deletes identity files that are folded: those of epochs whose claims are finished, and all after an
   * erasure, because they may have what an erased person has sent. Forgets how far the fold has come in
   * shards that are retired.
   */
  async function deleteFolded(current: FoldHead, all: boolean): Promise<FoldHead> {
    const { epoch, behind, damaged, ...head } = current
    const shards = Object.keys(head.cursors).length < FORGET_FROM ? null : await lakeState.shards()
    const files = await listIdentityFiles({ lake, state: lakeState }, { epoch: 0 })
    const folded = files.filter(
      file =>
        (all || file.epoch < epoch) &&
        isFolded(head, file) &&
        (behind === null || isFolded(behind, file)) &&
        damaged[file.key] === undefined,
    )
    if (folded.length > 0) await lake.delete(folded.map(({ key }) => key))
    if (shards === null || behind !== null) return current
    // One that comes again after it was retired (core/lake/compact/maintenance.ts) has no file from before.
    const kept = new Set([...shards, ...files].map(({ shard }) => shard).concat(LATE_SHARD))
    const cursors = Object.entries(head.cursors).filter(([shard]) => kept.has(shard))
    return { ...current, cursors: Object.fromEntries(cursors) }
  }

  /** All claims of older epochs are finished. */
  async function closedEpoch(): Promise<number> {
    const { epoch } = await lakeState.lake()
    const shards = await lakeState.shards()
    return Math.min(epoch, ...shards.map(({ claim, epoch: ofShard }) => claim?.epoch ?? ofShard ?? 0))
  }

  /** Traits follow their ids: they are always those of a final id. */
  async function onLinked(scope: string, rows: readonly LinkRow[]): Promise<void> {
    if (!isProject(scope)) return
    const moves = rows.map(({ previous_id: from, linked_id: to }) => ({ from, to }))
    await traits.save(scope, { moves, updates: [] })
  }

  return { run }
}

export type IdentityFold = ReturnType<typeof createIdentityFold>
