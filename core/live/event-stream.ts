import { arrivalOfUlid, eventUlid } from '#core/ingest/ids'
import type { Clock } from '#core/ports'
import { LATE_MS, type LiveBuffer } from './buffer.ts'
import { isAfter } from './chunk.ts'
import { passesFilter, type StreamFilter } from './filter.ts'
import { createSeenEvents } from './seen-events.ts'
import type { TailEvent, Tails } from './tails.ts'

export type StreamSettings = {
  /** A heartbeat is sent after this time without anything else, ms. */
  heartbeatMs: number
  /** Pause between two checks of the caller's rights, ms. */
  checkMs: number
  /** The stream ends after this time without a match, ms. */
  idleMs: number
  /** The stream ends after this time, ms. Its client then connects again with Last-Event-ID. */
  maxMs: number
}

/** docs/api/live.md. One machine has no longest time. */
export const STREAM_DEFAULTS: StreamSettings = {
  heartbeatMs: 30_000,
  checkMs: 60_000,
  idleMs: 30 * 60_000,
  maxMs: Number.POSITIVE_INFINITY,
}

export type StreamServices = {
  buffer: LiveBuffer
  tails: Tails
  clock: Clock
  settings: StreamSettings
}

export type StreamRequest = {
  project: { id: string; name: string }
  filter: StreamFilter
  /** Header Last-Event-ID: the last event that the client has got. */
  lastEventId: string | undefined
  /** Events of a project that the buffer holds. */
  maxEvents: number
  /** How many bytes of JSON of the buffer are read for what the client has missed. */
  maxBytes: number
  /** Whether the caller may still read. The stream ends when not. */
  mayGoOn(): Promise<boolean>
}

const HEARTBEAT = Buffer.from(':heartbeat\n\n')

/**
 * The blocks of GET /stream (docs/api/live.md), until the signal aborts or the stream ends by a rule. Each
 * value holds whole blocks, so that many events need one write only.
 */
export async function* streamBlocks(
  { buffer, tails, clock, settings }: StreamServices,
  { project, filter, lastEventId, maxEvents, maxBytes, mayGoOn }: StreamRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const connectedAt = clock.now()
  const subscription = tails.subscribe(project.id)
  const { wake } = subscription
  const { heartbeatMs, checkMs, idleMs, maxMs } = settings
  const times = startTimes(clock, { heartbeat: heartbeatMs, check: checkMs, idle: idleMs, end: maxMs }, wake)
  signal.addEventListener('abort', wake)
  try {
    yield connectedBlock(project.name, filter, { connectedAt, lastEventId })
    const resumed = await resume(
      { buffer, tails },
      { projectId: project.id, lastEventId, maxEvents, maxBytes, connectedAt },
    )
    let matches = resumed.events.filter(event => passesFilter(filter, event))
    for (;;) {
      if (matches.length > 0) {
        yield Buffer.concat(matches.map(({ block }) => block))
        times.restart('heartbeat')
        times.restart('idle')
      }
      if (signal.aborted || subscription.hasOverflowed()) return
      if (times.isOver('idle') || times.isOver('end')) return
      if (times.isOver('check')) {
        if (!(await mayGoOn())) return
        times.restart('check')
      }
      if (times.isOver('heartbeat')) {
        yield HEARTBEAT
        times.restart('heartbeat')
      }
      times.watch()
      const events = await subscription.next()
      matches = events.filter(event => resumed.isNew(event) && passesFilter(filter, event))
    }
  } finally {
    signal.removeEventListener('abort', wake)
    times.stop()
    await subscription.close()
  }
}

/**
 * The first block. Its id lets a client that is cut off before its first match go on from here. A client that
 * has sent the id of an event keeps that one, because it may be cut off again before it gets what it has
 * missed.
 */
function connectedBlock(
  project: string,
  { events, pairs }: StreamFilter,
  { connectedAt, lastEventId }: { connectedAt: number; lastEventId: string | undefined },
): Uint8Array {
  const filters = { events, properties: Object.fromEntries(pairs) }
  const data = JSON.stringify({ project, filters, timestamp: connectedAt })
  const id = arrivalOf(lastEventId) === null ? `id: ${eventUlid(connectedAt, 0, 0)}\n` : ''
  return Buffer.from(`event: connected\ndata: ${data}\n${id}\n`)
}

/**
 * The second in which the event of an id arrived, Unix ms; null without an id, and for a text that is none.
 */
function arrivalOf(lastEventId: string | undefined): number | null {
  return lastEventId === undefined ? null : arrivalOfUlid(lastEventId)
}

type Resumed = {
  /** The events that the client has missed, in the order of arrival. */
  events: TailEvent[]
  /**
   * Whether an event of the tail belongs to the stream: it is none of the events above, and none that the
   * client has.
   */
  isNew(event: TailEvent): boolean
}

/**
 * Finds what the client has missed. Without Last-Event-ID these are no events, and the stream begins with the
 * events that arrive from now on. A shard has one order, so after the last event of the client nothing of its
 * shard is missing or repeated. The order of other shards is only known within two seconds: their events of
 * that time may come again.
 */
async function resume(
  { buffer, tails }: { buffer: LiveBuffer; tails: Tails },
  {
    projectId,
    lastEventId,
    maxEvents,
    maxBytes,
    connectedAt,
  }: Pick<StreamRequest, 'lastEventId' | 'maxEvents' | 'maxBytes'> & {
    projectId: string
    connectedAt: number
  },
): Promise<Resumed> {
  const arrival = arrivalOf(lastEventId)
  if (arrival === null) return { events: [], isNew: event => event.received_at >= connectedAt }
  const oldest = connectedAt - buffer.bufferMs
  const chunks = []
  let count = 0
  let bytes = 0
  for await (const chunk of buffer.newestFirst(projectId, Math.max(oldest, arrival - LATE_MS))) {
    bytes += chunk.bytes
    if (chunks.length > 0 && bytes > maxBytes) break
    chunks.push(chunk)
    count += chunk.events.length
    if (count >= maxEvents) break
  }
  const buffered = await tails.toTailEvents(projectId, chunks)
  const last = buffered.find(({ id }) => id === lastEventId)
  const follows = (event: TailEvent): boolean => {
    if (event.received_at < oldest || event.id === lastEventId) return false
    // The buffer no longer holds the client's last event, so what arrived since its second is new.
    if (last === undefined) return event.received_at >= arrival
    if (event.shard === last.shard) return isAfter(event.position, last.position)
    return event.stamp >= last.stamp - LATE_MS
  }
  const seen = createSeenEvents(2 * maxEvents)
  const isNew = (event: TailEvent) => follows(event) && seen.isNew(event)
  const events = buffered.filter(isNew)
  return { events: events.slice(-maxEvents), isNew }
}

type Time = 'heartbeat' | 'check' | 'idle' | 'end'

/**
 * The times of a stream. A time is over `ms` after its last start; it may be infinite. `onOver` is called
 * when one may be over. Starting a time again costs nothing, because one sleep serves all of them: it ends
 * when the first of them could have been over, and then the stream asks.
 */
function startTimes(clock: Clock, ms: Readonly<Record<Time, number>>, onOver: () => void) {
  const names = Object.keys(ms) as Time[]
  const now = clock.now()
  const startedAt = { heartbeat: now, check: now, idle: now, end: now }
  const stopping = new AbortController()
  let isSleeping = false

  /** Also a clock that was set back by that much ends a time. */
  function restMs(time: Time): number {
    return ms[time] - Math.abs(clock.now() - startedAt[time])
  }

  return {
    isOver: (time: Time) => restMs(time) <= 0,
    restart(time: Time): void {
      startedAt[time] = clock.now()
    },
    /** Makes sure that `onOver` is called. */
    watch(): void {
      if (isSleeping) return
      isSleeping = true
      const wake = () => {
        isSleeping = false
        onOver()
      }
      clock.sleep(Math.max(0, Math.min(...names.map(restMs))), stopping.signal).then(wake, () => {})
    },
    stop: () => stopping.abort(),
  }
}
