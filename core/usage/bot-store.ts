import { forEachConcurrent } from '#core/async/concurrency'
import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { type ActorCount, addActors, addQuarters } from './bot-actors.ts'
import type { BotCount, BotDay } from './counters.ts'

/** Concurrent writes for one batch: a batch of many projects must not open a connection for each. */
const CONCURRENCY = 16
/** How long an item stays after its day. The longest report reads 180 days. */
const KEPT_MS = 400 * DAY_MS
/** How often a change starts again when another process has changed the item first. */
const MAX_TRIES = 8

type Item = {
  sk: string
  /** The last batch that the item has counted, an integer. */
  checkpoint: string
  /** JSON of ActorCount[]. */
  actors: string
  /** The rules of the newest request, or null. */
  rules_version: string | null
}

export type BotStore = ReturnType<typeof createBotStore>

/**
 * The daily counts of bots. Each (project, day, shard) has one item with all its actors, whose number is
 * limited (bot-actors.ts). So the user agents of callers never decide how many items there are. The item
 * keeps a checkpoint, so a repeated batch counts nothing twice. It also counts by quarter of an hour, which
 * the days of other time zones need.
 */
export function createBotStore({ client, table }: StateTable) {
  async function addBots(source: string, checkpoint: string, counts: readonly BotCount[]): Promise<void> {
    const days = Map.groupBy(counts, ({ project_id, day }) => `${project_id} ${day}`)
    await forEachConcurrent([...days.values()], CONCURRENCY, dayCounts =>
      addDay(source, checkpoint, dayCounts),
    )
  }

  async function addDay(source: string, checkpoint: string, counts: readonly BotCount[]): Promise<void> {
    const [{ project_id, day }] = counts as [BotCount]
    const Key = { pk: `bots#${project_id}`, sk: `${day}#${source}` }
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = await read(Key)
      if (item !== undefined && BigInt(item.checkpoint) >= BigInt(checkpoint)) return
      const actors = addActors(item === undefined ? [] : parseActors(item), counts.map(toActor))
      const written = conditionHeld(
        client.put({
          TableName: table,
          Item: {
            ...Key,
            checkpoint,
            actors: JSON.stringify(actors),
            rules_version: newestOf(counts)?.rules_version ?? item?.rules_version ?? null,
            expires_at: Math.ceil((Date.parse(day) + KEPT_MS) / 1_000),
          },
          ConditionExpression: item === undefined ? 'attribute_not_exists(pk)' : 'checkpoint = :before',
          ...(item !== undefined && { ExpressionAttributeValues: { ':before': item.checkpoint } }),
        }),
      )
      if (await written) return
    }
    throw new Error(`Other processes change the bot counts of ${project_id} all the time`)
  }

  async function read(Key: { pk: string; sk: string }): Promise<Item | undefined> {
    const Item = await readItem({ client, table }, Key)
    return Item as Item | undefined
  }

  /**
   * Returns a project's bots by day, category and actor, from the day `from` to the day `to` (both
   * inclusive).
   */
  async function bots(projectId: string, from: string, to: string): Promise<BotDay[]> {
    const totals = new Map<string, BotDay>()
    for (const count of (await readDays(projectId, from, to)).flatMap(item => toCounts(projectId, item))) {
      const key = `${count.day} ${count.category} ${count.actor}`
      const total = totals.get(key)
      totals.set(key, total === undefined ? count : sumOf(total, count))
    }
    return [...totals.values()]
  }

  function readDays(projectId: string, from: string, to: string): Promise<Record<string, unknown>[]> {
    // `$` comes after `#`, so this is every source of the last day too.
    return queryItems({ client, table }, `bots#${projectId}`, `${from}#`, `${to}$`)
  }

  return { addBots, bots }
}

function toCounts(project_id: string, item: Record<string, unknown>): BotDay[] {
  const { sk, rules_version } = item as Item
  const day = sk.slice(0, 'YYYY-MM-DD'.length)
  return parseActors(item as Item).map(count => ({ project_id, day, ...count, rules_version }))
}

function parseActors({ actors }: Pick<Item, 'actors'>): ActorCount[] {
  return JSON.parse(actors)
}

function toActor(count: BotCount): ActorCount {
  const { category, actor, purpose, requests, dropped, last_seen_at, quarter } = count
  return {
    category,
    actor,
    ...(purpose !== undefined && { purpose }),
    ...{ requests, dropped, last_seen_at, quarters: { [quarter]: [requests, dropped] } },
  }
}

function sumOf(a: BotDay, b: BotDay): BotDay {
  const newest = newestOf([a, b]) as BotDay
  const quarters = { ...a.quarters }
  addQuarters(quarters, b.quarters)
  const purpose = newest.purpose ?? a.purpose ?? b.purpose
  return { ...newest, purpose, requests: a.requests + b.requests, dropped: a.dropped + b.dropped, quarters }
}

/** The count whose bot was seen last; undefined if there are none. */
export function newestOf<T extends Pick<BotCount, 'last_seen_at'>>(counts: readonly T[]): T | undefined {
  return counts.reduce<T | undefined>(
    (newest, count) => (newest !== undefined && newest.last_seen_at >= count.last_seen_at ? newest : count),
    undefined,
  )
}
