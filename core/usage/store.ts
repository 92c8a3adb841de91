import { type Item, queryItems } from '#core/state/query-all'
import { readItems } from '#core/state/read-items'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { sumEvents } from '#core/usage/sum-events'
import { type BotStore, createBotStore } from './bot-store.ts'
import type { ProjectTotals, Usage, UsageCounters } from './counters.ts'
import { joinAllTimes, timesWith } from './event-times.ts'
import { createFold, foldedAttribute } from './fold.ts'
import {
  FOLDED,
  hasSource,
  isOfMonth,
  monthKey,
  ownerPartition,
  READS,
  TOTAL,
  totalKey,
} from './item-keys.ts'
import type { OwnerCount } from './open-count-items.ts'
import { createOpenCounts } from './open-counts.ts'
import { readDayUpdate, readsByDay } from './read-days.ts'

export type UsageStore = UsageCounters & BotStore

/**
 * The counters in DynamoDB. A month's item has one attribute for each day, `e01` to `e31` for events and
 * `r01` to `r31` for reads, and the sums `events` and `reads`. So one update counts a batch, also when the
 * item does not exist. A map of days would need another write before its first ADD, and ElectroDB cannot name
 * attributes by data, so this room uses the document client. A project also has one item for all time, which
 * counts its reads by day too (read-days.ts): a report then costs one write for its project. bot-store.ts
 * counts the bots.
 *
 * Readers read the open counts before the items. If an epoch is folded between the two, its events are in the
 * items, whose epoch then says that the open counts do not count.
 */
export function createUsageStore(state: StateTable): UsageStore {
  const { client, table } = state
  const openCounts = createOpenCounts(state)

  async function addRead(
    projectId: string | null,
    accountId: string | null,
    day: string,
    reads = 1,
  ): Promise<void> {
    const addToMonth = (owner: string) => orUnavailable(client.update(readUpdate(owner, day, reads)))
    await Promise.all([
      accountId === null ? null : addToMonth(accountId),
      projectId === null ? null : orUnavailable(client.update(totalReadUpdate(projectId, day, reads))),
    ])
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

  function totalReadUpdate(projectId: string, day: string, reads: number) {
    return { TableName: table, Key: totalKey(projectId), ...readDayUpdate(day, reads) }
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

  async function totals(projectIds: readonly string[]): Promise<ProjectTotals[]> {
    const open = await openCounts.readOwners(projectIds)
    const items = await readTotals(projectIds)
    return projectIds.map(id => {
      const item = items.get(id) ?? {}
      const openOfProject = (open.get(id) ?? []).filter(count => isOpen(count, item))
      return {
        events: toNumber(item.events) + sumEvents(openOfProject),
        reads: toNumber(item.reads),
        times: timesWith(item, joinAllTimes(openOfProject)),
      }
    })
  }

  /** The items for all time of the projects, by project. */
  async function readTotals(projectIds: readonly string[]): Promise<Map<string, Item>> {
    const items = await readItems(state, projectIds.map(totalKey))
    const ids = new Map(projectIds.map(id => [ownerPartition(id), id]))
    return new Map(items.map(item => [ids.get(String(item.pk)) as string, item]))
  }

  async function month(owner: string, month: string) {
    const open = (await openCounts.readOwners([owner])).get(owner) ?? []
    // The item for all time follows the months, so one query reads it with them.
    const found = await queryItems(state, ownerPartition(owner), `${month}#`, TOTAL)
    const items = found.filter(item => isOfMonth(item, month))
    const readDays = readsByDay(found.at(-1) ?? {}, month)
    const days: Record<string, Usage> = {}
    const usageOf = (day: string): Usage => {
      days[day] ??= { events: 0, reads: 0 }
      return days[day]
    }
    for (const item of items) {
      for (const [name, value] of Object.entries(item)) {
        const match = /^([er])(\d\d)$/.exec(name)
        if (match !== null)
          usageOf(`${month}-${match[2]}`)[match[1] === 'e' ? 'events' : 'reads'] += Number(value)
      }
    }
    const folded = items.find(item => hasSource(item, FOLDED)) ?? {}
    const openOfMonth = open.filter(count => count.day.startsWith(month) && isOpen(count, folded))
    for (const { day, events } of openOfMonth) usageOf(day).events += events
    for (const [day, reads] of readDays) usageOf(day).reads += reads
    const { events, reads } = sumUsage(items)
    const readsOfDays = readDays.reduce((sum, [, count]) => sum + count, 0)
    return { events: events + sumEvents(openOfMonth), reads: reads + readsOfDays, days }
  }

  return {
    ...createBotStore(state),
    addClaim: openCounts.addClaim,
    foldEpoch: createFold(state, openCounts),
    deleteFoldedCounts: openCounts.deleteFoldedCounts,
    openCounts: openCounts.readAll,
    ...{ addRead, reserveRead, releaseRead, totals, month },
  }
}

/** Whether the epoch of the counts is not folded into the item. */
function isOpen({ epoch, bucket }: OwnerCount, item: Item): boolean {
  return epoch > toNumber(item[foldedAttribute(bucket)])
}

function toNumber(value: unknown): number {
  return Number(value ?? 0)
}

function sumUsage(items: readonly Item[]): Usage {
  return {
    events: items.reduce((sum, item) => sum + toNumber(item.events), 0),
    reads: items.reduce((sum, item) => sum + toNumber(item.reads), 0),
  }
}
