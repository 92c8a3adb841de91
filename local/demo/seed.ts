import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { demoRecords, TRAFFIC_EVENTS } from '#core/demo/demo-records'
import type { ArrivalOrder } from '#core/ingest/ids'
import type { EventStream, Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { writeAtomically } from '#local/atomic-file'
import { demoBots } from './bots.ts'

/**
 * Records per append. A small number keeps the memory of the service low, and so many arrived within a day:
 * when they are appended again, each is found to be a copy (core/lake/model/copies.ts).
 */
const CHUNK = 500

export type SeedServices = {
  dataDir: string
  stream: Pick<EventStream, 'append'>
  ids: ArrivalOrder
  clock: Now
}

/**
 * Path of a file that exists while the demo project is being filled. It holds the end of the traffic, Unix
 * ms, and the number of records that have been appended, if there are any.
 */
function markerPath(dataDir: string): string {
  return join(dataDir, 'seeding')
}

/** Returns whether an earlier start was killed while it filled the demo project. */
export function isSeedUnfinished(dataDir: string): boolean {
  return existsSync(markerPath(dataDir))
}

/**
 * Appends 30 days of demo traffic, up to now, to the stream, with the times at which it would have arrived. A
 * call after a kill goes on where the earlier one ended. It sends at most one append again, with the same
 * event ids, so each event is stored once. The requests of bots come last, so at most a kill in that moment
 * counts them twice.
 */
export async function seedDemo(
  { dataDir, stream, ids, clock }: SeedServices,
  project: Project,
  events: number = TRAFFIC_EVENTS,
): Promise<void> {
  const path = markerPath(dataDir)
  if (!existsSync(path)) writeAtomically(path, String(clock.now()))
  const [end = 0, sent = 0] = readFileSync(path, 'utf8').split(' ').map(Number)
  let count = 0
  let chunk: Uint8Array[] = []
  for (const record of demoRecords(project, ids, { events, end, eventIdPrefix: 'demo-' })) {
    count += 1
    if (count <= sent) continue
    chunk.push(record)
    if (chunk.length < CHUNK) continue
    await stream.append(chunk)
    writeAtomically(path, `${end} ${count}`)
    chunk = []
  }
  await stream.append([...chunk, ...demoBots(project, end)])
  rmSync(path)
}
