import { record } from '@rrweb/record'
import { createFloodBudget } from './flood-budget.ts'
import { EventType, type RecordedEvent, Source } from './masking/events.ts'

import { createMasker, type MaskerOptions } from './masking/masker.ts'
import { isMaskedHere, isMaskedInPage, isPartOfSecret, joinSelectors, readFocused } from './page-masks.ts'

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
}

/** Why a recording has ended. */
export type EndReason = 'stopped' | 'too_many_bytes' | 'too_long' | 'too_many_nodes'

export type Sink = {
  /** Takes an event as JSON, in the order of the events. */
  write(event: string): void
  /** Called once. */
  end(reason: EndReason): void
}

/** The recorder shows no pixels that a page draws, and nothing that it plays. */
const NOT_RECORDED = ['[data-aa-block]', 'canvas', 'video', 'audio', 'object', 'embed']
/** The event that says that changes are left out until the next snapshot. */
export const GAP = 'aa-gap'
/** Positions of the pointer are recorded this often, ms. */
const POINTER_MS = 100

/**
 * Records the page and writes masked events to the sink, until a limit or the returned function ends it.
 * Nothing that was not masked leaves this function. Throws for a selector that the browser does not know,
 * before anything is recorded.
 */
export function startRecorder(settings: RecorderSettings, sink: Sink): () => void {
  const { preset, limits } = settings
  const maskSelector = joinSelectors(['[data-aa-mask]', ...settings.maskSelectors])
  const blockSelector = joinSelectors([...NOT_RECORDED, ...settings.blockSelectors])
  const ignoreSelector = joinSelectors(['[data-aa-ignore]', ...settings.ignoreSelectors])
  const encoder = new TextEncoder()
  let bytes = 0
  let hasEnded = false
  let stopRecord: (() => void) | undefined
  /** Runs while changes are left out. */
  let gap: ReturnType<typeof setTimeout> | null = null
  const budget = createFloodBudget(limits, () => performance.now())

  const maskEvent = createMasker({
    preset,
    isMaskedHere: id => isMaskedHere(record.mirror.getNode(id), maskSelector),
    isMasked: id => isMaskedInPage(record.mirror.getNode(id), maskSelector),
    isPartOfSecret: id => isPartOfSecret(record.mirror.getNode(id)),
    readTyped() {
      const focused = readFocused()
      return focused && { id: record.mirror.getId(focused.element), text: focused.text }
    },
  })

  function end(reason: EndReason): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(timer)
    if (gap) clearTimeout(gap)
    stopRecord?.()
    sink.end(reason)
  }

  function emit(event: RecordedEvent): void {
    if (hasEnded) return
    // Also in a gap, because the masker must know what was typed.
    const masked = !gap || event.data?.source === Source.Input ? maskEvent(event) : null
    if (!masked || gap) return
    const json = JSON.stringify(masked)
    const size = encoder.encode(json).length
    if (masked.type === EventType.Incremental && !budget.take(size)) beginGap(event.timestamp)
    else write(json, size)
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
  function beginGap(timestamp: number): void {
    const json = JSON.stringify({ type: EventType.Custom, timestamp, data: { tag: GAP, payload: {} } })
    gap = setTimeout(() => {
      gap = null
      record.takeFullSnapshot()
    }, budget.msUntilHalf())
    write(json, json.length)
  }

  const timer = setTimeout(() => end('too_long'), limits.maxDurationMs)
  const nodes = document.getElementsByTagName('*').length
  if (nodes > limits.maxNodes) {
    end('too_many_nodes')
    return () => {}
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
    // An error of rrweb stays inside: the page must not see it.
    errorHandler: () => true,
  })
  // A limit may have ended it while the first snapshot was made.
  if (hasEnded) stopRecord?.()
  return () => end('stopped')
}
