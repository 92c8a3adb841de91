import { forEachConcurrent } from '#core/async/concurrency'
import { readItems } from '#core/state/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'
import type { EventTimes, OpenCount, ProjectEvents, UsageCounters } from './counters.ts'
import { joinAllTimes, timesWith } from './event-times.ts'
import { monthKey, ownerPartition, TOTAL, totalKey } from './item-keys.ts'
import type { OpenCounts } from './open-counts.ts'

/**
 * Concurrent writes of one fold. The state of one machine does one after the other, and reads wait for those
 * before them.
 */
const CONCURRENCY = 4

/** What one fold adds to an item: `events`, and in the item of a month also `e01` to `e31`, the days. */
type Addition = { key: ItemKey; increments: Record<string, number> }

/**
 * The attribute of an item that says up to which epoch a bucket is folded into it. An account has projects in
 * many buckets.
 */
export function foldedAttribute(bucket: number): string {
  return `f${bucket}`
}

/**
 * Creates foldEpoch. Each item is changed by one conditional write, which adds the numbers and raises the
 * item's epoch of the bucket, so a repetition changes nothing. A project or day of which all events were
 * dropped as copies gets a write as well: it raises the epoch, so that the open counts of the project no
 * longer count.
 */
export function createFold(
  state: StateTable,
  openCounts: Pick<OpenCounts, 'readEpoch'>,
): UsageCounters['foldEpoch'] {
  const { client, table } = state
  return async function foldEpoch(epoch, bucket, stored) {
    const claimed = await openCounts.readEpoch(epoch, bucket)
    const rows = [...stored, ...claimed.map(count => ({ ...count, events: 0 }))]
    const times = await timesAfter(claimed)
    await forEachConcurrent(toAdditions(rows), CONCURRENCY, addition =>
      addOnce(addition, times.get(addition.key.sk === TOTAL ? addition.key.pk : ''), epoch, bucket),
    )
  }

  /**
   * The times of the projects after the fold, by the partition of the project. A bucket is folded by one
   * worker at a time, so no other write changes them before the fold; a repeated fold changes nothing.
   */
  async function timesAfter(claimed: readonly OpenCount[]): Promise<Map<string, EventTimes>> {
    const projects = Map.groupBy(claimed, ({ project_id }) => ownerPartition(project_id))
    const ids = new Set(claimed.map(({ project_id }) => project_id))
    const items = new Map((await readItems(state, [...ids].map(totalKey))).map(item => [item.pk, item]))
    return new Map(
      [...projects].flatMap(([partition, counts]) => {
        const times = timesWith(items.get(partition) ?? {}, joinAllTimes(counts))
        return times === null ? [] : [[partition, times]]
      }),
    )
  }

  function addOnce(
    { key, increments }: Addition,
    times: EventTimes | undefined,
    epoch: number,
    bucket: number,
  ): Promise<boolean> {
    const names = Object.keys(increments)
    return conditionHeld(
      client.update({
        TableName: table,
        Key: key,
        UpdateExpression: `ADD ${names.map(name => `#${name} :${name}`).join(', ')} SET #folded = :epoch${times === undefined ? '' : ', first_at = :first, last_at = :last'}`,
        ConditionExpression: 'attribute_not_exists(#folded) OR #folded < :epoch',
        ExpressionAttributeNames: {
          ...Object.fromEntries(names.map(name => [`#${name}`, name])),
          '#folded': foldedAttribute(bucket),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(names.map(name => [`:${name}`, increments[name]])),
          ':epoch': epoch,
          ...(times !== undefined && { ':first': times.first, ':last': times.last }),
        },
      }),
    )
  }
}

/** One addition for the total of each project, and one for each month of each project and each account. */
function toAdditions(rows: readonly ProjectEvents[]): Addition[] {
  const additions = new Map<string, Addition>()
  function add(key: ItemKey, name: string, events: number): void {
    const id = `${key.pk} ${key.sk}`
    const addition = additions.get(id) ?? { key, increments: {} }
    addition.increments[name] = (addition.increments[name] ?? 0) + events
    additions.set(id, addition)
  }
  for (const { project_id, account_id, day, events } of rows) {
    const month = day.slice(0, 7)
    add(totalKey(project_id), 'events', events)
    for (const name of ['events', `e${day.slice(8)}`]) {
      add(monthKey(account_id, month), name, events)
      add(monthKey(project_id, month), name, events)
    }
  }
  return [...additions.values()]
}
