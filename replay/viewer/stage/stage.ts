import { Replayer } from '@rrweb/replay'
import type { RecordedEvent } from '#replay/masking/events'
import { BOX, LEFT_OUT } from '#replay/viewer/sanitize/sanitize-nodes'
import { type Added, createRecording, type Mark } from './recording.ts'

/** What the page of the controls calls. Times are Unix ms. */
export type Stage = {
  /**
   * Takes the events of the next chunk, as JSON. The moment of the last event is not played before a later
   * event or `end`, because more of it may follow: the recorder adds the parts of a snapshot with its time.
   * `until`: up to here the recording can be played, null before the first picture.
   */
  add(json: string): Omit<Added, 'events'> & { until: number | null; isReady: boolean }
  /** Says that chunks are missing here. */
  skip(from: number): void
  /** Says that there are no more chunks. `gap`: the one that no snapshot has ended. */
  end(): { gap: Mark | null; isReady: boolean }
  play(at: number): void
  /** Without a time the player stops where it is. */
  pause(at?: number): void
  setSpeed(speed: number): void
  /** Where the player is, or null before the first snapshot. */
  now(): number | null
  /** Whether the player has stopped, because it had played all that it had. */
  isAtEnd(): boolean
  /** The time of the last event that it has. */
  last(): number | null
  /** How many events could not be shown. */
  broken(): number
}

declare global {
  interface Window {
    /** Called by the page of the controls when this document is there. */
    openStage?(handlers: StageHandlers): Stage
  }
}

export type StageHandlers = { onSize(size: { width: number; height: number }): void }

const STYLES = [
  `${LEFT_OUT}{display:none!important}`,
  `${BOX}{display:inline-block;background:repeating-linear-gradient(45deg,#8883 0 8px,#8881 8px 16px);outline:1px dashed #888}`,
  'img:not([src]){background:#8882;outline:1px dashed #8888;outline-offset:-1px;min-width:8px;min-height:8px}',
  // Nothing here answers to the pointer or the keyboard.
  '*{cursor:default!important}',
]
/** All the markup that rrweb ever writes: it makes a document one in quirks mode. */
const DOCTYPE = /^<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD (XHTML 1|HTML 4)\.0 Transitional\/\/EN" "">$/
const POINTER_TRAIL = { duration: 400, lineWidth: 3, strokeStyle: '#d6336c' }

/**
 * The document that shows the recorded page. Its policy lets it ask nobody for anything, and the page that
 * has the secret of the replay is another document, which sees no part of the recording as elements.
 */
window.openStage = ({ onSize }) => {
  const recording = createRecording()
  let player: Replayer | null = null
  /** Whole moments, which the player has when there is one. */
  let whole: RecordedEvent[] = []
  /** The events of the last moment, as far as they are known. */
  let open: RecordedEvent[] = []
  let first = 0
  let last: number | null = null
  let isFinished = false
  let broken = 0
  let speed = 1

  /**
   * A player begins with all that is there. What it gets later it takes a moment later, and shows it only
   * when its time comes.
   */
  function start(events: RecordedEvent[]): Replayer {
    first = events[0]!.timestamp
    const started = new Replayer(events, {
      root: document.body,
      speed,
      mouseTail: POINTER_TRAIL,
      insertStyleRules: STYLES,
      triggerFocus: false,
      showWarning: false,
      loadTimeout: 0,
    })
    guard(started, 'applyIncremental')
    guard(started, 'rebuildFullSnapshot')
    started.on('resize', onSize)
    started.on('finish', () => {
      isFinished = true
    })
    const { iframe } = started
    allowDoctypes(iframe.contentWindow)
    iframe.title = 'The recorded page'
    // No key reaches the recorded page either. Its texts are for eyes alone: what happens is in the list.
    iframe.inert = true
    iframe.tabIndex = -1
    return started
  }

  /** One event that contradicts the others must not end the replay. */
  function guard(started: Replayer, name: 'applyIncremental' | 'rebuildFullSnapshot'): void {
    const run = started[name].bind(started)
    started[name] = (event: RecordedEvent, isSync?: boolean) => {
      try {
        run(event, isSync === true)
      } catch {
        broken++
      }
    }
  }

  function addWhole(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (player === null) whole.push(event)
      else player.addEvent(event)
    }
  }

  /** Null: there is no picture yet. rrweb needs two events, and a picture has two. */
  function opened(): Replayer | null {
    if (player === null && isReady()) {
      player = start(whole)
      whole = []
    }
    return player
  }
  const isReady = () => player !== null || whole.length >= 2

  /** The player shows what was before a time, so the first frame comes 1 ms after its snapshot. */
  const offsetOf = (at: number) => Math.max(0, at - first) + 1

  return {
    add(json) {
      const { events, ...added } = recording.add(json)
      const known = [...open, ...events]
      last = known.at(-1)?.timestamp ?? last
      open = known.filter(({ timestamp }) => timestamp === last)
      addWhole(known.slice(0, known.length - open.length))
      return { ...added, until: isReady() && last !== null ? last - 1 : null, isReady: isReady() }
    },
    skip: recording.skip,
    end() {
      addWhole(open)
      open = []
      return { gap: recording.openGap(), isReady: isReady() }
    },
    play(at) {
      isFinished = false
      opened()?.play(offsetOf(at))
    },
    pause(at) {
      isFinished = false
      if (at === undefined) player?.pause()
      else opened()?.pause(offsetOf(at))
    },
    setSpeed(next) {
      speed = next
      player?.setConfig({ speed })
    },
    now: () => player && first + player.getCurrentTime(),
    isAtEnd: () => isFinished,
    last: () => last,
    broken: () => broken,
  }
}

type TrustedWindow = {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string }): unknown }
}

/** The policy of the document refuses every text that a browser would parse or run, except these. */
function allowDoctypes(frame: Window | null): void {
  const { trustedTypes } = (frame ?? {}) as TrustedWindow
  trustedTypes?.createPolicy('default', { createHTML: text => (DOCTYPE.test(text) ? text : '') })
}
