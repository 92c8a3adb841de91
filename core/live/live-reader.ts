import { unavailable } from '#core/errors'
import type { ReadChunk } from './buffer.ts'
import { type Live, type LiveRequest, type LiveSource, readLive } from './read-live.ts'

/**
 * Guests of a project get answers of one look at its buffer for this time, ms. To unpack a full buffer takes
 * up to 0.4 s of the thread of all requests, so strangers get a fifth of it at most.
 */
const GUESTS_KEPT_MS = 2_000
/** Different questions that guests of a project may ask of one look. Views of the demo ask one or two. */
const GUEST_QUESTIONS = 4

/** One look at the buffer of a project, for all its guests. */
type Look = {
  startedAt: number
  source: LiveSource
  answers: Map<string, Promise<Live>>
  running: number
}

/**
 * Answers GET /live. Who asks the same of a project while an answer is made gets that one. Guests, whoever
 * they are, share more: the chunks of a look are read and unpacked once for all their questions, and its
 * answers are kept for two seconds. So a crowd of them costs no more than one reader. Throws UNAVAILABLE.
 */
export function createLiveReader({ buffer, users }: LiveSource) {
  const running = new Map<string, Promise<Live>>()
  const looks = new Map<string, Look>()

  /** `isGuest`: the caller has no account. */
  function read(request: LiveRequest & { isGuest: boolean }): Promise<Live> {
    const { isGuest, ...asked } = request
    const question = JSON.stringify(asked)
    return isGuest ? readAsGuest(asked, question) : readAsAccount(asked, question)
  }

  function readAsAccount(request: LiveRequest, question: string): Promise<Live> {
    const known = running.get(question)
    if (known !== undefined) return known
    const answer = readLive({ buffer, users }, request).finally(() => running.delete(question))
    running.set(question, answer)
    return answer
  }

  async function readAsGuest(request: LiveRequest, question: string): Promise<Live> {
    for (const [id, look] of looks) if (isOver(look)) looks.delete(id)
    const { id } = request.project
    const look = looks.get(id) ?? startLook(id)
    looks.set(id, look)
    const known = look.answers.get(question)
    if (known !== undefined) return known
    if (look.answers.size >= GUEST_QUESTIONS) throw tooManyQuestions()
    look.running += 1
    const answer = readLive(look.source, request).finally(() => {
      look.running -= 1
    })
    look.answers.set(question, answer)
    try {
      return await answer
    } catch (error) {
      // Its chunks may have ended too early. The next one reads them again.
      if (looks.get(id) === look) looks.delete(id)
      throw error
    }
  }

  /** A look is over when it is old and nobody waits for it: two of a project never run at the same time. */
  function isOver({ running, startedAt }: Look): boolean {
    return running === 0 && Math.abs(buffer.clock.now() - startedAt) >= GUESTS_KEPT_MS
  }

  function startLook(projectId: string): Look {
    const startedAt = buffer.clock.now()
    const { bufferMs } = buffer
    const chunks = shareChunks(buffer.newestFirst(projectId, startedAt - bufferMs))
    const source: LiveSource = {
      // All answers are of the moment of the look, so that a cursor misses nothing.
      buffer: { clock: { now: () => startedAt }, bufferMs, newestFirst: (_, from) => chunks(from) },
      users,
    }
    return { startedAt, source, answers: new Map(), running: 0 }
  }

  return { read }
}

/**
 * Lets many readers go through the same chunks, newest first. Each chunk is read once, when the first of them
 * needs it. A reader gets the chunks from `fromStamp` on.
 */
function shareChunks(source: AsyncGenerator<ReadChunk>) {
  const chunks: ReadChunk[] = []
  let next: Promise<boolean> | undefined

  /** Resolves to false after the last chunk. A failure is one for all readers. */
  async function readNext(): Promise<boolean> {
    const { value, done } = await source.next()
    if (done === true) return false
    chunks.push(value)
    next = undefined
    return true
  }

  return async function* (fromStamp: number): AsyncGenerator<ReadChunk> {
    for (let i = 0; ; i++) {
      if (i === chunks.length) {
        next ??= readNext()
        if (!(await next)) return
      }
      const chunk = chunks[i] as ReadChunk
      if (chunk.stamp < fromStamp) return
      yield chunk
    }
  }
}

function tooManyQuestions() {
  const seconds = GUESTS_KEPT_MS / 1_000
  return unavailable(
    `Visitors of this project ask too many different things of its live events now. Ask again in ${seconds} seconds, with the default \`window\`.`,
    seconds,
  )
}
