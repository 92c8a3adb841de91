import { type Reading, readEverything } from '#rehearsal/read-all'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** Neither the number of records that came together at first, nor a part of it. */
const BATCH = 7

/** The stream is read from its start again, cut into other batches: Lambda may lose its checkpoints. */
export async function lostCheckpoints(
  { service, consumer }: World,
  before: readonly Reading[],
): Promise<string> {
  const project = await service.newProject('forgotten')
  const calls = consumer.calls.answered
  await consumer.forget(BATCH)
  expectEqual((await service.send(project, [{ event: 'last' }])).status, 202, 'the answer')
  // The records of the one shard come in order: when this one is there, all others have come again.
  await service.untilStored(project, 1)
  await consumer.goOn()
  const now = (await readEverything(service)).filter(reading => reading.project !== project.id)
  expectEqual(now, before, 'reads after the stream was read again')
  return `${consumer.calls.answered - calls} batches brought again`
}
