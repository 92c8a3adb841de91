import type { Stage } from '#replay/viewer/stage/stage'
import type { ChunkLoader } from './chunk-loader.ts'
import type { Range } from './ranges.ts'

export const SPEEDS = [0.5, 1, 2, 4, 8] as const
/** How much of the recording is loaded ahead of the player, ms. */
const AHEAD_MS = 120_000
/** A shorter pause is not worth a jump, ms. */
const MIN_JUMP_MS = 1_000

export type PlaybackState = {
  /** Unix ms. */
  at: number
  isPlaying: boolean
  isLoading: boolean
  speed: number
  skipsIdle: boolean
}

/**
 * Plays a recording from `from` to `to`, Unix ms. What it plays next is loaded first; it waits where it is
 * not there yet. `onChange` hears of every change, also of the time.
 */
export function createPlayback({
  stage,
  loader,
  from,
  to,
  idle,
  onChange,
}: {
  stage: Pick<Stage, 'play' | 'pause' | 'setSpeed' | 'now' | 'last' | 'isAtEnd'>
  loader: Pick<ChunkLoader, 'need' | 'has'>
  from: number
  to: number
  /** Where nothing happens, in the order of time. */
  idle(): readonly Range[]
  onChange(state: PlaybackState): void
}) {
  const state: PlaybackState = { at: from, isPlaying: false, isLoading: true, speed: 1, skipsIdle: true }
  /** The player of the recording runs. */
  let isRunning = false

  function change(next: Partial<PlaybackState>): void {
    Object.assign(state, next)
    onChange({ ...state })
  }

  function seek(at: number): void {
    const target = Math.min(Math.max(at, from), to)
    loader.need(target + AHEAD_MS)
    isRunning = false
    const isLoading = !loader.has(target)
    // A frame that is not there yet would be the last one of what is there.
    if (!isLoading) show(target)
    change({ at: target, isLoading })
  }

  function show(at: number): void {
    if (state.isPlaying && at < to) {
      stage.play(at)
      isRunning = true
    } else {
      stage.pause(at)
      isRunning = false
    }
  }

  /** Called for every frame, and when more was loaded. */
  function tick(): void {
    if (state.isLoading && loader.has(state.at)) {
      show(state.at)
      change({ isLoading: false })
    }
    if (!isRunning) return
    const at = Math.min(Math.max(stage.now() ?? state.at, state.at), to)
    loader.need(at + AHEAD_MS)
    const isPlayed = stage.isAtEnd() && at >= (stage.last() ?? to)
    const pause = state.skipsIdle && idle().find(range => range.from <= at && at < range.to - MIN_JUMP_MS)
    if (at >= to || (isPlayed && loader.has(to))) end()
    // The player stops at the last event that it has. It goes on when there are more.
    else if (!loader.has(at) || stage.isAtEnd()) {
      // Shown as it is: what comes of this time later is played when the player goes on.
      stage.pause()
      isRunning = false
      change({ at, isLoading: true })
    } else if (pause) seek(pause.to)
    else change({ at })
  }

  function end(): void {
    stage.pause(to)
    isRunning = false
    change({ at: to, isPlaying: false })
  }

  return {
    seek,
    tick,
    play(): void {
      const at = state.at >= to ? from : state.at
      change({ isPlaying: true })
      seek(at)
    },
    pause(): void {
      change({ isPlaying: false })
      if (isRunning) stage.pause(state.at)
      isRunning = false
    },
    setSpeed(speed: number): void {
      stage.setSpeed(speed)
      change({ speed })
    },
    skipIdle(skipsIdle: boolean): void {
      change({ skipsIdle })
    },
    state: (): Readonly<PlaybackState> => state,
  }
}

export type Playback = ReturnType<typeof createPlayback>
