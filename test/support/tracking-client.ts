import { setTimeout as sleep } from 'node:timers/promises'
import type { Credentials } from '#schemas/owner'
import { eventually } from './eventually.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

export type TrackingClient = {
  /** The event ids that the service has acknowledged. After `stop`, these are all ids that were sent. */
  acknowledged: Set<string>
  /** Number of requests by response status. Status 0 means that no response came. */
  statusCounts: Map<number, number>
  /** Resolves when so many events have been acknowledged. */
  reach(count: number): Promise<void>
  /** Sends no new events, and resolves once everything sent has been acknowledged. */
  stop(): Promise<void>
}

export type TrackingOptions = {
  credentials: Pick<Credentials, 'base_url' | 'project_token'>
  /** Start of the event ids. A number follows. */
  prefix: string
  /** Largest batch. */
  batch?: number
  /** Pause between two requests, ms. */
  pauseMs?: number
  /** Returns additional properties. Called for each event. */
  properties?: () => Record<string, unknown>
}

/**
 * Pause before a batch is sent again, ms. The service may be down, so many clients must not keep a core busy.
 */
const RETRY_MS = 50

/**
 * Sends batches of new events one after another until `stop`. Sends a batch again until it is acknowledged,
 * whether the response is an error or the service is down.
 */
export function startTrackingClient({
  credentials,
  prefix,
  batch = 10,
  pauseMs = 10,
  properties = () => ({}),
}: TrackingOptions): TrackingClient {
  const acknowledged = new Set<string>()
  const statusCounts = new Map<number, number>()
  let sent = 0
  let stopping = false
  let hasEnded = false

  function nextBatch() {
    const size = 1 + (sent % batch)
    return Array.from({ length: size }, () => {
      const event_id = `${prefix}-${sent++}`
      return {
        token: credentials.project_token,
        event: sent % 3 === 0 ? 'signup' : 'page_view',
        event_id,
        user_id: `user-${sent % 50}`,
        session_id: `session-${prefix}-${sent % 100}`,
        properties: { path: `/page/${sent % 20}`, number: sent, ...properties() },
      }
    })
  }

  async function send(events: { event_id: string }[]): Promise<boolean> {
    const status = await post(events)
    statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1)
    return status === 202
  }

  async function post(events: { event_id: string }[]): Promise<number> {
    try {
      const response = await fetch(`${credentials.base_url}/track/batch`, {
        method: 'POST',
        body: JSON.stringify({ events }),
        headers: { 'User-Agent': HUMAN_USER_AGENT },
        signal: AbortSignal.timeout(20_000),
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const events = nextBatch()
      while (!(await send(events))) await sleep(RETRY_MS)
      for (const { event_id } of events) acknowledged.add(event_id)
      await sleep(pauseMs)
    }
    hasEnded = true
  }

  /** Waits for the client, and fails with what it has seen. */
  const until = (isReached: () => boolean, what: string) =>
    eventually(
      () => {
        if (isReached()) return
        const statuses = JSON.stringify(Object.fromEntries(statusCounts))
        throw new Error(`${prefix}: ${what}. ${acknowledged.size} are acknowledged, statuses: ${statuses}`)
      },
      { everyMs: 50 },
    )

  void run()
  return {
    acknowledged,
    statusCounts,
    reach: count => until(() => acknowledged.size >= count, `not yet ${count} events`),
    stop() {
      stopping = true
      return until(() => hasEnded, 'the last batch is not acknowledged')
    },
  }
}

/** Sends events until `count` are acknowledged, and returns the ids of all that were sent. */
export async function sendEvents(count: number, options: TrackingOptions): Promise<string[]> {
  const client = startTrackingClient(options)
  await client.reach(count)
  await client.stop()
  return [...client.acknowledged]
}
