import { forEachConcurrent } from '#core/async/concurrency'
import type { Clock, EventStream } from '#core/ports'
import { QUARTER_MS } from '#core/time'
import { asOther } from '#core/usage/bot-actors'
import { type BotRecord, type BotRequests, packRecord } from './record.ts'
import { writeInWindows } from './write-in-windows.ts'

export type BotCountsServices = {
  stream: Pick<EventStream, 'append'>
  clock: Pick<Clock, 'now' | 'deadline'>
  /** As in WindowOptions. */
  hasTimer: boolean
}

export type BotCounts = {
  /**
   * Counts one request of a bot. It may be written up to a second later, so a killed process loses the counts
   * of a second. Never rejects: what the stream does not take is kept, and tried again.
   */
  count(record: BotRecord): Promise<void>
  /** Resolves when everything that was counted before is in the stream, or when the stream has refused it. */
  flush(): Promise<void>
}

/** At most one record of a project is appended in this time, ms, whatever its bots send. */
const WINDOW_MS = 1_000
/** Names of actors come from senders, so a record has room for so many. The others count as OTHER_ACTOR. */
const MAX_ACTORS = 32
/** Projects that wait while the stream takes nothing: 32 actors of 200 bytes for each are 6 MB. */
const MAX_WAITING = 1_000
const CONCURRENCY = 8

/** What waits of one project and quarter of an hour. */
type Waiting = {
  project_id: string
  account_id: string
  /** The newest arrival, Unix ms. */
  received_at: number
  actors: Map<string, BotRequests & { requests: number }>
}

/**
 * Gathers the requests of bots, so that a flood of them costs one record a second and project instead of one
 * each. Counts of different quarters of an hour are in different records, because the daily counts keep them
 * apart.
 */
export function createBotCounts({ stream, clock, hasTimer }: BotCountsServices): BotCounts {
  let waiting = new Map<string, Waiting>()
  const windows = writeInWindows({
    ...{ clock, hasTimer, windowMs: WINDOW_MS, write },
    hasWaiting: () => waiting.size > 0,
  })

  async function count(record: BotRecord): Promise<void> {
    add(record)
    await windows.writeSoon()
  }

  function add(record: BotRecord): void {
    const { project_id, account_id, received_at, more = [] } = record
    const key = `${project_id} ${Math.floor(received_at / QUARTER_MS)}`
    let group = waiting.get(key)
    if (group === undefined) {
      if (waiting.size >= MAX_WAITING) return
      group = { project_id, account_id, received_at, actors: new Map() }
      waiting.set(key, group)
    }
    group.received_at = Math.max(group.received_at, received_at)
    for (const requests of [record, ...more]) addRequests(group, requests)
  }

  async function write(): Promise<void> {
    const groups = [...waiting.values()]
    waiting = new Map()
    await forEachConcurrent(groups, CONCURRENCY, async group => {
      const record = toRecord(group)
      // The stream logs its failures.
      await stream.append([packRecord(record)], group.project_id).catch(() => add(record))
    })
  }

  return { count, flush: windows.flush }
}

function addRequests({ actors }: Waiting, added: BotRequests): void {
  const isKnown = actors.has(keyOf(added))
  const target = isKnown || actors.size < MAX_ACTORS ? added : asOther(added)
  const { category, actor, purpose, requests = 1, dropped } = target
  const total = actors.get(keyOf(target)) ?? { category, actor, requests: 0, dropped: 0 }
  actors.set(keyOf(target), {
    ...total,
    ...(purpose !== undefined && { purpose }),
    ...(added.rules_version !== undefined && { rules_version: added.rules_version }),
    requests: total.requests + requests,
    dropped: total.dropped + dropped,
  })
}

function keyOf({ category, actor }: BotRequests): string {
  return `${category} ${actor}`
}

/** A version that knows no `more` counts the first actor, as one request. */
function toRecord({ project_id, account_id, received_at, actors }: Waiting): BotRecord {
  const [first, ...more] = [...actors.values()] as [BotRequests, ...BotRequests[]]
  const head = { kind: 'bots' as const, project_id, account_id, received_at }
  return { ...head, ...first, ...(more.length > 0 && { more }) }
}
