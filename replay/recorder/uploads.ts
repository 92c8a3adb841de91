import { compress } from './compress.ts'
import { plainJson } from './plain-json.ts'
import type { TabReplay, TabState, Unsent } from './tab-state.ts'

/** Waits between attempts, ms. */
const FIRST_WAIT_MS = 2_000
const MAX_WAIT_MS = 60_000
/** The limit of browsers for all requests that outlive a page is 64 KiB. */
const KEEPALIVE_BYTES = 60_000
/** A recording whose chunks nobody takes ends at this size, in characters. */
const MAX_WAITING_CHARS = 8_000_000
/** A request that has no answer after this time failed, ms. */
const TIMEOUT_MS = 30_000

type Outcome = 'stored' | 'later' | 'refused'

export type UploadOptions = {
  endpoint: string
  token: string
  tab: TabState
  /** Bytes of all chunks of a replay, compressed. */
  maxBytes: number
  /** The service does not take this replay, or nobody takes it. */
  onRefused(replay: TabReplay): void
  /** The replay has as many bytes as it may have. */
  onFull(replay: TabReplay): void
}

/**
 * Sends chunks one after the other, each until the service has it. It stores each index once, so a chunk may
 * be sent twice. What is not sent when the page is left waits for the next page of the tab.
 */
export function createUploads({ endpoint, token, tab, maxBytes, onRefused, onFull }: UploadOptions) {
  let waiting: Unsent[] = []
  let isRunning = false
  let isKept = false
  let wake = () => {}
  /** Requests that outlive the page, and their bytes. */
  const leaving = new Set<Unsent>()
  let leavingBytes = 0

  function add(item: Unsent): void {
    waiting.push(item)
    const chars = waiting.reduce((sum, { events = '', gzip = '' }) => sum + (gzip || events).length, 0)
    if (chars > MAX_WAITING_CHARS) refuse(item.replay)
    else void run()
  }

  /** Takes what an earlier page of the tab could not send. */
  function takeOver(replay: TabReplay | null): void {
    for (const item of tab.readUnsent()) {
      // Items of one replay share it, because its id comes with the first answer.
      const known = [replay, ...waiting.map(other => other.replay)].find(
        other => other?.start_id === item.replay.start_id,
      )
      waiting.push({ ...item, replay: known ?? item.replay })
      isKept = true
    }
    void run()
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    let waitMs = FIRST_WAIT_MS
    for (let item = waiting[0]; item; item = waiting[0]) {
      const outcome = await send(item).catch((): Outcome => 'later')
      if (outcome === 'later') {
        await pause(waitMs)
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
        continue
      }
      waitMs = FIRST_WAIT_MS
      if (outcome === 'refused') refuse(item.replay)
      else remove(item)
    }
    isRunning = false
  }

  function pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function send(item: Unsent): Promise<Outcome> {
    const { replay } = item
    if (!replay.id) {
      const outcome = await begin(replay)
      if (outcome !== 'stored') return outcome
    }
    if (item.events && !item.gzip) {
      const packed = await compress(item.events)
      // Meanwhile the service may have refused the replay, the user may have opted out, or the page was left
      // and another page has the chunk.
      if (!waiting.includes(item)) return 'stored'
      if (packed) {
        item.gzip = packed.base64
        delete item.events
      }
      replay.bytes += packed?.bytes ?? (item.events?.length ?? 0) / 8
      if (replay.bytes > maxBytes && !item.isLast) {
        drop(replay)
        // What follows takes the index of this chunk, so that the replay has no gap.
        replay.chunks = item.index
        onFull(replay)
        return 'stored'
      }
      keepState(replay)
    }
    return outcomeOf(await post(pathOf(item), bodyOf(item)))
  }

  async function begin(replay: TabReplay): Promise<Outcome> {
    const { session_id, start_id, started_at, user_id, url } = replay
    const response = await post(
      '/replay/start',
      plainJson({ token, session_id, start_id, started_at, user_id, url }),
    )
    if (response.status === 429 && (await response.clone().json()).reason === 'replay_quota') return 'refused'
    if (!response.ok) return outcomeOf(response)
    replay.id = (await response.json()).replay_id
    keepState(replay)
    return 'stored'
  }

  function pathOf({ replay, isFinish }: Unsent): string {
    return `/replay/${replay.id}/${isFinish ? 'finish' : 'chunks'}`
  }

  /** The events are JSON already, so the body is put together as a text. */
  function bodyOf({ replay, index, user_id, isFinish, events, gzip }: Unsent): string {
    const head = { token, session_id: replay.session_id, user_id }
    if (isFinish) return plainJson({ ...head, chunks: index })
    if (gzip) return plainJson({ ...head, index, gzip })
    return `${plainJson({ ...head, index }).slice(0, -1)},"events":${events}}`
  }

  /** A text needs no preflight request. */
  function post(path: string, body: string, options: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.timeout?.(TIMEOUT_MS)
    return fetch(endpoint + path, {
      method: 'POST',
      body,
      credentials: 'omit',
      referrerPolicy: 'origin',
      ...(signal && { signal }),
      ...options,
    })
  }

  /**
   * Called when the page is hidden or left. Small requests outlive it. All that is not sent is kept for the
   * next page of the tab, which sends it again: what has arrived meanwhile is stored once. A page that is
   * left may be shown again, but then another page has its chunks. `left`: the replay whose page is left, so
   * that it can be watched at once if no other page goes on.
   */
  function leave(isGone: boolean, left: TabReplay | null = null): void {
    for (const item of waiting) {
      if (!item.replay.id || leaving.has(item)) continue
      const body = bodyOf(item)
      const bytes = new Blob([body]).size
      if (leavingBytes + bytes > KEEPALIVE_BYTES) break
      // Compressed it may fit, but that takes longer than the page has.
      if (item.events && !item.isLast && item.replay.bytes + bytes > maxBytes) break
      leaving.add(item)
      leavingBytes += bytes
      post(pathOf(item), body, { keepalive: true })
        .then(response => {
          const outcome = outcomeOf(response)
          if (outcome === 'stored') remove(item)
          if (outcome === 'refused') refuse(item.replay)
        })
        .catch(() => {})
        .finally(() => {
          leaving.delete(item)
          leavingBytes -= bytes
        })
    }
    if (left?.id) {
      const end = { ...{ token, session_id: left.session_id, chunks: left.chunks }, left: true }
      post(pathOf({ replay: left, index: left.chunks, isFinish: true }), plainJson(end), {
        keepalive: true,
      }).catch(() => {})
    }
    keepUnsent()
    if (!isGone) return
    waiting = []
    isKept = false
  }

  function remove(item: Unsent): void {
    waiting = waiting.filter(other => other !== item)
    if (isKept) keepUnsent()
  }

  function keepUnsent(): void {
    tab.writeUnsent(waiting)
    isKept = waiting.length > 0
  }

  /** Forgets what waits of a replay. */
  function drop(replay: TabReplay): void {
    waiting = waiting.filter(other => other.replay !== replay)
    if (isKept) keepUnsent()
  }

  function refuse(replay: TabReplay): void {
    drop(replay)
    onRefused(replay)
  }

  /** Since then the page may have been left, or another page of the tab may have begun another replay. */
  function keepState(replay: TabReplay): void {
    const isOwn = waiting.some(item => item.replay === replay)
    if (isOwn && tab.read()?.start_id === replay.start_id) tab.write(replay)
  }

  return { add, takeOver, leave, drop, retry: () => wake() }
}

/** What a later attempt cannot change is refused: off, unknown, too large, damaged. */
function outcomeOf({ ok, status }: Response): Outcome {
  if (ok) return 'stored'
  return status === 408 || status === 429 || status >= 500 ? 'later' : 'refused'
}
