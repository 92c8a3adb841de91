import { type ReadResult, readAllProjects } from '#rehearsal/read-all'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'

/**
 * Differs from the batch sizes of the first time and from their divisors, so that the batches have other
 * limits. The demo alone is 36,000 records: in batches of 7 a busy machine reads them for longer than this
 * check waits.
 */
const BATCH = 101

/** Reads the stream from its start again in other batches, as Lambda does when it loses its checkpoints. */
export async function lostCheckpoints(
  { service, consumer }: World,
  before: readonly ReadResult[],
): Promise<string> {
  const project = await service.createProject('forgotten')
  const calls = consumer.calls.responded
  await consumer.rereadStream(BATCH)
  try {
    expectEqual((await service.send(project, [{ event: 'last' }])).status, 202, 'the status')
    // A shard delivers its records in order. When the last event is stored, all others have come again.
    await service.waitForEvents(project, 1)
  } finally {
    await consumer.resume()
  }
  const after = (await readAllProjects(service)).filter(result => result.project !== project.id)
  expectEqual(after, before, 'results of reads after the stream was read again')
  return `${consumer.calls.responded - calls} batches delivered again`
}
