import type { LevelStore } from '#core/identity/links/level-store'
import type { Level, LinksManifest } from '#core/identity/links/levels'
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
/** Rows of all buckets that wait for their files, some 400 bytes each, so that memory stays bounded. */
const WAITING_ROWS = 50_000
/** Rows of a file. */
const FILE_ROWS = 20_000

/** The files of a bucket that were made anew so far, and rows that are in none. */
type Rebuild = { bucket: number; manifest: Omit<LinksManifest, 'isLost'>; made: Level[]; waiting: LinkRow[] }

/**
 * Makes the links files of buckets anew from the pointers, because one of them was lost or damaged. It reads
 * the whole state table, once for all buckets that wait for it.
 */
export function createRebuilds(services: RebuildServices) {
  const { lake, levels, buckets, pointers, projects, work, clock, log, client, table } = services

  async function run(extendLease: () => Promise<void>): Promise<void> {
    const wanted = (await work.list()).filter(each => each.kind === 'rebuild')
    if (wanted.length === 0) return
    const rebuilds = new Map<number, Rebuild>()
    /** A bucket that fails waits for the next run, and the others go on. */
    const attempt = async (bucket: number, act: () => Promise<void>): Promise<void> => {
      try {
        await act()
      } catch (error) {
        rebuilds.delete(bucket)
        log('JOB_FAILED', { job: 'rebuild-links', bucket, error: String(error) })
      }
    }
    const write = (rebuild: Rebuild) =>
      attempt(rebuild.bucket, async () => {
        await writeFile(rebuild)
        await extendLease()
      })
    for (const { id } of wanted)
      await attempt(Number(id), async () => void rebuilds.set(Number(id), await begin(Number(id))))
    try {
      await collectRows(rebuilds, write)
    } catch (error) {
      for (const bucket of [...rebuilds.keys()]) await attempt(bucket, () => Promise.reject(error))
    }
    for (const each of wanted) {
      const rebuild = rebuilds.get(Number(each.id))
      if (rebuild === undefined) continue
      await attempt(rebuild.bucket, async () => {
        if (rebuild.waiting.length > 0) await writeFile(rebuild)
        await save(rebuild)
        await work.remove(each)
      })
    }
  }

  async function begin(bucket: number): Promise<Rebuild> {
    const { isLost: _, ...manifest } = await buckets.finishLast(await levels.read(bucket))
    return { bucket, manifest, made: [], waiting: [] }
  }

  /** Gives each bucket its rows. It writes those of the bucket with most of them when too many wait. */
  async function collectRows(
    rebuilds: ReadonlyMap<number, Rebuild>,
    write: (rebuild: Rebuild) => Promise<void>,
  ): Promise<void> {
    const bucketOf = createBucketLookup()
    for await (const items of scanPages({ client, table }, ALL_POINTERS)) {
      for (const item of items) {
        const bucket = await bucketOf(scopeOf(item))
        if (bucket !== undefined) rebuilds.get(bucket)?.waiting.push(toRow(item))
      }
      const waiting = [...rebuilds.values()].toSorted((x, y) => y.waiting.length - x.waiting.length)
      let rows = waiting.reduce((sum, each) => sum + each.waiting.length, 0)
      for (const rebuild of waiting) {
        if (rows < WAITING_ROWS && rebuild.waiting.length < FILE_ROWS) break
        rows -= rebuild.waiting.length
        await write(rebuild)
      }
    }
  }

  async function writeFile(rebuild: Rebuild): Promise<void> {
    const { bucket, manifest, made } = rebuild
    const rows = await withFinals(rebuild.waiting)
    rebuild.waiting = []
    const level = { number: manifest.last + made.length + 1, writer: newWriter(), rows: rows.length }
    await lake.put(linksKey(bucket, level), encodeLinks(rows))
    made.push({ ...level, moves: false })
  }

  async function save({ manifest, made }: Rebuild): Promise<void> {
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
  function createBucketLookup() {
    let last: { scope: string; bucket: number | undefined } = { scope: '', bucket: undefined }
    return async (scope: string) => {
      if (scope !== last.scope) {
        const bucket = isProject(scope) ? (await projects.byId(scope))?.bucket : bucketOfJoined(scope)
        last = { scope, bucket }
      }
      return last.bucket
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
