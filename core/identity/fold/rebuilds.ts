import type { LevelStore } from '#core/identity/links/level-store'
import type { Level } from '#core/identity/links/levels'
import { encodeLinks } from '#core/identity/links/link-rows'
import type { LinkRow } from '#core/identity/links/links'
import { POINTERS, type Pointers, partition } from '#core/identity/links/pointers'
import { bucketOfJoined, isProject } from '#core/identity/scopes'
import { linksKey } from '#core/lake/model/keys'
import type { Lake, Log, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { type BucketFold, newWriter } from './fold-bucket.ts'
import type { IdentityWorkList } from './identity-work.ts'

export type RebuildServices = StateTable & {
  lake: Pick<Lake, 'put'>
  levels: LevelStore
  buckets: Pick<BucketFold, 'save' | 'finishLast'>
  pointers: Pick<Pointers, 'follow'>
  projects: Pick<ProjectDirectory, 'byId'>
  work: IdentityWorkList
  clock: Now
  log: Log
}

const ALL_POINTERS = {
  FilterExpression: 'begins_with(sk, :sk) AND attribute_exists(#to)',
  ExpressionAttributeNames: { '#to': 'to' },
  ExpressionAttributeValues: { ':sk': POINTERS },
}
/** Rows of a file, so that memory stays bounded. */
const FILE_ROWS = 20_000

/**
 * Makes the links files of a bucket anew from the pointers, because one of them was lost or damaged. It reads
 * the whole state table.
 */
export function createRebuilds(services: RebuildServices) {
  const { lake, levels, buckets, pointers, projects, work, clock, log, client, table } = services

  async function run(extendLease: () => Promise<void>): Promise<void> {
    const wanted = (await work.list()).filter(each => each.kind === 'rebuild')
    for (const each of wanted) {
      try {
        await rebuild(Number(each.id), extendLease)
        await work.remove(each)
      } catch (error) {
        log('JOB_FAILED', { job: 'rebuild-links', bucket: each.id, error: String(error) })
      }
    }
  }

  async function rebuild(bucket: number, extendLease: () => Promise<void>): Promise<void> {
    const { isLost: _, ...manifest } = await buckets.finishLast(await levels.read(bucket))
    const made: Level[] = []
    let waiting: LinkRow[] = []
    const write = async () => {
      const rows = await withFinals(waiting)
      waiting = []
      const level = { number: manifest.last + made.length + 1, writer: newWriter(), rows: rows.length }
      await lake.put(linksKey(bucket, level), encodeLinks(rows))
      made.push({ ...level, moves: false })
      await extendLease()
    }
    const ofBucket = createBucketCheck(bucket)
    for await (const items of scanPages({ client, table }, ALL_POINTERS)) {
      for (const item of items) if (await ofBucket(scopeOf(item))) waiting.push(toRow(item))
      if (waiting.length >= FILE_ROWS) await write()
    }
    if (waiting.length > 0) await write()
    const retired = manifest.levels.map(({ number, writer }) => ({ number, writer, at: clock.now() }))
    await buckets.save({
      ...manifest,
      levels: made,
      last: manifest.last + made.length,
      hasAnonymousTargets: true,
      retired: [...manifest.retired, ...retired],
    })
  }

  /** The rows with the ids that they lead to now. */
  async function withFinals(rows: readonly LinkRow[]): Promise<LinkRow[]> {
    const finals: LinkRow[] = []
    for (const [scope, ofScope] of Map.groupBy(rows, row => row.scope)) {
      const known = await pointers.follow(
        scope,
        ofScope.map(({ linked_id }) => linked_id),
      )
      for (const row of ofScope) {
        let linked_id = row.linked_id
        for (let to = known.get(linked_id)?.to ?? null; to !== null; to = known.get(linked_id)?.to ?? null)
          linked_id = to
        finals.push({ ...row, linked_id })
      }
    }
    return finals
  }

  /** The items of a scope come one after the other, so one project is looked up once. */
  function createBucketCheck(bucket: number) {
    let last = { scope: '', isOfBucket: false }
    return async (scope: string) => {
      if (scope === last.scope) return last.isOfBucket
      const found = isProject(scope) ? (await projects.byId(scope))?.bucket : bucketOfJoined(scope)
      last = { scope, isOfBucket: found === bucket }
      return last.isOfBucket
    }
  }

  return { run }
}

function scopeOf({ pk }: Item): string {
  return String(pk).slice(partition('').length)
}

function toRow(item: Item): LinkRow {
  return {
    scope: scopeOf(item),
    previous_id: String(item.previous_id),
    user_id: String(item.user_id),
    linked_id: String(item.to),
    at: Number(item.at),
    seq: Number(item.seq),
  }
}
