import { NO_LIMIT } from '#core/plans/profile'
import type { Now } from '#core/ports'
import { queryFailure } from '#core/sql/query-failures'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'

/** A place comes back by itself after this time, because an execution that is killed does not return it. */
const LEASE_MS = 30_000
/**
 * The places of reads of guests, for all processes together: each execution of AWS answers one request, so
 * this many of them at most wait for the engine for guests. A read without a place is refused within
 * milliseconds, so a crowd of them leaves the executions of the account to ingestion and to its owner. Half
 * of the places are the most for one project. One item of the table for each count: a number for each place,
 * until when it is taken.
 */
export function createGuestPlaces({
  client,
  table,
  clock,
  total,
}: StateTable & { clock: Now; total: number }) {
  const ofProject = Math.ceil(total / 2)

  /** Runs the read with a place. Throws UNAVAILABLE when none is free. */
  async function run<T>(projectId: string, read: () => Promise<T>): Promise<T> {
    if (total === NO_LIMIT) return read()
    const leaveProject = await enter(projectId, ofProject)
    try {
      const leaveAll = await enter('all', total)
      return await read().finally(leaveAll)
    } finally {
      await leaveProject()
    }
  }

  /** Takes a place. Returns what gives it back, which never rejects. */
  async function enter(key: string, places: number): Promise<() => Promise<void>> {
    const Key = { pk: `guest-slots#${key}`, sk: 'slots' }
    // Each failed try means that another request has taken a place, so after as many of them none is left.
    for (let tries = 0; tries <= places; tries++) {
      const now = clock.now()
      const Item = (await readItem({ client, table }, Key)) ?? {}
      const free = Array.from({ length: places }, (_, i) => `p${i}`).filter(
        name => !(Number(Item[name]) > now),
      )
      // Requests at the same time rarely choose the same one.
      const place = free[Math.floor(Math.random() * free.length)]
      if (place === undefined) break
      // The fraction tells the leases of one millisecond apart.
      const until = now + LEASE_MS + Math.random()
      const seen = Item[place]
      const taken = client.update({
        TableName: table,
        Key,
        UpdateExpression: 'SET #place = :until, #expires = :expires',
        ConditionExpression: seen === undefined ? 'attribute_not_exists(#place)' : '#place = :seen',
        ExpressionAttributeNames: { '#place': place, '#expires': 'expires_at' },
        ExpressionAttributeValues: {
          ':until': until,
          ':expires': Math.ceil((now + 2 * LEASE_MS) / 1_000),
          ...(seen !== undefined && { ':seen': seen }),
        },
      })
      if (await conditionHeld(taken)) return () => leave(Key, place, until)
    }
    throw queryFailure('guests')
  }

  async function leave(Key: Record<'pk' | 'sk', string>, place: string, until: number): Promise<void> {
    const freed = client.update({
      TableName: table,
      Key,
      UpdateExpression: 'REMOVE #place',
      ConditionExpression: '#place = :until',
      ExpressionAttributeNames: { '#place': place },
      ExpressionAttributeValues: { ':until': until },
    })
    // A place that cannot be given back is free after its lease.
    await freed.catch(() => {})
  }

  return { run }
}

export type GuestPlaces = ReturnType<typeof createGuestPlaces>
