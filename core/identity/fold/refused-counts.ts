import { partition } from '#core/identity/links/pointers'
import type { Refusal } from '#core/ingest/who-may-link'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'

/** Why a link was refused, or `traits`: the project had no room for traits without a credential. */
type Reason = Refusal | 'traits'

/** How many links of a project were refused, by reason, and how many traits. */
export type RefusedCounts = Partial<Record<Reason, number>>

type Stored = { counts: RefusedCounts; folded: Record<string, string> }

/** Shards whose last counted file an item names. Older ones have ended. */
const MAX_SHARDS = 100

/**
 * Counts the links and traits that were refused. The fold calls it once for each project of a slice, so a
 * flood of requests costs no write each. The item names the files that it has counted, so that a slice that
 * is folded again counts once.
 */
export function createRefusedCounts({ client, table }: StateTable) {
  async function read(projectId: string): Promise<RefusedCounts> {
    return (await readStored(projectId)).counts
  }

  /** `files`: the last sequence of each file and the reasons in it, by shard in ascending order. */
  async function add(
    projectId: string,
    files: readonly { shard: string; last: string; reasons: readonly Reason[] }[],
  ): Promise<void> {
    const { counts, folded } = await readStored(projectId)
    const added = files.filter(({ shard, last }) => BigInt(last) > BigInt(folded[shard] ?? -1))
    if (added.length === 0) return
    const next: RefusedCounts = { ...counts }
    for (const reason of added.flatMap(({ reasons }) => reasons)) next[reason] = (next[reason] ?? 0) + 1
    const positions = { ...folded, ...Object.fromEntries(added.map(({ shard, last }) => [shard, last])) }
    const stored: Stored = {
      counts: next,
      folded: Object.fromEntries(Object.entries(positions).slice(-MAX_SHARDS)),
    }
    const Item = { ...keyOf(projectId), refused: JSON.stringify(stored) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  async function readStored(projectId: string): Promise<Stored> {
    const Item = await readItem({ client, table }, keyOf(projectId))
    return Item === undefined ? { counts: {}, folded: {} } : (JSON.parse(String(Item.refused)) as Stored)
  }

  return { read, add }
}

export type RefusedCountsStore = ReturnType<typeof createRefusedCounts>

function keyOf(projectId: string) {
  return { pk: partition(projectId), sk: 'refused' }
}
