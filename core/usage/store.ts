import { createHash } from 'node:crypto'
import { forEachConcurrent } from '#core/concurrency'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { BotCount, EventCount, UsageCounters } from './counters.ts'

/** Writes under way at once for one batch: a batch of many projects must not open a connection for each. */
const CONCURRENCY = 16
/** Digits of a mark: Kinesis' sequence numbers have 56. Padded, they compare as text as they do as integers. */
const CHECKPOINT_DIGITS = 64
/** The source of reads: they come one by one, from no stream. */
const READS = 'reads'

export type UsageStore = UsageCounters & {
  /** The bots of a project in the days from `from` to `to` (YYYY-MM-DD, inclusive), by day, category and actor. */
  bots(projectId: string, from: string, to: string): Promise<BotCount[]>
}

/**
 * The counters in DynamoDB. This room uses the document client: ElectroDB has no attributes whose names come with the
 * data, and a map of days would need a write of its own before its first ADD. So a month's item has one attribute a
 * day, `e01` to `e31` for events and `r01` to `r31` for reads, beside the sums `events` and `reads`: one update counts
 * a batch, also where the item is not there yet. Bots have one item an actor, so that made-up names never fill one up.
 */
export function createUsageStore({ client, table }: StateTable): UsageStore {
  async function addEvents(source: string, mark: string, counts: readonly EventCount[]): Promise<void> {
    const months = Map.groupBy(counts, ({ owner, day }) => `${owner} ${day.slice(0, 7)}`)
    await forEachConcurrent([...months.values()], CONCURRENCY, async ofMonth => {
      const { owner, day } = ofMonth[0] as EventCount
      const added = new Map<string, number>()
      for (const { day, events } of ofMonth) add(added, `e${day.slice(8)}`, events)
      add(added, 'events', total(ofMonth))
      await addOnce(monthKey(owner, day.slice(0, 7), source), mark, added)
    })
  }

  async function addBots(source: string, mark: string, counts: readonly BotCount[]): Promise<void> {
    await forEachConcurrent(
      counts,
      CONCURRENCY,
      async ({ project_id, day, category, actor, requests, dropped, last_seen_at }) => {
        const key = { pk: `bots#${project_id}`, sk: `${day}#${source}#${digest(`${category} ${actor}`)}` }
        const added = new Map(Object.entries({ requests, dropped }))
        const named = { day, category, actor }
        // The latest time only rises; where it would not, the counts are added without it.
        if (!(await addOnce(key, mark, added, { ...named, last_seen_at })))
          await addOnce(key, mark, added, named)
      },
    )
  }

  /** Adds to the item, unless it has counted this mark or a later one. Returns whether it did. */
  function addOnce(
    key: Record<'pk' | 'sk', string>,
    mark: string,
    added: ReadonlyMap<string, number>,
    set: Record<string, string | number> = {},
  ): Promise<boolean> {
    const padded = mark.padStart(CHECKPOINT_DIGITS, '0')
    const names = [...added.keys()]
    const assigned = { ...set, mark: padded }
    const rises =
      'last_seen_at' in set
        ? ' AND (attribute_not_exists(last_seen_at) OR last_seen_at <= :last_seen_at)'
        : ''
    return conditionHeld(
      client.update({
        TableName: table,
        Key: key,
        UpdateExpression: `ADD ${names.map(name => `#${name} :${name}`).join(', ')} SET ${Object.keys(
          assigned,
        )
          .map(name => `#${name} = :${name}`)
          .join(', ')}`,
        ConditionExpression: `(attribute_not_exists(#mark) OR #mark < :mark)${rises}`,
        ExpressionAttributeNames: Object.fromEntries(
          [...names, ...Object.keys(assigned)].map(name => [`#${name}`, name]),
        ),
        ExpressionAttributeValues: Object.fromEntries(
          [...added, ...Object.entries(assigned)].map(([name, value]) => [`:${name}`, value]),
        ),
      }),
    )
  }

  async function addRead(projectId: string, accountId: string, day: string): Promise<void> {
    await forEachConcurrent([projectId, accountId], CONCURRENCY, owner =>
      orUnavailable(
        client.update({
          TableName: table,
          Key: monthKey(owner, day.slice(0, 7), READS),
          UpdateExpression: 'ADD #reads :one, #day :one',
          ExpressionAttributeNames: { '#reads': 'reads', '#day': `r${day.slice(8)}` },
          ExpressionAttributeValues: { ':one': 1 },
        }),
      ),
    )
  }

  async function totals(owner: string): Promise<{ events: number; reads: number }> {
    return sums(await query(`usage#${owner}`, '0', '9'))
  }

  async function month(owner: string, month: string) {
    const items = await query(`usage#${owner}`, `${month}#`, `${month}$`)
    const days: Record<string, { events: number; reads: number }> = {}
    for (const item of items) {
      for (const [name, value] of Object.entries(item)) {
        const match = /^([er])(\d\d)$/.exec(name)
        if (match === null) continue
        days[`${month}-${match[2]}`] ??= { events: 0, reads: 0 }
        const counted = days[`${month}-${match[2]}`] as { events: number; reads: number }
        counted[match[1] === 'e' ? 'events' : 'reads'] += Number(value)
      }
    }
    return { ...sums(items), days }
  }

  async function bots(projectId: string, from: string, to: string): Promise<BotCount[]> {
    const found = new Map<string, BotCount>()
    for (const item of await query(`bots#${projectId}`, `${from}#`, `${to}$`)) {
      const { day, category, actor, requests, dropped, last_seen_at } = item as BotCount
      const same = found.get(`${day} ${category} ${actor}`)
      found.set(`${day} ${category} ${actor}`, {
        project_id: projectId,
        day,
        category,
        actor,
        requests: (same?.requests ?? 0) + requests,
        dropped: (same?.dropped ?? 0) + dropped,
        last_seen_at: Math.max(same?.last_seen_at ?? 0, last_seen_at),
      })
    }
    return [...found.values()]
  }

  /** All items of a partition with `from` <= sk <= `to`. */
  async function query(pk: string, from: string, to: string): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = []
    let start: Record<string, unknown> | undefined
    do {
      const page = await orUnavailable(
        client.query({
          TableName: table,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
          ConsistentRead: true,
          ExclusiveStartKey: start,
        }),
      )
      items.push(...(page.Items ?? []))
      start = page.LastEvaluatedKey
    } while (start !== undefined)
    return items
  }

  return { addEvents, addBots, addRead, totals, month, bots }
}

function monthKey(owner: string, month: string, source: string) {
  return { pk: `usage#${owner}`, sk: `${month}#${source}` }
}

/** A part of a key from what callers choose: a sort key takes 1,024 bytes, a user agent may hold more. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value)
}

function total(counts: readonly EventCount[]): number {
  return counts.reduce((sum, { events }) => sum + events, 0)
}

function sums(items: readonly Record<string, unknown>[]): { events: number; reads: number } {
  return {
    events: items.reduce((sum, item) => sum + Number(item.events ?? 0), 0),
    reads: items.reduce((sum, item) => sum + Number(item.reads ?? 0), 0),
  }
}
