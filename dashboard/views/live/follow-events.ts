import { call, Problem, type ProblemKind, problemOf, send } from '#dashboard/api'
import { credential } from '#dashboard/credential'
import type { EventRow } from '#dashboard/parts/timeline.tsx'
import type { Live } from '#schemas/live'
import { streamBlocks } from './stream-blocks.ts'

/** Where a reader of events is, so that a pause or a lost connection loses none. */
export type Place = {
  /** How the service wants to be followed. */
  way: Live['follow']
  /** `cursor` of the last answer of GET /live. */
  cursor: string
  /** Id of the last event of GET /stream; null before the first one. */
  lastId: string | null
}

export type Listener = {
  /** Events in the order of arrival, the newest last. */
  got(events: readonly EventRow[]): void
  /** Whether events come, or the connection is lost and tried again. */
  connected(isConnected: boolean): void
}

/** Pause between two answers of GET /live (docs/api/live.md), ms. */
const POLL_MS = 5_000
/** Wait before the first further try, which doubles up to the last, ms. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 8_000
/** What no further try can change. The numbers of the view say what to do. */
const FINAL: readonly ProblemKind[] = ['no_right', 'plan', 'missing', 'input']

/**
 * Tells the events of a project as they arrive, until the signal aborts. It writes where it is into `place`,
 * so a later call with the same one goes on from there. Without a free stream it asks every few seconds.
 */
export async function followEvents(
  { project, place }: { project: string; place: Place },
  { got, connected }: Listener,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 0; !signal.aborted; ) {
    try {
      const go = place.way === 'stream' ? readStream : readOnce
      await go({ project, place, got }, signal, () => {
        connected(true)
        tries = 0
      })
      // A stream ends by itself too, and then goes on from its last event.
      await pause(place.way === 'poll' ? POLL_MS : FIRST_RETRY_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Problem && error.code === 'STREAM_LIMIT') {
        place.way = 'poll'
        continue
      }
      connected(false)
      if (error instanceof Problem && FINAL.includes(error.kind)) return
      await pause(Math.min(FIRST_RETRY_MS * 2 ** tries, LAST_RETRY_MS), signal)
      tries += 1
    }
  }
}

type Reading = { project: string; place: Place; got: Listener['got'] }

/** One answer of GET /live with what came since. */
async function readOnce({ project, place, got }: Reading, signal: AbortSignal, opened: () => void) {
  const { data } = await send(call('GET /live', { project, after: place.cursor }), signal)
  opened()
  place.cursor = data.cursor
  got(data.recent_events.toReversed())
}

/** One connection of GET /stream, until it ends. */
async function readStream({ project, place, got }: Reading, signal: AbortSignal, opened: () => void) {
  const headers = {
    ...(await credential()),
    ...(place.lastId !== null && { 'Last-Event-ID': place.lastId }),
  }
  const path = `/stream?${new URLSearchParams({ project })}`
  const response = await fetch(path, { headers, signal }).catch(error => {
    throw signal.aborted ? error : new Problem('restarting', 'NO_ANSWER', String(error))
  })
  if (!response.ok || response.body === null)
    throw problemOf(response.status, await response.json().catch(() => null))
  opened()
  for await (const blocks of streamBlocks(response.body)) {
    place.lastId = blocks.findLast(({ id }) => id !== null)?.id ?? place.lastId
    const events = blocks.filter(({ event }) => event === 'track')
    if (events.length > 0) got(events.map(({ data }) => JSON.parse(data) as EventRow))
  }
}

/** Waits, or less where the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
