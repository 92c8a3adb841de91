import type { ReplayChunk, ReplayRecord, SessionEvent } from '#schemas/replays'

export type ViewedReplay = {
  replay: ReplayRecord & { chunks: ReplayChunk[] }
  expires_at: number
}

/** The address of the viewer is not good any more, or the part is missing. */
export class GoneError extends Error {}
/** The service could not be reached, or is too busy. */
export class UnreachableError extends Error {}

const TRIES = 4
const FIRST_WAIT_MS = 500
/** The longest wait that a response may ask for, s. */
const MAX_WAIT_S = 30

/** Asks the service for what a secret opens. The secret stands in bodies alone, which no log has. */
export function createViewerApi(secret: string) {
  async function ask(path: string, body: object = {}): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(path, {
        method: 'POST',
        body: JSON.stringify({ secret, ...body }),
        headers: { 'Content-Type': 'application/json' },
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      }).catch(() => null)
      if (response?.ok) return response.text()
      if (response?.status === 404 || response?.status === 400) throw new GoneError()
      if (attempt === TRIES) throw new UnreachableError()
      const asked = Number(response?.headers.get('retry-after')) * 1000
      await wait(Math.min(asked || FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_S * 1000))
    }
  }

  return {
    async view(): Promise<ViewedReplay> {
      return JSON.parse(await ask('/replay/view'))
    },
    /** The events of the tracker in the time of the replay, oldest first. */
    async events(): Promise<SessionEvent[]> {
      return JSON.parse(await ask('/replay/view/events')).events
    },
    /** The events of a chunk as JSON, or null for one that is missing or damaged. Throws GoneError. */
    async chunk(index: number): Promise<string | null> {
      try {
        return await ask('/replay/view/chunk', { index })
      } catch (error) {
        if (!(error instanceof GoneError)) throw error
        // The chunk, or the whole replay?
        await ask('/replay/view')
        return null
      }
    },
  }
}

export type ViewerApi = ReturnType<typeof createViewerApi>

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
