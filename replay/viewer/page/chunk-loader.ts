import type { Added, Mark } from '#replay/viewer/stage/recording'
import type { Stage } from '#replay/viewer/stage/stage'
import type { ReplayChunk } from '#schemas/replays'
import type { ViewerApi } from './viewer-api.ts'

export type LoaderHandlers = {
  /** Called after each chunk, and when the last one is there. */
  onLoaded(loaded: Loaded): void
  onError(error: unknown): void
}

export type Loaded = {
  /** Until when the recording can be played, Unix ms; Infinity when all of it is there. */
  until: number
  isReady: boolean
  isFull: boolean
  marks: readonly Mark[]
  activity: readonly number[]
  leftOut: Added['leftOut']
}

/**
 * Loads chunks in their order, as far as they are needed: changes mean nothing without those before them. One
 * request runs ahead. Numbers that are missing, and chunks that are damaged, become gaps.
 */
export function createChunkLoader(
  chunks: readonly ReplayChunk[],
  { api, stage }: { api: Pick<ViewerApi, 'chunk'>; stage: Pick<Stage, 'add' | 'skip' | 'end'> },
  { onLoaded, onError }: LoaderHandlers,
) {
  const sorted = [...chunks].sort((a, b) => a.index - b.index)
  const loaded: Loaded & { marks: Mark[]; activity: number[] } = {
    until: 0,
    isReady: false,
    isFull: false,
    marks: [],
    activity: [],
    leftOut: { images: 0, fonts: 0, sheets: 0 },
  }
  let next = 0
  let wanted = 0
  let ahead: { index: number; text: Promise<string | null> } | null = null
  let isRunning = false

  function read(at: number): Promise<string | null> {
    const chunk = sorted[at]!
    const text = ahead?.index === chunk.index ? ahead.text : api.chunk(chunk.index)
    const following = sorted[at + 1]
    ahead = following ? { index: following.index, text: api.chunk(following.index) } : null
    // Whoever waits for it hears of its failure.
    ahead?.text.catch(() => {})
    return text
  }

  async function loadNext(): Promise<void> {
    const chunk = sorted[next]!
    const before = sorted[next - 1]
    if (chunk.index !== (before?.index ?? -1) + 1) stage.skip(before?.to ?? chunk.from)
    const text = await read(next)
    next++
    if (text === null) {
      stage.skip(chunk.from)
      return
    }
    const { marks, activity, until, isReady, isFull, leftOut } = stage.add(text)
    loaded.marks.push(...marks)
    for (const at of activity) loaded.activity.push(at)
    Object.assign(loaded, { isReady, isFull, leftOut, until: until ?? loaded.until })
    if (isFull) next = sorted.length
  }

  async function run(): Promise<void> {
    isRunning = true
    try {
      while (next < sorted.length && (!loaded.isReady || loaded.until < wanted)) {
        await loadNext()
        if (next === sorted.length) finish()
        onLoaded(loaded)
      }
    } catch (error) {
      ahead = null
      onError(error)
    } finally {
      isRunning = false
    }
  }

  function finish(): void {
    const { gap, isReady } = stage.end()
    if (gap) loaded.marks.push(gap)
    Object.assign(loaded, { isReady, until: Number.POSITIVE_INFINITY })
  }

  return {
    /** Loads until this time can be played, Unix ms. After an error it tries again. */
    need(at: number): void {
      wanted = Math.max(wanted, at)
      if (!isRunning) void run()
    },
    has: (at: number) => loaded.isReady && loaded.until >= at,
  }
}

export type ChunkLoader = ReturnType<typeof createChunkLoader>
