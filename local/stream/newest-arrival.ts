import { type ArrivalOrder, createArrivalOrder } from '#core/ingest/ids'
import { unpackUnparsed } from '#core/ingest/record'
import type { LakeStateStore } from '#core/lake/model/state'
import { DAY_MS } from '#core/time'
import type { Logs } from './logs.ts'

/**
 * Records of a log that are searched for the newest arrival: those that were on their way together may be out
 * of order.
 */
const SEARCHED_RECORDS = 100

/**
 * Arrivals go on after those of an earlier process that are ahead of the clock by so much at most, ms: a time
 * zone that was wrong is at most 14 hours. After a clock that was further ahead the clock counts again,
 * because all events would be of a wrong day for as long. Erasures cover what it has dated all the same.
 */
const CONTINUED_AHEAD_MS = DAY_MS

/**
 * The order of arrival of a process that starts after another one. `times`: what it goes on after, Unix ms:
 * arrivals, and the ends of erasures.
 */
export function continueOrder(times: readonly number[], now: number): ArrivalOrder {
  const order = createArrivalOrder()
  order.continueAfter(Math.max(0, ...times.filter(time => !isFarAhead(time, now))))
  return order
}

/** Whether an arrival (Unix ms) is so far ahead of the clock that a start does not continue after it. */
export function isFarAhead(arrival: number, now: number): boolean {
  return arrival > now + CONTINUED_AHEAD_MS
}

/**
 * The newest arrivals that the log (`logged`) and the lake (`stored`) know, and the newest ends of erasures,
 * Unix ms. They may be later than the clock, if that was ahead once.
 */
export async function newestTimes(
  stream: Pick<Logs, 'shards' | 'newest'>,
  state: Pick<LakeStateStore, 'manifests'>,
): Promise<{ logged: number[]; stored: number[]; untils: number[] }> {
  const logged: number[] = []
  const stored: number[] = []
  const untils: number[] = []
  for (const shard of await stream.shards())
    logged.push(...stream.newest(shard, SEARCHED_RECORDS).map(({ data }) => arrivalOf(data)))
  for (const { segments, tombstones } of await state.manifests()) {
    stored.push(...segments.map(({ lastArrival }) => endOfSecond(lastArrival)))
    untils.push(...tombstones.map(({ newestUntil }) => endOfSecond(newestUntil)))
  }
  return { logged, stored, untils }
}

function endOfSecond(second: number): number {
  return second * 1_000 + 999
}

/** 0 for a record that cannot be read: the consumer sets it aside. */
function arrivalOf(data: Uint8Array): number {
  try {
    return unpackUnparsed(data).received_at
  } catch {
    return 0
  }
}
