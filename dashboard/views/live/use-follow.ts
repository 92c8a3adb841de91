import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '#dashboard/answers'
import { type Answer, type Call, call, send } from '#dashboard/api'
import type { EventRow } from '#dashboard/parts/timeline.tsx'
import { followEvents, type Place } from './follow-events.ts'

type Live = Answer<'GET /live'>

/** Events that the list keeps; the oldest go. */
export const MAX_EVENTS = 100
/** How often the numbers are asked again, ms. */
const NUMBERS_MS = 15_000
/**
 * A stream without an earlier event begins when it is opened. An answer of GET /live has what came before it
 * after this, ms.
 */
const CATCH_UP_MS = 2_500
/** How often the list is drawn again at most, ms: a busy site has more events than anybody can read. */
const DRAW_MS = 250

export type Followed = { events: readonly EventRow[]; isConnected: boolean }

type Options = {
  project: string
  /** The call that `latest` answers. */
  numbers: Call<Live>
  /** The latest answer; undefined before the first. */
  latest: Live | undefined
  isPaused: boolean
}

/**
 * The newest events, newest first, while the page is visible and not paused, and the numbers asked again. It
 * goes on where it was, so what came meanwhile is added as long as the service keeps it.
 */
export function useFollow({ project, numbers, latest, isPaused }: Options): Followed {
  const [events, setEvents] = useState<readonly EventRow[]>([])
  const [isConnected, setConnected] = useState(true)
  const place = useRef<Place | null>(null)
  const isVisible = useIsVisible()
  const isOn = latest !== undefined && !isPaused && isVisible

  useEffect(() => {
    if (!isOn || latest === undefined) return
    const { follow: way, cursor, recent_events } = latest
    place.current ??= { way, cursor, lastId: recent_events[0]?.id ?? null }
    const { current } = place
    const stop = new AbortController()
    let arrived: EventRow[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer = undefined
      const newest = arrived.toReversed()
      arrived = []
      setEvents(known => merged(newest, known))
    }
    const got = (more: readonly EventRow[]) => {
      arrived = [...arrived, ...more].slice(-MAX_EVENTS)
      timer ??= setTimeout(draw, DRAW_MS)
    }
    const cursorBefore = current.cursor
    const readMissed = async () => {
      const { data } = await send(call('GET /live', { project, after: cursorBefore }), stop.signal)
      setEvents(known => withOlder(known, data.recent_events))
    }
    let catchUp: ReturnType<typeof setTimeout> | undefined
    const connected = (isNow: boolean) => {
      setConnected(isNow)
      // The numbers have the newest ten of them anyway.
      if (isNow && current.lastId === null)
        catchUp ??= setTimeout(() => readMissed().catch(() => {}), CATCH_UP_MS)
    }
    followEvents({ project, place: current }, { got, connected }, stop.signal)
    return () => {
      stop.abort()
      clearTimeout(catchUp)
      clearTimeout(timer)
      if (arrived.length > 0) draw()
    }
  }, [project, isOn])

  // The first events, and what a stream has not told.
  useEffect(() => {
    if (isOn && latest !== undefined) setEvents(known => merged(latest.recent_events, known))
  }, [latest, isOn])

  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => ask(numbers, 0), NUMBERS_MS)
    return () => clearInterval(timer)
  }, [numbers.path, JSON.stringify(numbers.values), isOn])

  return { events, isConnected }
}

/** Newest first, each once: an event may come twice with the same id. */
function merged(newest: readonly EventRow[], known: readonly EventRow[]): readonly EventRow[] {
  const ids = new Set(known.map(({ id }) => id))
  const added = newest.filter(({ id }) => !ids.has(id) && ids.add(id))
  return added.length === 0 ? known : [...added, ...known].slice(0, MAX_EVENTS)
}

/** The events of before the stream, behind those that it has told. */
function withOlder(known: readonly EventRow[], older: readonly EventRow[]): readonly EventRow[] {
  const ids = new Set(known.map(({ id }) => id))
  return [...known, ...older.filter(({ id }) => !ids.has(id))].slice(0, MAX_EVENTS)
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}
