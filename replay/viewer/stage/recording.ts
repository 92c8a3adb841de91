import { EventType, type RecordedEvent, Source } from '#replay/masking/events'
import { createSanitizer } from '#replay/viewer/sanitize/sanitizer'

/** Bytes of JSON, and events, of which a replay is played. Both bound the memory of the page. */
export const MAX_JSON_CHARS = 64 * 1_048_576
export const MAX_EVENTS = 500_000

/** Something to show beside the recording. Times are Unix ms. */
export type Mark =
  | { kind: 'page'; at: number; address: string }
  | { kind: 'click'; at: number }
  /** Changes were too many, or a part never came: until the next picture of the whole page. */
  | { kind: 'gap'; from: number; to: number | null }
  /** The recorder has ended here, for a reason that it names. */
  | { kind: 'end'; at: number; reason: string }

/** What the events of a chunk add to the recording. */
export type Added = {
  events: RecordedEvent[]
  marks: Mark[]
  /** When the user did something, Unix ms. */
  activity: number[]
  leftOut: { images: number; fonts: number; sheets: number }
  /** Whether the recording is longer than the viewer plays. */
  isFull: boolean
}

/**
 * By these events the recorder says that changes are left out until the next snapshot, and why it has ended.
 */
const GAP = 'aa-gap'
const END = 'aa-end'
/** By this one it says until when the user had the page before them. */
const LEFT = 'aa-left'
const CLICK = 2
const USER_SOURCES: ReadonlySet<unknown> = new Set([
  Source.MouseMove,
  Source.MouseInteraction,
  Source.Scroll,
  Source.Input,
  Source.TouchMove,
  Source.Drag,
])

/**
 * Reads the chunks of a recording in their order, and returns the events that can be played. After a part
 * that is missing, changes are meaningless until the next snapshot, so they are left out.
 */
export function createRecording() {
  const { sanitize, countLeftOut } = createSanitizer()
  let chars = 0
  let events = 0
  /** Time never runs backwards, whatever the clock of the page did. */
  let last = 0
  /** The size and address before a snapshot. The player seeks to them, so one never stands alone. */
  let meta: RecordedEvent | null = null
  let isWaiting = true
  let gap: (Mark & { kind: 'gap' }) | null = null
  let address: string | null = null

  function add(json: string): Added {
    chars += json.length
    const added: Added = { events: [], marks: [], activity: [], leftOut: countLeftOut(), isFull: false }
    const parsed = chars <= MAX_JSON_CHARS ? parse(json) : []
    events += parsed.length
    if (chars > MAX_JSON_CHARS || events > MAX_EVENTS) return { ...added, isFull: true }
    for (const raw of parsed) {
      const event = sanitize(raw)
      if (event === null) continue
      event.timestamp = last = Math.max(last, event.timestamp)
      take(event, added)
    }
    return { ...added, leftOut: countLeftOut() }
  }

  function take(event: RecordedEvent, { events, marks, activity }: Added): void {
    if (event.type === EventType.Meta) {
      meta = event
      return
    }
    if (event.type === EventType.FullSnapshot) {
      const before = meta ?? { type: EventType.Meta, timestamp: event.timestamp, data: SIZE }
      events.push({ ...before, timestamp: event.timestamp }, event)
      meta = null
      isWaiting = false
      endGap(event.timestamp, marks)
      arriveAt(before, event.timestamp, marks)
      return
    }
    if (event.type === EventType.Custom) {
      const { tag, payload } = event.data as { tag: string; payload: { reason?: unknown } }
      if (tag === GAP) beginGap(event.timestamp)
      if (tag === END) marks.push({ kind: 'end', at: event.timestamp, reason: String(payload.reason) })
      // The player plays until its last event, so until the visit has ended.
      if ((tag === END || tag === LEFT) && !isWaiting) events.push(event)
      return
    }
    if (isWaiting) return
    // A route of a single-page application has an address and no snapshot.
    if (meta) arriveAt(meta, meta.timestamp, marks)
    meta = null
    events.push(event)
    if (USER_SOURCES.has(event.data.source)) activity.push(event.timestamp)
    const { source, type } = event.data
    if (source === Source.MouseInteraction && type === CLICK) {
      marks.push({ kind: 'click', at: event.timestamp })
    }
  }

  function arriveAt({ data }: RecordedEvent, at: number, marks: Mark[]): void {
    const { href } = data as { href?: string }
    if (href && href !== address) marks.push({ kind: 'page', at, address: href })
    address = href ?? address
  }

  function beginGap(at: number): void {
    gap ??= { kind: 'gap', from: at, to: null }
  }

  function endGap(at: number, marks: Mark[]): void {
    if (gap !== null) marks.push({ ...gap, to: at })
    gap = null
  }

  return {
    add,
    /** A chunk is missing here. `from`: where the part that is missing begins, Unix ms. */
    skip(from: number): void {
      isWaiting = true
      meta = null
      beginGap(Math.max(last, from))
    },
    /** The gap that no snapshot has ended. */
    openGap: (): Mark | null => gap,
  }
}

const SIZE = { href: '', width: 1280, height: 720 }

function parse(json: string): unknown[] {
  try {
    const events: unknown = JSON.parse(json)
    return Array.isArray(events) ? events : []
  } catch {
    return []
  }
}
