import { createErasedUsers } from '#core/identity/erased-users'
import { createLevelStore } from '#core/identity/links/level-store'
import { createLinkFiles } from '#core/identity/links/link-files'
import { isAnonymous, type LinkRow } from '#core/identity/links/links'
import type { LinksEngine } from '#core/identity/links/links-engine'
import { createPointers } from '#core/identity/links/pointers'
import { createPublicLinks, PUBLIC_LINKS_BYTES } from '#core/identity/links/public-links'
import { createPersonRemoval } from '#core/identity/person-removal'
import { createScopeStore } from '#core/identity/scope-store'
import { findScope, type IdentityScope, isProject, ownScope } from '#core/identity/scopes'
import type { TraitsUpdate } from '#core/identity/traits/known-user'
import { createTraitsStore } from '#core/identity/traits/traits-store'
import type { Refusal } from '#core/identity/who-may-link'
import { isBeyond } from '#core/lake/sequence'
import type { LakeStateStore } from '#core/lake/state'
import type { Lake, Log, Now } from '#core/ports'
import type { LinkNotes, Project, ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state-table'
import { createBucketFold, type SliceLink } from './fold-bucket.ts'
import { createFoldHead, type FoldHead } from './fold-head.ts'
import { isFolded, listIdentityFiles } from './identity-files.ts'
import type { IdentityRow } from './identity-row.ts'
import { createIdentityWork } from './identity-work.ts'
import { createLateErasures } from './late-erasures.ts'
import { createRebuilds } from './rebuilds.ts'
import { createRefusedCounts } from './refused-counts.ts'
import { createRemovals, type RemovalServices } from './removals.ts'
import { createScopeBuilds } from './scope-builds.ts'
import { readSlice, type Slice } from './slice.ts'

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

/** A request of a slice with its file and its project. */
type SliceRow = IdentityRow & { shard: string; last: string }
type Decided = { link: SliceLink; reason: Refusal }
type ProjectRows = { project: Project; scopes: readonly IdentityScope[]; rows: readonly SliceRow[] }

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
  const refusedCounts = createRefusedCounts(state)
  const levels = createLevelStore({ ...state, lake })
  const work = createIdentityWork(state)
  const scopes = createScopeStore(state, work)
  const buckets = createBucketFold({
    ...{ lake, levels, pointers, clock, log, onLinked, maxPublicLinkBytes },
    publicLinks: createPublicLinks(state),
  })
  const linkFiles = createLinkFiles({ ...services, levels, buckets })
  const removals = createRemovals({ ...services, linkFiles, pointers, traits, work })
  const removePerson = createPersonRemoval({ erasedUsers, scopes, work, lake, clock })
  const lateErasures = createLateErasures({
    ...{ erasedUsers, pointers, linkFiles, projects, scopes, removals, removePerson, eraseEvents },
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
    let head = began
    const extendLease = async () => {
      if (leaseMs > 0) head = await heads.save(leased(head))
    }
    try {
      // Before the files, because a later request of an erased id is one of a new person.
      const hasRemoved = await removals.run(extendLease)
      await rebuilds.run(extendLease)
      head = await foldFiles(head)
      await builds.run(extendLease)
      await linkFiles.maintain(extendLease, bucket =>
        // The next run does it.
        work.save({ kind: 'rebuild', id: String(bucket) }),
      )
      await deleteFolded(head, hasRemoved)
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

  async function foldFiles(began: FoldHead): Promise<FoldHead> {
    let head = began
    // Read before the files are listed: a shard that moves on later has written its files of older epochs by
    // then.
    const closed = await closedEpoch()
    const files = await listIdentityFiles({ lake, state: lakeState }, head)
    let waiting = files.filter(file => !isFolded(head, file))
    const startedAt = clock.now()
    while (waiting.length > 0) {
      if (clock.now() - startedAt >= runMs) return head
      const slice = await readSlice({ lake, log }, waiting)
      if (slice.length === 0) return head
      await foldSlice(slice)
      head = await heads.save(leased({ ...head, cursors: { ...head.cursors, ...lastOf(slice) } }))
      const before = waiting.length
      waiting = waiting.filter(file => !isFolded(head, file))
      if (waiting.length === before) return head
    }
    return closed > head.epoch ? { ...head, epoch: closed } : head
  }

  /**
   * Deletes identity files that are folded: those of epochs whose claims are finished, and all after an
   * erasure, because they may have what an erased person has sent.
   */
  async function deleteFolded({ epoch, ...head }: FoldHead, all: boolean): Promise<void> {
    const files = await listIdentityFiles({ lake, state: lakeState }, { epoch: 0 })
    const folded = files.filter(file => (all || file.epoch < epoch) && isFolded(head, file))
    if (folded.length > 0) await lake.delete(folded.map(({ key }) => key))
  }

  /** All claims of older epochs are finished. */
  async function closedEpoch(): Promise<number> {
    const { epoch } = await lakeState.lake()
    const shards = await lakeState.shards()
    return Math.min(epoch, ...shards.map(({ claim, epoch: ofShard }) => claim?.epoch ?? ofShard ?? 0))
  }

  async function foldSlice(slice: Slice): Promise<void> {
    const groups = await groupByProject(slice)
    const links: (SliceLink & { bucket: number })[] = []
    for (const { scopes, rows } of groups) {
      for (const { key: scope, bucket } of scopes) {
        links.push(...rows.flatMap(row => toLinks(row, scope)).map(link => ({ ...link, bucket })))
      }
    }
    const failures = new Map<number, unknown>()
    const decided: Decided[] = []
    for (const [bucket, ofBucket] of Map.groupBy(links, link => link.bucket)) {
      try {
        decided.push(...(await buckets.fold(bucket, ofBucket, lastOf(slice))).refused)
      } catch (error) {
        log('JOB_FAILED', { job: 'fold-identity', bucket, error: String(error) })
        failures.set(bucket, error)
      }
    }
    // The others are counted and saved when their bucket is folded.
    for (const { project, rows } of groups.filter(({ project }) => !failures.has(project.bucket))) {
      const refused = await saveTraits(project.id, rows)
      await countRefused(project, rows, decided, refused)
    }
    for (const failure of failures.values()) throw failure
  }

  /** The rows of live projects that are not erased, with the scopes in which their links count. */
  async function groupByProject(slice: Slice): Promise<ProjectRows[]> {
    const all = slice.flatMap(({ rows, shard, last }) => rows.map(row => ({ ...row, shard, last })))
    const groups: ProjectRows[] = []
    for (const [projectId, sent] of Map.groupBy(all, row => row.project_id)) {
      const project = await projects.byId(projectId)
      if (project === null) continue
      const rows = await lateErasures.withoutErased(project, sent)
      const linksAnonymous = rows.some(
        ({ previous_id, user_id }) =>
          previous_id !== null && isAnonymous(previous_id) && isAnonymous(user_id),
      )
      const hasLinks = rows.some(({ previous_id }) => previous_id !== null)
      if (hasLinks) await projects.noteLinks(projectId, linksAnonymous)
      groups.push({ project, scopes: hasLinks ? await scopesOf(project, linksAnonymous) : [], rows })
    }
    return groups
  }

  /** The scope of the project itself, and the joined scope if it has all links of its projects. */
  async function scopesOf(project: Project, linksAnonymous: boolean): Promise<IdentityScope[]> {
    const own = ownScope(project)
    const has_linked_anonymous_ids = project.has_linked_anonymous_ids || linksAnonymous
    const joined = await findScope(projects, { ...project, has_linked_anonymous_ids })
    await scopes.dropOthers(project.id, joined.key)
    if (joined.key === own.key) return [own]
    if (await scopes.isReady(joined.key)) return [own, joined]
    await scopes.want(joined)
    return [own]
  }

  /** Traits follow their ids: they are always those of a final id. */
  async function onLinked(scope: string, rows: readonly LinkRow[]): Promise<void> {
    if (!isProject(scope)) return
    const moves = rows.map(({ previous_id: from, linked_id: to }) => ({ from, to }))
    await traits.save(scope, { moves, updates: [] })
  }

  /** Returns the requests for whose traits the project has no room. */
  async function saveTraits(projectId: string, rows: readonly SliceRow[]): Promise<SliceRow[]> {
    const sent = rows.filter(({ traits }) => traits !== null)
    if (sent.length === 0) return []
    const known = await pointers.follow(
      projectId,
      sent.map(({ user_id }) => user_id),
    )
    const updates = sent.map(({ user_id, traits, email_hash, hasCredential, at, seq }) => {
      let final = user_id
      for (let to = known.get(final)?.to ?? null; to !== null; to = known.get(final)?.to ?? null) final = to
      return { user_id: final, traits: traits ?? {}, email_hash, hasCredential, at, seq }
    })
    const refused = await traits.save(projectId, { moves: [], updates })
    return sent.filter((_, i) => refused.has(updates[i] as TraitsUpdate))
  }

  /** Counts the refused links of a project, those that ingestion has refused too, and refused traits. */
  async function countRefused(
    { id }: Project,
    rows: readonly SliceRow[],
    decided: readonly Decided[],
    withoutTraits: readonly SliceRow[],
  ): Promise<void> {
    const own = decided.filter(({ link }) => link.scope === id)
    const refused = [
      ...rows.map(({ shard, last, refused: reason }) => ({ shard, last, reason })),
      ...own.map(({ link: { shard, last }, reason }) => ({ shard, last, reason })),
      ...withoutTraits.map(({ shard, last }) => ({ shard, last, reason: 'traits' as const })),
    ].filter(({ reason }) => reason !== null)
    const files = Map.groupBy(refused, ({ shard, last }) => `${shard} ${last}`)
    if (files.size === 0) return
    await refusedCounts.add(
      id,
      [...files.values()].map(ofFile => ({
        shard: String(ofFile[0]?.shard),
        last: String(ofFile[0]?.last),
        reasons: ofFile.flatMap(({ reason }) => reason ?? []),
      })),
    )
  }

  return { run }
}

export type IdentityFold = ReturnType<typeof createIdentityFold>

function toLinks(
  { previous_id, user_id, at, seq, hasCredential, shard, last }: SliceRow,
  scope: string,
): SliceLink[] {
  return previous_id === null ? [] : [{ previous_id, user_id, at, seq, hasCredential, shard, last, scope }]
}

/** The last sequence of each shard in a slice. */
function lastOf(slice: Slice): Record<string, string> {
  const lasts: Record<string, string> = {}
  for (const { shard, last } of slice) if (isBeyond(last, lasts[shard] ?? null)) lasts[shard] = last
  return lasts
}
