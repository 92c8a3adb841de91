import { isBeyond } from '#core/lake/model/sequence'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { partition } from './pointers.ts'

/**
 * Bytes that the links of a project may take that came without a credential (U105). Everybody has the public
 * token, so without a bound 24,000 requests take 27 MB, for ever. Links are never forgotten, because reports
 * would change, so the bound is far: a site makes one link for each person and device that signs in, and this
 * is enough for seven million with UUIDs as ids. On AWS it costs about a dollar a month.
 */
export const PUBLIC_LINKS_BYTES = 4 * 1024 * 1024 * 1024

/** The last sequence of each shard. */
type Positions = Readonly<Record<string, string>>

/**
 * Counts the bytes of public links of a scope. Only the fold writes the number, and one process folds at a
 * time. A slice notes its bytes and its files before the manifest of the bucket names them, and the bytes
 * count once it does. So a fold that is killed counts each link exactly once.
 */
export function createPublicLinks({ client, table }: StateTable) {
  /**
   * Returns bytes. `folded`: that of the manifest of the scope's bucket. `isRetired`: whether a shard is
   * forgotten, so that all its files are folded.
   */
  async function read(
    scope: string,
    folded: Positions,
    isRetired: (shard: string) => Promise<boolean>,
  ): Promise<number> {
    const Key = keyOf(scope)
    const Item = await readItem({ client, table }, Key)
    if (Item === undefined) return 0
    for (const [shard, last] of Object.entries(JSON.parse(String(Item.files)) as Positions)) {
      const at = folded[shard]
      const isFolded = at === undefined ? await isRetired(shard) : !isBeyond(last, at)
      if (!isFolded) return Number(Item.bytes)
    }
    return Number(Item.bytes) + Number(Item.added)
  }

  /** Notes what the links of a slice add to `bytes`. `files`: the positions of the slice. */
  async function add(
    scope: string,
    { bytes, added, files }: { bytes: number; added: number; files: Positions },
  ): Promise<void> {
    const Item = { ...keyOf(scope), bytes, added, files: JSON.stringify(files) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  return { read, add }
}

export type PublicLinks = ReturnType<typeof createPublicLinks>

function keyOf(scope: string) {
  return { pk: partition(scope), sk: 'public-links' }
}
