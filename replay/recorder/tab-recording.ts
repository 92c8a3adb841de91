import { maskAddress } from '#replay/masking/addresses'
import { createChunks } from './chunks.ts'
import { guard } from './guard.ts'
import type { PageScripts } from './page-scripts.ts'
import type { ReplayConfig } from './replay-config.ts'
import { type EndReason, type Recorder, type RecorderLimits, startRecorder } from './start-recorder.ts'
import { createTabState, type TabReplay } from './tab-state.ts'
import { createTrackerValues } from './tracker-values.ts'
import { createUploads } from './uploads.ts'

/** How often the recorder looks whether the session has begun or ended, and for an opt-out, ms. */
const CHECK_MS = 1_000
/**
 * How long a page that comes back waits for the end of the page that it replaces, and how often it looks, ms.
 */
const HAND_OVER_MS = 2_000
const HAND_OVER_CHECK_MS = 50
/** A part of the bytes of a replay stays free for its last chunk, which says why it ends. */
const BYTES_SHARE = 0.98
/** What one page may write, before compression. */
const PAGE_LIMITS: Omit<RecorderLimits, 'maxDurationMs'> = {
  maxBytes: 30_000_000,
  maxNodes: 50_000,
  burstBytes: 1_000_000,
  bytesPerSecond: 25_000,
  // A page of 20,000 elements takes less on a slow phone.
  pictureMs: 5_000,
}

type Current = {
  replay: TabReplay
  stop(reason: EndReason): void
  leave(isGone: boolean): void
  discard(): void
}

/**
 * Records the sessions of the tracker in this tab. A replay goes on over the pages of its session, until it
 * has its time or its bytes. Nothing is recorded or sent while the user has opted out or must consent.
 */
export function recordTab(
  { token, endpoint, isOn }: PageScripts,
  config: ReplayConfig,
  tab: ReturnType<typeof createTabState> = createTabState(token),
) {
  const tracker = createTrackerValues({ token, isOn })
  const uploads = createUploads({
    endpoint,
    token,
    tab,
    maxBytes: config.limits.max_bytes * BYTES_SHARE,
    onRefused: replay => current?.replay === replay && end(current, null),
    onFull: replay => current?.replay === replay && end(current, 'too_many_bytes'),
  })
  let current: Current | null = null
  /** The page is in the cache of the browser, and another one may be recording. */
  let isAway = false
  /** Unix ms. */
  let waitsUntil = 0

  function check(): void {
    // A page that is not parsed yet changes all the time.
    if (isAway || document.readyState === 'loading') return
    const isHeld = tracker.isHeld() || (config.recording_start === 'after_consent' && !tab.hasConsent())
    if (isHeld) {
      if (current) discard(current)
      return
    }
    const session = tracker.session()
    if (session === null || session === current?.replay.session_id) return
    if (current) end(current, 'stopped')
    begin(session)
  }

  function begin(session: string): void {
    const known = tab.read()
    const isOfSession = known?.session_id === session
    if (isOfSession && known.hasEnded) return
    const now = Date.now()
    // Browsers show a page from their cache before they tell the page that it replaces. That one still has
    // the replay, and chunks to hand over.
    if (isOfSession && known.isOpen && now < waitsUntil) {
      setTimeout(guard(check), HAND_OVER_CHECK_MS)
      return
    }
    const isGoingOn = isOfSession && !known.isOpen && now < known.started_at + config.limits.max_duration_ms
    const user_id = tracker.userId()
    const replay: TabReplay = isGoingOn
      ? known
      : {
          session_id: session,
          start_id: randomId(),
          started_at: now,
          ...(user_id && { user_id }),
          url: maskAddress(location.href, false),
          ...{ id: null, chunks: 0, bytes: 0, hasEnded: false, isOpen: false },
        }
    replay.isOpen = true
    tab.write(replay)
    uploads.takeOver(replay)
    record(replay)
  }

  function record(replay: TabReplay): void {
    const add = (events: string, isLast: boolean) => {
      const item = { replay, user_id: tracker.userId(), index: replay.chunks++, events, isLast }
      tab.write(replay)
      uploads.add(item)
    }
    let isLast = false
    let isDone = false
    const chunks = createChunks(events => add(events, isLast))
    let recorder: Recorder | null = null
    current = {
      replay,
      leave: isGone => {
        recorder?.leave(isGone)
        chunks.flush()
      },
      stop: reason => {
        isLast = true
        recorder?.stop(reason)
        chunks.flush()
      },
      discard: () => {
        isDone = true
        recorder?.stop()
        chunks.clear()
      },
    }
    const own = current
    const { mask_text, mask_selectors, block_selectors, ignore_selectors, limits } = config
    const maxDurationMs = replay.started_at + limits.max_duration_ms - Date.now()
    recorder = startRecorder(
      {
        preset: mask_text ? 'text' : 'inputs',
        maskSelectors: mask_selectors,
        blockSelectors: block_selectors,
        ignoreSelectors: ignore_selectors,
        limits: { ...PAGE_LIMITS, maxDurationMs },
      },
      {
        write: event => {
          if (!isDone) chunks.add(event)
        },
        flush: chunks.flush,
        end: reason => {
          isLast = true
          if (current === own && !isDone) end(own, reason)
        },
      },
    )
  }

  /** Ends a replay. Without a reason the service refused it: nothing of it is sent. */
  function end(ended: Current, reason: EndReason | null): void {
    current = null
    const { replay } = ended
    if (reason === null) ended.discard()
    else ended.stop(reason)
    replay.hasEnded = true
    replay.isOpen = false
    tab.write(replay)
    if (reason !== null) uploads.add({ replay, index: replay.chunks, isFinish: true })
  }

  /** The user has opted out, or has taken the consent back: nothing more of the replay leaves the page. */
  function discard(discarded: Current): void {
    current = null
    discarded.discard()
    uploads.drop(discarded.replay)
    tab.write(null)
    tab.writeUnsent([])
  }

  function leave(isGone: boolean): void {
    // A page that is left is hidden after that. What it could not send is the next page's already.
    if (isAway) return
    current?.leave(isGone)
    uploads.leave(isGone, isGone ? current?.replay : null)
    // Last: a page of another process goes on as soon as it reads this, and takes what is kept unsent.
    if (isGone && current) {
      current.replay.isOpen = false
      tab.write(current.replay)
    }
    // In the cache of the browser the page is still, but it does not change. It begins anew when it is shown.
    if (isGone) {
      isAway = true
      current?.discard()
      current = null
    }
  }

  function comeBack(): void {
    isAway = false
    waitsUntil = Date.now() + HAND_OVER_MS
    check()
  }

  const leaveHidden = () => document.visibilityState === 'hidden' && leave(false)
  addEventListener('visibilitychange', guard(leaveHidden))
  addEventListener(
    'pagehide',
    guard(() => leave(true)),
  )
  addEventListener(
    'pageshow',
    guard(event => event.persisted && comeBack()),
  )
  addEventListener('online', guard(uploads.retry))
  setInterval(guard(check), CHECK_MS)
  guard(check)()

  return {
    check: guard(check),
    /** Ends the recording of this session. */
    stop: guard(() => {
      if (current) end(current, 'stopped')
    }),
  }
}

/** 96 random bits: the id of a replay is made of it. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')
}
