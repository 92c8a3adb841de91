import type { ExperimentStore } from '#core/experiments/store'
import type { ArrivalOrder } from '#core/ingest/ids'
import type { EventStream, Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { demoRecords, TRAFFIC_EVENTS } from './demo-records.ts'
import { ensureDemoExperiment } from './experiment.ts'

export type FillDemoServices = StateTable & {
  stream: Pick<EventStream, 'append'>
  experiments: Pick<ExperimentStore, 'ensure'>
  ids: ArrivalOrder
  clock: Now
}

/** Records of an append. */
const CHUNK = 500
const KEY = { pk: 'install', sk: 'demo-traffic' }

/**
 * Sends the demo project 30 days of made-up traffic up to now, or what is missing since the last call, and
 * creates its experiment. Returns the number of records. A call that breaks off is continued by the next one
 * with the same events and event ids.
 */
export async function fillDemo(
  { client, table, stream, experiments, ids, clock }: FillDemoServices,
  project: Project,
  events = TRAFFIC_EVENTS,
): Promise<number> {
  const Item = await readItem({ client, table }, KEY)
  // Another demo project begins from nothing.
  const known = Item?.project_id === project.id ? Item : {}
  const after = Number(known.until ?? 0)
  const end = Number(known.filling ?? clock.now())
  const write = (state: object) =>
    orUnavailable(client.put({ TableName: table, Item: { ...KEY, project_id: project.id, ...state } }))
  await write({ until: after, filling: end })
  await ensureDemoExperiment(experiments, project, end)
  let count = 0
  let chunk: Uint8Array[] = []
  for (const record of demoRecords(project, ids, { events, end, after, eventIdPrefix: `demo-${end}-` })) {
    chunk.push(record)
    count += 1
    if (chunk.length < CHUNK) continue
    await stream.append(chunk)
    chunk = []
  }
  await stream.append(chunk)
  await write({ until: end })
  return count
}
