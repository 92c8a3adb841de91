import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ArrivalOrder } from '#core/ingest/ids'
import { packRecord } from '#core/ingest/record'
import type { Clock, EventStream } from '#core/ports'
import type { Project } from '#core/projects/project'
import { writeAtomically } from '#local/atomic-file'
import { type DemoRequest, demoTraffic } from './traffic.ts'

/** About sixteen hundred visitors in a month. */
export const DEMO_EVENTS = 40_000
const DEMO_PAGES = 60
/** Requests a commit: few enough that the seed leaves no mark on the memory of the service. */
const CHUNK = 500

export type SeedServices = {
  dataDir: string
  stream: Pick<EventStream, 'append'>
  ids: ArrivalOrder
  clock: Clock
}

/** There while the demo project is being filled; it says up to when (Unix ms) the traffic goes. */
function markerPath(dataDir: string): string {
  return join(dataDir, 'seeding')
}

/** Whether an earlier start was cut off while it filled the demo project. */
export function isSeedUnfinished(dataDir: string): boolean {
  return existsSync(markerPath(dataDir))
}

/**
 * Puts 30 days of traffic up to now on the stream, as if it had arrived then. Cut off and called again, it sends the same
 * traffic with the same event ids, so that what the first call had sent is stored once.
 */
export async function seedDemo(
  { dataDir, stream, ids, clock }: SeedServices,
  project: Project,
): Promise<void> {
  const path = markerPath(dataDir)
  if (!existsSync(path)) writeAtomically(path, String(clock.now()))
  const end = Number(readFileSync(path, 'utf8'))
  let chunk: Uint8Array[] = []
  for (const request of demoTraffic({
    events: DEMO_EVENTS,
    end,
    paths: DEMO_PAGES,
    eventIdPrefix: 'demo-',
  })) {
    chunk.push(demoRecord(request, project, ids))
    if (chunk.length < CHUNK) continue
    await stream.append(chunk)
    chunk = []
  }
  await stream.append(chunk)
  rmSync(path)
}

/** The record that a request of the demo's traffic becomes in the stream. */
export function demoRecord(
  { received_at, country, events }: DemoRequest,
  project: Project,
  ids: ArrivalOrder,
): Uint8Array {
  const { receivedAt, seq } = ids.take(received_at, events.length)
  const { id: project_id, account_id, bucket } = project
  return packRecord({
    kind: 'events',
    project_id,
    account_id,
    bucket,
    received_at: receivedAt,
    seq,
    country,
    events,
  })
}
