import QuickLRU from 'quick-lru'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { ownerPartition } from './item-keys.ts'

/**
 * Names that are kept of one project; a plan of events has at most 8. 300 names of 64 characters are 20 KB.
 */
const MAX_NAMES = 300
/** Longer names, and those with other characters, are none of a plan (schemas/website-scans.ts). */
const NAME = /^[a-z][a-z0-9_]{2,63}$/
/** Pairs of project and name that a process remembers, so that each is written once. */
const MAX_REMEMBERED = 10_000
const PREFIX = 'event:'

/** `isFull`: further names were not kept, so a name that is not there may have been used. */
export type UsedEventNames = { names: ReadonlySet<string>; isFull: boolean }

/**
 * Which events the reports of a project have named. It is one item beside the project's counters, with an
 * attribute for each name.
 */
export function createUsedEvents({ client, table }: StateTable) {
  const remembered = new QuickLRU<string, true>({ maxSize: MAX_REMEMBERED })
  const keyOf = (projectId: string) => ({ pk: ownerPartition(projectId), sk: 'used-events' })

  /** Notes names that a report was asked about. One that is noted already costs nothing in this process. */
  async function note(projectId: string, names: readonly string[]): Promise<void> {
    for (const name of new Set(names)) {
      const pair = `${projectId} ${name}`
      if (!NAME.test(name) || remembered.has(pair)) continue
      await conditionHeld(
        client.update({
          TableName: table,
          Key: keyOf(projectId),
          UpdateExpression: 'ADD #count :one SET #name = :true',
          ConditionExpression:
            'attribute_not_exists(#name) AND (attribute_not_exists(#count) OR #count < :max)',
          ExpressionAttributeNames: { '#count': 'count', '#name': `${PREFIX}${name}` },
          ExpressionAttributeValues: { ':one': 1, ':true': true, ':max': MAX_NAMES },
        }),
      )
      remembered.set(pair, true)
    }
  }

  async function read(projectId: string): Promise<UsedEventNames> {
    const Item = (await readItem({ client, table }, keyOf(projectId))) ?? {}
    const names = Object.keys(Item).flatMap(key => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : []))
    return { names: new Set(names), isFull: Number(Item.count ?? 0) >= MAX_NAMES }
  }

  return { note, read }
}

export type UsedEvents = ReturnType<typeof createUsedEvents>
