import { randomUUID } from 'node:crypto'
import type { Now } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'

/** The right to hold one open stream. */
export type StreamLease = {
  /** Keeps the right for another while. Returns false when it has passed to another stream. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/** Whose open streams are counted, and how many there may be. */
export type StreamPlace = { holder: string; limit: number }

export type StreamLeaseOptions = {
  clock: Now
  /**
   * Whether no other process serves streams. Then leases of other processes are of a process that was killed,
   * and are free at once.
   */
  isOnlyProcess: boolean
}

/**
 * A stream renews its lease each minute. A lease outlives a stream whose process was killed by at most this
 * time, ms.
 */
const LEASE_MS = 150_000

/**
 * Limits the open streams of an account, or of guests, over all processes. It has as many items as it
 * may open streams, and each item holds at most one lease. So every change is a conditional write of one
 * item.
 */
export function createStreamLeases(
  { client, table }: StateTable,
  { clock, isOnlyProcess }: StreamLeaseOptions,
) {
  const processId = randomUUID()

  /**
   * Takes a lease of each place, in their order. Returns them as one; or the first place that has none left,
   * and then it holds none.
   */
  async function takeEach<P extends StreamPlace>(
    places: readonly P[],
  ): Promise<{ lease: StreamLease } | { full: P }> {
    const taken: StreamLease[] = []
    const release = async () => void (await Promise.all(taken.map(lease => lease.release())))
    try {
      for (const place of places) {
        const lease = await take(place.holder, place.limit)
        if (lease === null) {
          await release()
          return { full: place }
        }
        taken.push(lease)
      }
    } catch (error) {
      // What cannot be given back is free after its time.
      await release().catch(() => {})
      throw error
    }
    const renew = async () => (await Promise.all(taken.map(lease => lease.renew()))).every(isKept => isKept)
    return { lease: { renew, release } }
  }

  /** Takes one of `limit` leases of the holder. Null: all are taken. */
  async function take(holder: string, limit: number): Promise<StreamLease | null> {
    const pk = `streams#${holder}`
    const { Items = [] } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
      }),
    )
    const taken = new Set(Items.filter(item => !isFree(item)).map(({ sk }) => Number(sk)))
    const free = Array.from({ length: limit }, (_, place) => place).filter(place => !taken.has(place))
    // Many who ask at once rarely begin with the same one.
    const start = Math.floor(Math.random() * free.length)
    for (const place of [...free.slice(start), ...free.slice(0, start)]) {
      const lease = { pk, sk: String(place).padStart(4, '0') }
      const id = randomUUID()
      if (await write(lease, id)) return createLease(lease, id)
    }
    return null
  }

  function isFree({ valid_until, process_id }: Record<string, unknown>): boolean {
    return Number(valid_until) <= clock.now() || (isOnlyProcess && process_id !== processId)
  }

  function createLease(Key: { pk: string; sk: string }, id: string): StreamLease {
    return {
      renew: () => write(Key, id),
      async release() {
        await conditionHeld(
          client.delete({
            TableName: table,
            Key,
            ConditionExpression: 'lease_id = :id',
            ExpressionAttributeValues: { ':id': id },
          }),
        )
      },
    }
  }

  /** Writes the lease if the item is free or holds this lease already. */
  function write(Key: { pk: string; sk: string }, id: string): Promise<boolean> {
    const now = clock.now()
    const valid_until = now + LEASE_MS
    const expires_at = Math.ceil(valid_until / 1_000)
    const isOther = isOnlyProcess ? ' OR process_id <> :process' : ''
    return conditionHeld(
      client.put({
        TableName: table,
        Item: { ...Key, lease_id: id, process_id: processId, valid_until, expires_at },
        ConditionExpression: `attribute_not_exists(pk) OR lease_id = :id OR valid_until <= :now${isOther}`,
        ExpressionAttributeValues: {
          ':id': id,
          ':now': now,
          ...(isOnlyProcess && { ':process': processId }),
        },
      }),
    )
  }

  return { take, takeEach }
}

export type StreamLeases = ReturnType<typeof createStreamLeases>
