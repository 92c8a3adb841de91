import { linksKey } from '#core/lake/keys'
import { queryItems } from '#core/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { emptyLinks, type LinksManifest } from './levels.ts'

const PARTITION = 'identity-levels'

/** The items that name the links files: one for each bucket. A change is one conditional write. */
export function createLevelStore({ client, table }: StateTable) {
  async function read(bucket: number): Promise<LinksManifest> {
    const Key = { pk: PARTITION, sk: sortKey(bucket) }
    const { Item } = await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))
    return Item === undefined ? emptyLinks(bucket) : toLinksManifest(Item)
  }

  /** The manifests of all buckets that have one. */
  async function readAll(): Promise<LinksManifest[]> {
    const items = await queryItems({ client, table }, PARTITION, 'bucket#', 'bucket#~')
    return items.map(toLinksManifest)
  }

  /**
   * Saves a changed manifest and returns it with its new version; null if another process has changed it
   * meanwhile.
   */
  async function save(manifest: LinksManifest): Promise<LinksManifest | null> {
    const { bucket, version } = manifest
    const next = { ...manifest, version: version + 1 }
    const isSaved = await conditionHeld(
      client.put({
        TableName: table,
        Item: { pk: PARTITION, sk: sortKey(bucket), version: next.version, manifest: JSON.stringify(next) },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : 'version = :version',
        ...(version > 0 && { ExpressionAttributeValues: { ':version': version } }),
      }),
    )
    return isSaved ? next : null
  }

  return { read, readAll, save }
}

export type LevelStore = ReturnType<typeof createLevelStore>

/** The keys of links files. */
export function levelKeys(bucket: number, levels: readonly { number: number; writer: string }[]): string[] {
  return levels.map(level => linksKey(bucket, level))
}

function sortKey(bucket: number): string {
  return `bucket#${bucket}`
}

function toLinksManifest({ manifest }: Record<string, unknown>): LinksManifest {
  return JSON.parse(String(manifest))
}
