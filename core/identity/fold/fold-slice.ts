import { isAnonymous } from '#core/identity/links/links'
import type { Pointers } from '#core/identity/links/pointers'
import type { ScopeStore } from '#core/identity/scope-store'
import { bucketsOf, findScope, type IdentityScope, ownScope } from '#core/identity/scopes'
import type { TraitsUpdate } from '#core/identity/traits/known-user'
import type { TraitsFiles } from '#core/identity/traits/traits-files'
import type { TraitsStore } from '#core/identity/traits/traits-store'
import type { Refusal } from '#core/ingest/who-may-link'
import type { IdentityRow } from '#core/lake/consume/identity-row'
import { isBeyond } from '#core/lake/model/sequence'
import type { Log } from '#core/ports'
import type { LinkNotes, Project, ProjectDirectory } from '#core/projects/project'
import type { BucketFold, SliceLink } from './fold-bucket.ts'
import type { createLateErasures } from './late-erasures.ts'
import type { RefusedCountsStore } from './refused-counts.ts'
import type { Slice } from './slice.ts'

export type SliceFoldServices = {
  projects: Pick<ProjectDirectory, 'byId' | 'list'> & LinkNotes
  buckets: Pick<BucketFold, 'fold'>
  pointers: Pick<Pointers, 'follow'>
  traits: Pick<TraitsStore, 'save'>
  traitsFiles: Pick<TraitsFiles, 'noteChange'>
  scopes: Pick<ScopeStore, 'isReady' | 'want' | 'dropOthers'>
  refusedCounts: Pick<RefusedCountsStore, 'add'>
  lateErasures: ReturnType<typeof createLateErasures>
  log: Log
}

/** A request of a slice with its file and its project. */
type SliceRow = IdentityRow & { shard: string; last: string }
type Decided = { link: SliceLink; reason: Refusal }
type ProjectRows = { project: Project; scopes: readonly IdentityScope[]; rows: readonly SliceRow[] }

/** Folds the identify requests of a slice, bucket by bucket. Folding them again changes nothing. */
export function createSliceFold(services: SliceFoldServices) {
  const { projects, buckets, pointers, traits, traitsFiles, scopes, refusedCounts, lateErasures, log } =
    services

  /**
   * Folds the rows of the buckets that `isWanted`, and returns those that have failed. A bucket that fails is
   * logged, and the others go on.
   */
  async function foldSlice(slice: Slice, isWanted: (bucket: number) => boolean): Promise<Set<number>> {
    const failed = new Set<number>()
    async function tryBucket(bucket: number, work: () => Promise<void>): Promise<void> {
      if (failed.has(bucket) || !isWanted(bucket)) return
      try {
        await work()
      } catch (error) {
        fail(bucket, error)
      }
    }
    function fail(bucket: number, error: unknown): void {
      log('JOB_FAILED', { job: 'fold-identity', bucket, error: String(error) })
      failed.add(bucket)
    }

    const groups: ProjectRows[] = []
    const sent = await groupByProject(slice)
    const waitingSince = sent.length === 0 ? 0 : await lateErasures.readWaitingSince()
    for (const { project, rows } of sent) {
      const wanted = bucketsOf(project).filter(isWanted)
      if (wanted.length === 0) continue
      try {
        groups.push(await prepareRows(project, rows, waitingSince))
      } catch (error) {
        for (const bucket of wanted) fail(bucket, error)
      }
    }
    const links = groups.flatMap(({ scopes, rows }) =>
      scopes.flatMap(({ key: scope, bucket }) =>
        rows.flatMap(row => toLinks(row, scope)).map(link => ({ ...link, bucket })),
      ),
    )
    const decided: Decided[] = []
    for (const [bucket, ofBucket] of Map.groupBy(links, link => link.bucket)) {
      await tryBucket(bucket, async () => {
        decided.push(...(await buckets.fold(bucket, ofBucket, lastOf(slice))).refused)
      })
    }
    for (const { project, rows } of groups) {
      await tryBucket(project.bucket, async () => {
        const refused = await saveTraits(project, rows)
        await countRefused(project, rows, decided, refused)
      })
    }
    return failed
  }

  /** The rows of live projects. */
  async function groupByProject(slice: Slice): Promise<{ project: Project; rows: SliceRow[] }[]> {
    const all = slice.flatMap(({ rows, shard, last }) => rows.map(row => ({ ...row, shard, last })))
    const groups: { project: Project; rows: SliceRow[] }[] = []
    for (const [projectId, rows] of Map.groupBy(all, row => row.project_id)) {
      const project = await projects.byId(projectId)
      if (project !== null) groups.push({ project, rows })
    }
    return groups
  }

  /** The rows of a project that are not erased, with the scopes in which their links count. */
  async function prepareRows(
    project: Project,
    sent: readonly SliceRow[],
    waitingSince: number,
  ): Promise<ProjectRows> {
    const rows = await lateErasures.withoutErased(project, sent, waitingSince)
    const linksAnonymous = rows.some(
      ({ previous_id, user_id }) => previous_id !== null && isAnonymous(previous_id) && isAnonymous(user_id),
    )
    const hasLinks = rows.some(({ previous_id }) => previous_id !== null)
    if (hasLinks) await projects.noteLinks(project.id, linksAnonymous)
    return { project, scopes: hasLinks ? await scopesOf(project, linksAnonymous) : [], rows }
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

  /** Returns the requests for whose traits the project has no room. */
  async function saveTraits(project: Project, rows: readonly SliceRow[]): Promise<SliceRow[]> {
    const sent = rows.filter(({ traits }) => traits !== null)
    if (sent.length === 0) return []
    const known = await pointers.follow(
      project.id,
      sent.map(({ user_id }) => user_id),
    )
    const updates = sent.map(({ user_id, traits, email_hash, hasCredential, at, seq }) => {
      let final = user_id
      for (let to = known.get(final)?.to ?? null; to !== null; to = known.get(final)?.to ?? null) final = to
      return { user_id: final, traits: traits ?? {}, email_hash, hasCredential, at, seq }
    })
    const refused = await traits.save(project.id, { moves: [], updates })
    if (refused.size < updates.length) await traitsFiles.noteChange(project)
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

  return { foldSlice }
}

function toLinks(
  { previous_id, user_id, at, seq, hasCredential, shard, last }: SliceRow,
  scope: string,
): SliceLink[] {
  return previous_id === null ? [] : [{ previous_id, user_id, at, seq, hasCredential, shard, last, scope }]
}

/** The last sequence of each shard in a slice. */
export function lastOf(slice: Slice): Record<string, string> {
  const lasts: Record<string, string> = {}
  for (const { shard, last } of slice) if (isBeyond(last, lasts[shard] ?? null)) lasts[shard] = last
  return lasts
}
