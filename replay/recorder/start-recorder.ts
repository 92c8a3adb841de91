import { record } from '@rrweb/record'
import { EventType, type RecordedEvent, Source } from '#replay/masking/events'
import { createMasker, type MaskerOptions } from '#replay/masking/masker'
import { createFloodBudget } from './flood-budget.ts'
import { guard } from './guard.ts'
import {
  isBlockedInPage,
  isLong,
  isMaskedHere,
  isMaskedInPage,
  isPartOfSecret,
  joinSelectors,
  readFields,
  readFocused,
} from './page-masks.ts'
import { plainJson } from './plain-json.ts'
import { createSlices } from './slices.ts'

export type RecorderSettings = {
  preset: MaskerOptions['preset']
  /** Selectors of the project, beside `data-aa-mask`, `data-aa-block` and `data-aa-ignore`. */
  maskSelectors: readonly string[]
  blockSelectors: readonly string[]
  ignoreSelectors: readonly string[]
  limits: RecorderLimits
}

export type RecorderLimits = {
  /** Bytes of a recording, before compression. */
  maxBytes: number
  maxDurationMs: number
  /** Elements of the page. The first snapshot is one task of the browser, whose time grows with them. */
  maxNodes: number
  /**
   * Bytes that changes of the page may write at once, and on average. What is above is left out, and a new
   * snapshot follows.
   */
  burstBytes: number
  bytesPerSecond: number
  /** How long a page that changes without end may take until its first picture is whole, ms. */
  pictureMs: number
}

/** Why a recording has ended. */
export type EndReason = 'stopped' | 'too_many_bytes' | 'too_long' | 'too_many_nodes'

export type Sink = {
  /** Takes an event as JSON, in the order of the events. */
  write(event: string): void
  /** Called when what was written should be sent soon: without a snapshot the rest cannot be played. */
  flush?(): void
  /** Called once. */
  end(reason: EndReason): void
}

/** The recorder shows no pixels that a page draws, and nothing that it plays. */
const NOT_RECORDED = ['[data-aa-block]', 'canvas', 'video', 'audio', 'object', 'embed']
/**
 * Events of ours: changes are left out until the next snapshot, why the recording has ended, and that the
 * user has left the page.
 */
export const GAP = 'aa-gap'
export const END = 'aa-end'
export const LEFT = 'aa-left'
/** Positions of the pointer are recorded this often, ms. */
const POINTER_MS = 100
/**
 * Lists of adopted style sheets are compared this often, ms: no browser says when a page changes one, and a
 * thousand of them take 0.3 ms.
 */
const ADOPTED_MS = 100
/** What changes the page. All else is what the user does, and the size of the window. */
const PAGE_CHANGES: ReadonlySet<unknown> = new Set([
  Source.Mutation,
  Source.StyleSheetRule,
  Source.StyleDeclaration,
  Source.AdoptedStyleSheet,
])

export type Recorder = {
  stop(reason?: EndReason): void
  /**
   * The tab is hidden, or the page is gone. The user has seen it until now, also if nothing happened. A page
   * that was hidden before it is gone was not seen any more.
   */
  leave(isGone: boolean): void
}

/**
 * Records the page and writes masked events to the sink, until a limit or `stop` ends it. Nothing that was
 * not masked leaves this function. Throws for a selector that the browser does not know, before anything is
 * recorded.
 */
export function startRecorder(settings: RecorderSettings, sink: Sink): Recorder {
  const { preset, limits } = settings
  const maskSelector = joinSelectors(['[data-aa-mask]', ...settings.maskSelectors])
  const blockSelector = joinSelectors([...NOT_RECORDED, ...settings.blockSelectors])
  const ignoreSelector = joinSelectors(['[data-aa-ignore]', ...settings.ignoreSelectors])
  const encoder = new TextEncoder()
  let bytes = 0
  /** The time of the last snapshot, Unix ms; 0 before the first one. */
  let pictureAt = 0
  /** What the user does while parts of the snapshot are missing. */
  let held: [json: string, size: number][] = []
  let address = location.href
  let hasEnded = false
  let stopRecord: (() => void) | undefined
  /** Runs while changes are left out: before the first snapshot, and after a flood. */
  let gap: ReturnType<typeof setTimeout> | null = null
  const budget = createFloodBudget(limits, () => performance.now())

  const slices = createSlices(
    node => isBlockedInPage(node, blockSelector),
    () => {
      release()
      sink.flush?.()
    },
  )
  const masked = askOnce(id => isMaskedInPage(record.mirror.getNode(id), maskSelector))
  const blocked = askOnce(id => isBlockedInPage(record.mirror.getNode(id), blockSelector))

  const maskEvent = createMasker({
    preset,
    isMaskedHere: id => isMaskedHere(record.mirror.getNode(id), maskSelector),
    isMasked: masked.ask,
    isBlocked: blocked.ask,
    isPartOfSecret: id => isPartOfSecret(record.mirror.getNode(id)),
    isLong: id => isLong(record.mirror.getNode(id)),
    readFields,
    readTyped() {
      const focused = readFocused()
      return focused && { id: record.mirror.getId(focused.element), text: focused.text }
    },
  })

  function end(reason: EndReason): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(timer)
    clearInterval(adoptedTimer)
    if (gap) clearTimeout(gap)
    slices.stop()
    stopRecord?.()
    release()
    writeOwn(END, { reason })
    sink.end(reason)
  }

  function emit(event: RecordedEvent): void {
    if (hasEnded) return
    // A snapshot, its parts and what the page changes meanwhile belong to one moment, so that a player shows
    // the whole page at once. What the user does has its time, and comes after them.
    const isPartial =
      slices.isPartial() &&
      event.type === EventType.Incremental &&
      event.timestamp < pictureAt + limits.pictureMs
    const isHeld = isPartial && !PAGE_CHANGES.has(event.data.source)
    if (isPartial && !isHeld) event.timestamp = pictureAt
    if (!isPartial) release()
    if (!isHeld) noteAddress(event)
    // Also in a gap, because the masker must know what was typed.
    const clean = !gap || event.data?.source === Source.Input ? maskEvent(event) : null
    masked.forget()
    blocked.forget()
    if (!clean || gap) return
    if (clean.type === EventType.FullSnapshot) pictureAt = clean.timestamp
    const json = plainJson(clean)
    const size = encoder.encode(json).length
    const isChange = clean.type === EventType.Incremental && !slices.isOfSnapshot()
    if (isChange && !budget.take(size)) beginGap()
    else if (isHeld) held.push([json, size])
    else write(json, size)
    if (clean.type === EventType.FullSnapshot) sink.flush?.()
  }

  /** A route of a single-page application changes the address without a page. A snapshot has its own. */
  function noteAddress({ type, timestamp }: RecordedEvent): void {
    if (gap || type === EventType.Meta || location.href === address) return
    address = location.href
    const { innerWidth: width, innerHeight: height } = window
    const meta = maskEvent({ type: EventType.Meta, timestamp, data: { href: address, width, height } })
    const json = plainJson(meta)
    write(json, json.length)
  }

  function writeOwn(tag: string, payload: object): void {
    sink.write(ownEvent(tag, payload))
  }

  function release(): void {
    const released = held
    held = []
    for (const [json, size] of released) write(json, size)
  }

  function write(json: string, size: number): void {
    bytes += size
    if (bytes > limits.maxBytes) end('too_many_bytes')
    else sink.write(json)
  }

  /**
   * Leaves out changes until half of the budget is there again. Then a snapshot shows what has become of the
   * page.
   */
  function beginGap(): void {
    slices.stop()
    release()
    takeSnapshotIn(budget.msUntilHalf())
    writeOwn(GAP, {})
  }

  function takeSnapshotIn(ms: number): void {
    const take = guard(() => {
      gap = null
      slices.begin()
      record.takeFullSnapshot()
    })
    gap = setTimeout(take, ms)
  }

  const recorder: Recorder = {
    stop: (reason = 'stopped') => end(reason),
    leave(isGone) {
      if (hasEnded || !pictureAt) return
      if (!isGone || document.visibilityState !== 'hidden') held.push([ownEvent(LEFT, {}), 0])
      if (isGone || !slices.isPartial()) release()
    },
  }
  const timer = setTimeout(
    guard(() => end('too_long')),
    limits.maxDurationMs,
  )
  const adoptedTimer = setInterval(guard(record.compareAdopted), ADOPTED_MS)
  const nodes = document.getElementsByTagName('*').length
  if (nodes > limits.maxNodes) {
    end('too_many_nodes')
    return recorder
  }
  stopRecord = record({
    emit: event => emit(event as RecordedEvent),
    blockSelector,
    ignoreSelector,
    // Texts reach the masker as they are: it must know what was typed, to find it elsewhere.
    maskAllInputs: false,
    maskInputOptions: { password: false },
    inlineStylesheet: true,
    inlineImages: false,
    recordCanvas: false,
    recordCrossOriginIframes: false,
    collectFonts: false,
    slimDOMOptions: {
      comment: true,
      script: false,
      headFavicon: true,
      headMetaSocial: true,
      headMetaVerification: true,
    },
    sampling: { mousemove: POINTER_MS, scroll: POINTER_MS, media: POINTER_MS },
    // An error of rrweb stays inside: the page must not see it. What rrweb wraps for the page is not called
    // here (rrweb-in-slices.ts).
    errorHandler: () => true,
  })
  // A task of its own, so that the page can react between the two.
  takeSnapshotIn(0)
  return recorder
}

function ownEvent(tag: string, payload: object): string {
  return plainJson({ type: EventType.Custom, timestamp: Date.now(), data: { tag, payload } })
}

/** Remembers answers of the page while one event is masked: the page does not change meanwhile. */
function askOnce(question: (id: number) => boolean) {
  const answers = new Map<number, boolean>()
  return {
    ask(id: number): boolean {
      const known = answers.get(id)
      if (known !== undefined) return known
      const answer = question(id)
      answers.set(id, answer)
      return answer
    },
    forget: () => answers.clear(),
  }
}
