import { setTimeout as sleep } from 'node:timers/promises'
import type { Chunk } from '#core/live/buffer'
import { lineLength, toLiveEvents, toParsed, type WrittenLiveRecord } from '#core/live/chunk'
import { type ChunkFeed, MAX_WAITING_BYTES } from '#core/live/new-chunks'
import type { Now } from '#core/ports'

/** What the thread of the requests says about the projects that have open streams. */
export type FollowCommand = { kind: 'follow' | 'unfollow'; projectId: string }

/**
 * `following`: chunks that are written from now on come, and earlier ones may be missing. `chunk`: a chunk of
 * a followed project.
 */
export type FeedMessage =
  | { kind: 'following'; projectId: string }
  | { kind: 'chunk'; projectId: string; chunk: Chunk; bytes: number }

/**
 * Events of one message, and the pause after it, ms. Requests are served in between: 40 events for ten
 * streams take about 1 ms in the thread of the requests.
 */
const MESSAGE_EVENTS = 40
const PAUSE_MS = 15
/** Of more waiting messages this share is sent at once, so that they never wait for long. */
const BURST_SHARE = 0.1
/**
 * The end of the feed in the pipeline thread. The live consumer calls `send` when its records are in the
 * buffer, so a stream can go on after every event that it has sent.
 */
export function createFeedSender(
  post: (message: FeedMessage) => void,
  clock: Now,
  maxWaitingBytes = MAX_WAITING_BYTES,
) {
  const followed = new Set<string>()
  let waiting: FeedMessage[] = []
  let isSending = false

  async function sendWaiting(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.length > 0) {
      const count = Math.ceil(waiting.length * BURST_SHARE)
      for (const message of waiting.slice(0, count)) post(message)
      waiting = waiting.slice(count)
      await sleep(PAUSE_MS)
    }
    isSending = false
  }

  function receive({ kind, projectId }: FollowCommand): void {
    if (kind === 'unfollow') followed.delete(projectId)
    else {
      followed.add(projectId)
      post({ kind: 'following', projectId })
    }
  }

  function send(shard: string, records: ReadonlyMap<string, readonly WrittenLiveRecord[]>): void {
    const stamp = clock.now()
    for (const projectId of followed) {
      const ofProject = records.get(projectId) ?? []
      if (ofProject.length > 0) add(projectId, shard, stamp, ofProject)
    }
    void sendWaiting()
  }

  function add(projectId: string, shard: string, stamp: number, records: readonly WrittenLiveRecord[]): void {
    const bytes = lineLength(records)
    const waitingBytes = waiting.reduce((sum, each) => sum + (each.kind === 'chunk' ? each.bytes : 0), 0)
    if (waitingBytes + bytes > maxWaitingBytes) {
      // Nothing of the project is lost: its streams then read the buffer.
      waiting = waiting.filter(each => each.projectId !== projectId)
      waiting.push({ kind: 'following', projectId })
      return
    }
    const events = records.flatMap(record => toLiveEvents(toParsed(record)))
    const messages = Math.ceil(events.length / MESSAGE_EVENTS)
    for (let at = 0; at < events.length; at += MESSAGE_EVENTS) {
      const chunk = { key: '', shard, stamp, events: events.slice(at, at + MESSAGE_EVENTS) }
      waiting.push({ kind: 'chunk', projectId, chunk, bytes: bytes / messages })
    }
  }

  return { receive, send }
}

/** The end of the feed in the thread of the requests. */
export function createFeedReceiver(post: (command: FollowCommand) => void) {
  type Listener = Parameters<ChunkFeed['follow']>[1]
  const listeners = new Map<string, Set<Listener>>()

  const follow: ChunkFeed['follow'] = (projectId, listener) => {
    const ofProject = listeners.get(projectId) ?? new Set()
    listeners.set(projectId, ofProject.add(listener))
    // The response to this command is `following`, also when the project is followed already.
    post({ kind: 'follow', projectId })
    return () => {
      if (!ofProject.delete(listener) || ofProject.size > 0) return
      listeners.delete(projectId)
      post({ kind: 'unfollow', projectId })
    }
  }

  function receive(message: FeedMessage): void {
    for (const { onChunk, onGap } of listeners.get(message.projectId) ?? []) {
      if (message.kind === 'chunk') onChunk(message.chunk, message.bytes)
      else onGap()
    }
  }

  /** The pipeline thread has started again, and follows no project yet. */
  function restart(): void {
    for (const projectId of listeners.keys()) post({ kind: 'follow', projectId })
  }

  return { follow, receive, restart }
}
