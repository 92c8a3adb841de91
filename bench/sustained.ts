import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTIONS, runLoad, type Target } from './bench-service.ts'

/**
 * The table of `npm run bench -- ingest --sustained`. One project gets a steady rate of events for some
 * seconds (the flood). Meanwhile another project gets a few events (the markers). A row answers three
 * questions:
 * - How long does it take until GET /stats counts a marker?
 * - After the flood has ended, how long does it take until `fresh_until` of a receipt is later than that end?
 *   Then GET /stats must count all events of the flood.
 * - How often was a marker not counted although `fresh_until` was later than its 202?
 */

export type SustainedRow = {
  /** Events a second, and in one request. Null: as many as the service takes. */
  rate: number | null
  batch: 1 | 100
}

const MARKER_EVERY_MS = 250
const POLL_MS = 100
/** A smaller backlog says little about the speed at which the lake catches up. */
const MIN_BACKLOG = 100_000
/** No catching up takes longer, s. */
const MAX_CATCH_UP_S = 300

type Project = { name: string; token: string }

/**
 * Runs one row, and returns its line. The service has two projects: the first gets the flood, the second the
 * markers.
 */
export async function runSustained(
  service: Target,
  [flood, markers]: readonly [Project, Project],
  { rate, batch }: SustainedRow,
  seconds: number,
): Promise<string> {
  const before = await countEvents(service, flood.name)
  const watch = startMarkers(service, markers)
  const startedAt = performance.now()
  const result = await runLoad(
    { ...service, tokens: [flood.token] },
    {
      path: batch === 1 ? '/track' : '/track/batch',
      rate: rate === null ? null : rate / batch,
      seconds,
      connections: CONNECTIONS,
    },
  )
  const sent = result.requests * batch
  const sentIn = (performance.now() - startedAt) / 1_000
  const endedAt = Date.now()
  const backlog = sent - ((await countEvents(service, flood.name)).events - before.events)
  // The reports of the small project say how far the lake is. Those of the flood would take both cores.
  while ((await countEvents(service, markers.name)).freshUntil < endedAt) {
    if (Date.now() - endedAt > MAX_CATCH_UP_S * 1_000) throw new Error('The lake does not catch up.')
    await sleep(POLL_MS)
  }
  const caughtUpIn = (Date.now() - endedAt) / 1_000
  const counted = (await countEvents(service, flood.name)).events - before.events
  if (counted !== sent) throw new Error(`${sent} events were sent, and ${counted} are counted.`)
  const { delays, lies, polls } = await watch.stop()
  const at = (share: number) =>
    ((delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN) / 1_000).toFixed(1)
  return [
    (rate === null ? `top: ${Math.round(sent / sentIn)}` : String(rate)).padStart(12),
    String(batch).padStart(6),
    at(0.5).padStart(8),
    at(0.95).padStart(8),
    caughtUpIn.toFixed(1).padStart(10),
    (backlog < MIN_BACKLOG ? '-' : String(Math.round(backlog / caughtUpIn))).padStart(14),
    `${lies} of ${polls}`.padStart(14),
  ].join('')
}

export const SUSTAINED_HEAD = `${'events/s'.padStart(12)}${'batch'.padStart(6)}${'median s'.padStart(9)}${'p95 s'.padStart(7)}${'caught up s'.padStart(12)}${'at events/s'.padStart(14)}${'fresh_until wrong'.padStart(18)}`

/** Sends markers and looks for them until `stop`, which waits for those that are not counted yet. */
function startMarkers(service: Target, { name, token }: Project) {
  const sentAt: number[] = []
  const acknowledgedAt: number[] = []
  const delays: number[] = []
  let lies = 0
  let polls = 0
  let isStopping = false

  async function send(): Promise<void> {
    while (!isStopping) {
      sentAt.push(performance.now())
      const body = JSON.stringify({ token, event: 'marker' })
      await fetch(`http://127.0.0.1:${service.port}/track`, { method: 'POST', body, headers: BROWSER })
      acknowledgedAt.push(Date.now())
      await sleep(MARKER_EVERY_MS)
    }
  }

  async function look(): Promise<void> {
    const { events: earlier } = await countEvents(service, name)
    const sending = send()
    while (!isStopping || delays.length < sentAt.length) {
      const { events, freshUntil } = await countEvents(service, name)
      const now = performance.now()
      const seen = events - earlier
      for (let i = delays.length; i < seen; i++) delays.push(now - (sentAt[i] as number))
      // What was acknowledged before fresh_until must be counted.
      const next = acknowledgedAt[seen]
      polls += 1
      if (next !== undefined && next < freshUntil) lies += 1
      await sleep(POLL_MS)
    }
    await sending
  }

  const looking = look()
  return {
    async stop() {
      isStopping = true
      await looking
      return { delays: delays.toSorted((a, b) => a - b), lies, polls }
    },
  }
}

const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
}

/** The events that GET /stats counts today and yesterday, and until when it says to be fresh, Unix ms. */
export async function countEvents(
  { port, key = '' }: Target,
  project: string,
): Promise<{ events: number; freshUntil: number }> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/stats?project=${project}&since=1d&receipt=true`, {
      headers: { 'X-API-Key': key },
    })
    if (response.status === 503) {
      await sleep(POLL_MS)
      continue
    }
    const { totals, receipt } = (await response.json()) as {
      totals: { total_events: number }
      receipt: { fresh_until: string | null }
    }
    return {
      events: totals.total_events,
      freshUntil:
        receipt.fresh_until === null ? Number.NEGATIVE_INFINITY : new Date(receipt.fresh_until).getTime(),
    }
  }
}
