import type { SeqSource } from '#core/ingest/ids'
import { pack } from '#core/ingest/record'
import type { EventStream } from '#core/ports'
import type { Project } from '#core/projects/project'
import { demoTraffic } from './demo-traffic.ts'

/** About sixteen hundred visitors in a month. */
const DEMO_EVENTS = 40_000
const DEMO_PAGES = 60

export type SeedServices = {
  stream: Pick<EventStream, 'append'>
  ids: SeqSource
}

/**
 * Puts 30 days of traffic up to `now` (Unix ms) on the stream as if it had arrived then; all of it in one append,
 * which the local log commits whole or not at all. Returns how many events.
 */
export async function seedDemo(
  { stream, ids }: SeedServices,
  project: Project,
  now: number,
): Promise<number> {
  const records: Uint8Array[] = []
  let events = 0
  for (const request of demoTraffic({ events: DEMO_EVENTS, end: now, paths: DEMO_PAGES })) {
    const { receivedAt, seq } = ids.take(request.received_at, request.events.length)
    events += request.events.length
    records.push(
      pack({
        kind: 'events',
        project_id: project.id,
        account_id: project.account_id,
        bucket: project.bucket,
        received_at: receivedAt,
        seq,
        country: request.country,
        events: request.events,
      }),
    )
  }
  await stream.append(records)
  return events
}
