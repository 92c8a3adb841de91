import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'

/** How far the fold has come. One item for the whole lake. */
export type FoldHead = {
  version: number
  /** All identity files of older epochs are folded and deleted. */
  epoch: number
  /**
   * The last sequence of each shard whose identity files are folded in all buckets. At most one entry for
   * each shard that exists.
   */
  cursors: Readonly<Record<string, string>>
  /**
   * The buckets whose fold has failed, and how far the first of them had come: what arrived since then waits
   * for them. Null: none.
   */
  behind: { buckets: readonly number[]; cursors: Readonly<Record<string, string>> } | null
  /**
   * Identity files that could not be read, by key: since when, Unix ms. At most MAX_DAMAGED (slice.ts).
   */
  damaged: Readonly<Record<string, number>>
  /** How many files were folded after later ones of their shard, because they were damaged before. */
  late: number
  /** Until then one process folds, Unix ms. */
  leaseUntil: number
}

const KEY = { pk: 'identity-fold', sk: 'head' }
const FIRST: FoldHead = {
  ...{ version: 0, epoch: 1, cursors: {}, leaseUntil: 0 },
  behind: null,
  damaged: {},
  late: 0,
}

/**
 * Keeps the head. A change holds only for the version that was read, so a process that was overtaken changes
 * nothing.
 */
export function createFoldHead({ client, table }: StateTable) {
  async function read(): Promise<FoldHead> {
    const Item = await readItem({ client, table }, KEY)
    // A head of an earlier version has fewer fields.
    return Item === undefined ? FIRST : { ...FIRST, ...(JSON.parse(String(Item.head)) as Partial<FoldHead>) }
  }

  /** Returns the head with its new version. Throws if another process has changed it. */
  async function save(head: FoldHead): Promise<FoldHead> {
    const saved = await trySave(head)
    if (saved === null) throw new Error('Another process folds identities')
    return saved
  }

  /** The same, but returns null instead of an error. */
  async function trySave(head: FoldHead): Promise<FoldHead | null> {
    const next = { ...head, version: head.version + 1 }
    const isSaved = await conditionHeld(
      client.put({
        TableName: table,
        Item: { ...KEY, version: next.version, head: JSON.stringify(next) },
        ConditionExpression: head.version === 0 ? 'attribute_not_exists(pk)' : 'version = :version',
        ...(head.version > 0 && { ExpressionAttributeValues: { ':version': head.version } }),
      }),
    )
    return isSaved ? next : null
  }

  return { read, save, trySave }
}
