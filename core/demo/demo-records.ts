import type { ArrivalOrder } from '#core/ingest/ids'
import { type BotRecord, packRecord } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { DEMO_DAYS, withExperiment } from './experiment.ts'
import { type DemoRequest, demoTraffic } from './traffic.ts'

/** The events of the demo project: those of 1,489 users in a month, and the exposures of its experiment. */
export const DEMO_EVENTS = 40_000
/** The events without the exposures. With so many, both together are DEMO_EVENTS. */
export const TRAFFIC_EVENTS = 37_237
const DEMO_PAGES = 60
/** One request of a bot comes with so many requests of browsers. */
const REQUESTS_PER_BOT = 25
/** In this order, again and again. */
const BOTS: readonly Pick<BotRecord, 'category' | 'actor' | 'purpose'>[] = [
  { category: 'ai_agent', actor: 'GPTBot', purpose: 'train' },
  { category: 'search_crawler', actor: 'Googlebot', purpose: 'index' },
  { category: 'ai_agent', actor: 'ClaudeBot', purpose: 'train' },
  { category: 'seo_research', actor: 'AhrefsBot' },
  { category: 'search_crawler', actor: 'Bingbot', purpose: 'index' },
  { category: 'monitoring_perf', actor: 'UptimeRobot' },
]

export type DemoRecordSettings = {
  /** Events without those of the experiment. */
  events?: number
  /** Time of the last arrival, Unix ms. The first events happen 30 days before. */
  end: number
  /** Leaves out what arrived up to this time, Unix ms. */
  after?: number
  eventIdPrefix: string
}

/**
 * The stream records of 30 days of made-up traffic of one site, in order of arrival, with some bots and an
 * experiment. The same settings give the same events with the same event ids, so a seed that broke off may
 * run again.
 */
export function* demoRecords(
  project: Project,
  ids: ArrivalOrder,
  { events = TRAFFIC_EVENTS, end, after = 0, eventIdPrefix }: DemoRecordSettings,
): Generator<Uint8Array> {
  let count = 0
  for (const request of demoTraffic({ events, end, days: DEMO_DAYS, paths: DEMO_PAGES, eventIdPrefix })) {
    count += 1
    if (request.received_at <= after) continue
    yield demoRecord({ ...request, events: withExperiment(request.events) }, project, ids)
    if (count % REQUESTS_PER_BOT !== 0) continue
    const bot = BOTS[(count / REQUESTS_PER_BOT) % BOTS.length] as (typeof BOTS)[number]
    yield packRecord({
      kind: 'bots',
      ...headOf(project),
      received_at: request.received_at,
      ...bot,
      dropped: 1,
    })
  }
}

/** Packs a request of the demo traffic into a stream record. */
export function demoRecord(
  { received_at, country, events }: DemoRequest,
  project: Project,
  ids: ArrivalOrder,
): Uint8Array {
  const { receivedAt, seq } = ids.take(received_at, events.length)
  return packRecord({
    kind: 'events',
    ...headOf(project),
    received_at: receivedAt,
    seq,
    country,
    events,
  })
}

function headOf({ id: project_id, account_id, bucket }: Project) {
  return { project_id, account_id, bucket }
}
