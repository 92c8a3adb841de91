import { forEachConcurrent } from '#core/concurrency'
import { queryAll } from '#core/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { type BotStore, createBotStore } from './bot-store.ts'
import type { EventCount, UsageCounters } from './counters.ts'

/** Concurrent writes for one batch: a batch of many projects must not open a connection for each. */
const CONCURRENCY = 16
/** The length of a padded checkpoint, whose text compares as its integer does. Kinesis' sequences have 56 digits. */
const CHECKPOINT_DIGITS = 64
/** The attribute of an item that holds its checkpoint. Existing tables have this name. */
const CHECKPOINT = 'mark'
/** The source of reads, which come one by one and from no stream. */
const READS = 'reads'

export type UsageStore = UsageCounters & BotStore

/**
 * The counters in DynamoDB. A month's item has one attribute for each day, `e01` to `e31` for events and `r01` to `r31`
 * for reads, and the sums `events` and `reads`. So one update counts a batch, also when the item does not exist. A map of
 * days would need another write before its first ADD, and ElectroDB cannot name attributes by data, so this room uses the
 * document client. bot-store.ts counts the bots.
 */
export function createUsageStore({ client, table }: StateTable): UsageStore {
  async function addEvents(source: string, checkpoint: string, counts: readonly EventCount[]): Promise<void> {
    const months = Map.groupBy(counts, ({ owner, day }) => `${owner} ${day.slice(0, 7)}`)
    await forEachConcurrent([...months.values()], CONCURRENCY, async monthCounts => {
      const { owner, day } = monthCounts[0] as EventCount
      const increments = new Map<string, number>()
      for (const { day, events } of monthCounts) addTo(increments, `e${day.slice(8)}`, events)
      addTo(increments, 'events', sumEvents(monthCounts))
      await addOnce(monthKey(owner, day.slice(0, 7), source), checkpoint, increments)
    })
  }

  /** Adds to the item, unless it has counted this checkpoint or a later one. Returns whether it has added. */
  function addOnce(
    key: Record<'pk' | 'sk', string>,
    checkpoint: string,
    increments: ReadonlyMap<string, number>,
  ): Promise<boolean> {
    const incrementNames = [...increments.keys()]
    const additions = incrementNames.map(name => `#${name} :${name}`)
    return conditionHeld(
      client.update({
        TableName: table,
        Key: key,
        UpdateExpression: `ADD ${additions.join(', ')} SET #${CHECKPOINT} = :${CHECKPOINT}`,
        ConditionExpression: `attribute_not_exists(#${CHECKPOINT}) OR #${CHECKPOINT} < :${CHECKPOINT}`,
        ExpressionAttributeNames: Object.fromEntries(
          [...incrementNames, CHECKPOINT].map(name => [`#${name}`, name]),
        ),
        ExpressionAttributeValues: Object.fromEntries([
          ...[...increments].map(([name, value]) => [`:${name}`, value]),
          [`:${CHECKPOINT}`, checkpoint.padStart(CHECKPOINT_DIGITS, '0')],
        ]),
      }),
    )
  }

  async function addRead(projectId: string | null, accountId: string | null, day: string): Promise<void> {
    const owners = [projectId, accountId].filter(owner => owner !== null)
    await forEachConcurrent(owners, CONCURRENCY, owner =>
      orUnavailable(client.update(readUpdate(owner, day, 1))),
    )
  }

  function reserveRead(owner: string, day: string, max: number): Promise<boolean> {
    const update = readUpdate(owner, day, 1)
    return conditionHeld(
      client.update({
        ...update,
        ConditionExpression: 'attribute_not_exists(#reads) OR #reads < :max',
        ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':max': max },
      }),
    )
  }

  async function releaseRead(owner: string, day: string): Promise<void> {
    await orUnavailable(client.update(readUpdate(owner, day, -1)))
  }

  function readUpdate(owner: string, day: string, count: number) {
    return {
      TableName: table,
      Key: monthKey(owner, day.slice(0, 7), READS),
      UpdateExpression: 'ADD #reads :count, #day :count',
      ExpressionAttributeNames: { '#reads': 'reads', '#day': `r${day.slice(8)}` },
      ExpressionAttributeValues: { ':count': count },
    }
  }

  async function totals(owner: string): Promise<{ events: number; reads: number }> {
    return sumUsage(await query(`usage#${owner}`, '0', '9'))
  }

  async function month(owner: string, month: string) {
    const items = await query(`usage#${owner}`, `${month}#`, `${month}$`)
    const days: Record<string, { events: number; reads: number }> = {}
    for (const item of items) {
      for (const [name, value] of Object.entries(item)) {
        const match = /^([er])(\d\d)$/.exec(name)
        if (match === null) continue
        days[`${month}-${match[2]}`] ??= { events: 0, reads: 0 }
        const dayCounts = days[`${month}-${match[2]}`] as { events: number; reads: number }
        dayCounts[match[1] === 'e' ? 'events' : 'reads'] += Number(value)
      }
    }
    return { ...sumUsage(items), days }
  }

  /** Reads all items of a partition with `from` <= sk <= `to`. */
  function query(pk: string, from: string, to: string): Promise<Record<string, unknown>[]> {
    return queryAll(
      { client, table },
      {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
        ConsistentRead: true,
      },
    )
  }

  return {
    ...createBotStore({ client, table }),
    addEvents,
    addRead,
    reserveRead,
    releaseRead,
    totals,
    month,
  }
}

function monthKey(owner: string, month: string, source: string) {
  return { pk: `usage#${owner}`, sk: `${month}#${source}` }
}

function addTo(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value)
}

function sumEvents(counts: readonly EventCount[]): number {
  return counts.reduce((sum, { events }) => sum + events, 0)
}

function sumUsage(items: readonly Record<string, unknown>[]): { events: number; reads: number } {
  return {
    events: items.reduce((sum, item) => sum + Number(item.events ?? 0), 0),
    reads: items.reduce((sum, item) => sum + Number(item.reads ?? 0), 0),
  }
}
