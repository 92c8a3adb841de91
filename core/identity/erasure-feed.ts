import { hash } from 'node:crypto'
import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { SET_ASIDE_MS } from '#core/lake/erase/old-tombstones'
import type { Now } from '#core/ports'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { HASH_DIGITS, toHashes } from './erased-users.ts'
import { idHash, partition } from './links/pointers.ts'

/** How long the list of erasures goes back, ms: as long as the state has other hashes of erased ids. */
export const LISTED_MS = SET_ASIDE_MS
/**
 * The time of an entry is taken before it is written, and writers have clocks of their own. So a reader goes
 * on from a time that is so much earlier, ms. An entry that is read twice changes nothing.
 */
const WRITING_MS = 60_000
/** Ids of one item: 8 KB of hashes. */
const ITEM_IDS = 500
const CONCURRENT_WRITES = 8
/** Ids and items of one page of the list at most. */
const PAGE_IDS = 10_000
const PAGE_ITEMS = 1_000

const LISTED = 'erased-at#'
const TIME_DIGITS = 15

/** `users`: hashes of erased ids. Their events that arrived until `erased_until` (Unix ms) are erased. */
export type ListedErasure = { erased_until: number; users: string[] }

/**
 * One page of the list. `next_after`: where the next page of this look begins; null on the last one, whose
 * `next_since` is where the next look begins, Unix ms.
 */
export type ErasureList = { erasures: ListedErasure[]; next_since: number; next_after: string | null }

/**
 * The erasures of a project in the order in which they were noted, for copies of its events outside of the
 * service. Items have hashes of ids and go after LISTED_MS. The list also has an erasure that came late,
 * because a link of before it was processed late.
 */
export function createErasureFeed({ client, table, clock }: StateTable & { clock: Now }) {
  /** Adds the erasure of these ids. May be repeated. */
  async function add(projectId: string, ids: readonly string[], until: number): Promise<void> {
    await forEachConcurrent(slices(ids, ITEM_IDS), CONCURRENT_WRITES, async chunk => {
      const now = clock.now()
      const Item = {
        pk: partition(projectId),
        sk: `${LISTED}${timeKey(now)}#${idHash(chunk[0] ?? '')}`,
        digests: Buffer.from(chunk.map(id => listedHash(projectId, id)).join(''), 'hex'),
        until,
        expires_at: Math.ceil((now + LISTED_MS) / 1_000),
      }
      await orUnavailable(client.put({ TableName: table, Item }))
    })
  }

  /**
   * Returns the erasures that were noted since this time, Unix ms. `after` is the `next_after` of the page
   * before.
   */
  async function list(projectId: string, since: number, after = ''): Promise<ErasureList> {
    const from = `${LISTED}${after === '' ? timeKey(since) : after}`
    const next_since = clock.now() - WRITING_MS
    const { Items = [], LastEvaluatedKey } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': partition(projectId), ':from': from, ':to': `${LISTED}~` },
        ConsistentRead: true,
        Limit: PAGE_ITEMS,
      }),
    )
    const erasures: ListedErasure[] = []
    let ids = 0
    for (const { sk, digests, until } of Items) {
      const users = toHashes(digests as Uint8Array)
      if (ids > 0 && ids + users.length > PAGE_IDS)
        return { erasures, next_since, next_after: String(sk).slice(LISTED.length) }
      ids += users.length
      erasures.push({ erased_until: Number(until), users })
    }
    // The last item is read once more, because `from` is inclusive.
    const last = LastEvaluatedKey === undefined ? null : String(LastEvaluatedKey.sk).slice(LISTED.length)
    return { erasures, next_since, next_after: last }
  }

  /** When the last erasure was noted, Unix ms; null: none within LISTED_MS. Reads one item. */
  async function lastAt(projectId: string): Promise<number | null> {
    const { Items = [] } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :listed)',
        ExpressionAttributeValues: { ':pk': partition(projectId), ':listed': LISTED },
        ...{ ConsistentRead: true, ScanIndexForward: false, Limit: 1 },
      }),
    )
    const [last] = Items
    return last === undefined ? null : Number(String(last.sk).slice(LISTED.length).split('#')[0])
  }

  return { add, list, lastAt }
}

export type ErasureFeed = ReturnType<typeof createErasureFeed>

/**
 * What the list has for an id. It is of one project, so a list of hashes of known addresses finds nothing in
 * it.
 */
export function listedHash(projectId: string, id: string): string {
  return hash('sha256', `${projectId}:${id}`).slice(0, HASH_DIGITS)
}

function timeKey(at: number): string {
  return String(Math.max(0, Math.trunc(at))).padStart(TIME_DIGITS, '0')
}
