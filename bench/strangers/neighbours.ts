import { setTimeout as sleep } from 'node:timers/promises'
import { watchMemory } from '#bench/bench-service'
import { type Answer, exchange } from './exchange.ts'
import type { AttackedService } from './start-attacked.ts'

/** What the neighbours of an attacker saw in one phase. Times are in ms. */
export type Measures = {
  /** Of each answer to POST /track, and of each wait for one that did not come. */
  ingestion: number[]
  sent: number
  /** Events that got no 202. */
  refused: number
  /** From the 202 of an event until GET /stats counts it; for the last one at least this long. */
  freshness: number[]
  /** Of each answer to GET /stats of the owner, and of each wait for one that did not come. */
  reads: number[]
  asked: number
  failedReads: number
  /** The most memory of the service and of its processes, MB. */
  memoryMb: number
}

const EVENT_EVERY_MS = 50
const MARKER_PAUSE_MS = 250
const POLL_MS = 100
const READ_PAUSE_MS = 250
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

/**
 * Three neighbours, each request on a connection of its own: visitors of another project (20 events a
 * second), the owner who reads 30 days of the attacked project, and the owner who waits for an event of a
 * third project.
 */
export function startNeighbours(service: AttackedService): { stop(): Promise<Measures> } {
  const { port, key, pid, tokens } = service
  const measures: Omit<Measures, 'memoryMb'> = {
    ...{ ingestion: [], sent: 0, refused: 0, freshness: [], reads: [], asked: 0, failedReads: 0 },
  }
  const memory = watchMemory(pid)
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  async function track(token: string): Promise<Answer> {
    const answer = await exchange({
      ...{ port, method: 'POST', path: '/track', headers: { 'User-Agent': BROWSER } },
      body: { token, event: 'page_view', properties: { path: '/' }, user_id: 'anon_neighbour' },
    })
    measures.sent += 1
    if (answer.outcome !== '202') measures.refused += 1
    if (isTimed(answer)) measures.ingestion.push(answer.ms)
    return answer
  }

  async function visit(): Promise<void> {
    const open: Promise<Answer>[] = []
    while (!stopping.signal.aborted) {
      open.push(track(tokens.visited))
      await pause(EVENT_EVERY_MS)
    }
    await Promise.all(open)
  }

  const stats = (query: string) =>
    exchange({ port, method: 'GET', path: `/stats?${query}`, headers: { 'X-API-Key': key } })

  async function read(): Promise<void> {
    while (!stopping.signal.aborted) {
      const answer = await stats(`project=${service.project}&since=30d`)
      measures.asked += 1
      if (answer.outcome !== '200') measures.failedReads += 1
      if (isTimed(answer)) measures.reads.push(answer.ms)
      await pause(READ_PAUSE_MS)
    }
  }

  /** The events that the marked project has; null: no answer says it. */
  async function countMarkers(): Promise<number | null> {
    const { outcome, text } = await stats('project=marked&since=1d')
    return outcome === '200' ? Number(JSON.parse(text).totals.total_events) : null
  }

  async function mark(): Promise<void> {
    while (!stopping.signal.aborted) {
      const known = await countMarkers()
      if (known !== null && (await track(tokens.marked)).outcome === '202') {
        const since = performance.now()
        while (((await countMarkers()) ?? known) <= known && !stopping.signal.aborted) await pause(POLL_MS)
        measures.freshness.push(performance.now() - since)
      }
      await pause(MARKER_PAUSE_MS)
    }
  }

  const working = Promise.all([visit(), read(), mark()])
  return {
    async stop() {
      stopping.abort()
      const memoryMb = memory.stop()
      await working
      return { ...measures, memoryMb }
    },
  }
}

/** A connection that is refused at once says nothing about the speed of answers. */
function isTimed({ outcome }: Answer): boolean {
  return /^\d/.test(outcome) || outcome === 'no answer'
}
