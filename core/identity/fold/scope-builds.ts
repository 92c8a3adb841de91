import { type LevelStore, levelKeys } from '#core/identity/links/level-store'
import { sumRows } from '#core/identity/links/levels'
import type { LinkFiles } from '#core/identity/links/link-files'
import type { LinkRow } from '#core/identity/links/links'
import type { Pointers } from '#core/identity/links/pointers'
import type { ScopeStore } from '#core/identity/scope-store'
import type { Log } from '#core/ports'
import { decideLinks } from './decide-links.ts'
import type { BucketFold } from './fold-bucket.ts'
import type { IdentityWork, IdentityWorkList } from './identity-work.ts'

export type ScopeBuildServices = {
  linkFiles: Pick<LinkFiles, 'next'>
  levels: LevelStore
  buckets: Pick<BucketFold, 'addRows' | 'finishLast'>
  pointers: Pointers
  scopes: Pick<ScopeStore, 'setReady'>
  work: IdentityWorkList
  log: Log
}

type Build = Extract<IdentityWork, { kind: 'build' }>

/** Links of a step, so that memory stays bounded. */
const STEP_LINKS = 20_000
/** After so many passes over all links the few that came late in the last one no longer count. */
const MAX_PASSES = 5

/**
 * Makes the links of joined scopes (docs/api/portfolios.md) from those of their members: in the order of
 * arrival, in steps, one step in a run of the fold. Until a scope is ready, reads of its members use the
 * links of each alone. A pass that ends in the step in which it began has seen everything, because the fold
 * adds no links meanwhile.
 */
export function createScopeBuilds(services: ScopeBuildServices) {
  const { linkFiles, levels, buckets, pointers, scopes, work, log } = services

  /** Does one step of each build. */
  async function run(extendLease: () => Promise<void>): Promise<void> {
    const builds = (await work.list()).filter(each => each.kind === 'build')
    for (const build of builds) {
      try {
        await step(build)
      } catch (error) {
        log('JOB_FAILED', { job: 'build-scope', scope: build.id, error: String(error) })
      }
      await extendLease()
    }
  }

  async function step(build: Build): Promise<void> {
    const { id: scope, after, passes } = build
    const rows = await nextRows(build)
    if (rows.length > 0) await add(build, rows)
    const isEnd = rows.length < STEP_LINKS
    if (!isEnd) {
      const last = rows.at(-1) as LinkRow
      const { previous_id, user_id, at, seq } = last
      await work.save({ ...build, after: { previous_id, user_id, at, seq } })
    } else if (after === null || passes >= MAX_PASSES) {
      await scopes.setReady(scope)
      await work.remove(build)
    } else await work.save({ ...build, after: null, passes: passes + 1 })
  }

  /**
   * Reads the next links of the members. From the second pass on, it leaves out the links that the scope has
   * already.
   */
  async function nextRows({ id, bucket, members, after, passes }: Build): Promise<LinkRow[]> {
    const memberBuckets = [...new Set(members.map(member => member.bucket))]
    const manifests = await Promise.all(memberBuckets.map(levels.read))
    const own = await levels.read(bucket)
    return linkFiles.next(
      manifests.reduce((sum, manifest) => sum + sumRows(manifest.levels), sumRows(own.levels)),
      {
        keys: manifests.flatMap(manifest => levelKeys(manifest.bucket, manifest.levels)),
        scopes: members.map(member => member.id),
        after,
        limit: STEP_LINKS,
        known: passes === 0 ? null : { keys: levelKeys(bucket, own.levels), scope: id },
      },
    )
  }

  async function add({ id: scope, bucket }: Build, rows: readonly LinkRow[]): Promise<void> {
    const manifest = await buckets.finishLast(await levels.read(bucket))
    const known = await pointers.follow(
      scope,
      rows.flatMap(({ previous_id, user_id }) => [previous_id, user_id]),
    )
    // They were accepted once, by whoever was allowed to link them.
    const asked = rows.map(row => ({ ...row, hasCredential: true }))
    const { accepted, holders } = decideLinks(scope, asked, known)
    await buckets.addRows(manifest, accepted, new Map([[scope, holders]]))
  }

  return { run }
}
