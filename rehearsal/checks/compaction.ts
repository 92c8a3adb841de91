import { setTimeout as sleep } from 'node:timers/promises'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { openLake } from '#rehearsal/lake'
import { readAllProjects } from '#rehearsal/read-all'
import type { World } from '#rehearsal/world'
import { eventually } from '#test/support/eventually'
import { expectEqual } from './check.ts'

/** Closing an epoch and sending its jobs wait for a call of the scheduler, which runs once a minute. */
const TIMEOUT_MS = 15 * 60_000

/** Jobs of the queue compact all hot files to segments. Reads give the same results during and after that. */
export async function compaction(world: World): Promise<string> {
  const { aws, stack, service, patience } = world
  const { readCompacted, listHotEpochs, listSegments } = openLake(world)
  const start = await readCompacted()
  const project = await service.createProject('compacted')
  const events = Array.from({ length: 30 }, (_, i) => ({ event: 'kept', event_id: `compacted-${i}` }))
  expectEqual((await service.send(project, [...events, ...events])).status, 202, 'the status')
  await service.waitForEvents(project, events.length)

  const before = await readAllProjects(service)
  // Reading all projects takes minutes on a busy machine. So during compaction, only projects with many
  // events are read.
  const busyBefore = before.filter(({ stats }) => stats !== null)
  const busyProjects = new Set(busyBefore.map(({ project }) => project))
  const deadline = Date.now() + TIMEOUT_MS * patience
  let compacted = start
  // This does not use eventually(), because a single wrong result is a failure.
  for (let hot = Number.POSITIVE_INFINITY; hot > 0 || compacted === start; ) {
    if (Date.now() > deadline)
      throw new Error(
        `Compaction is late: all buckets are at epoch ${compacted} or later, ${hot} hot files are left.`,
      )
    expectEqual(
      await readAllProjects(service, busyProjects),
      busyBefore,
      'results of reads during compaction',
    )
    compacted = await readCompacted()
    hot = (await listHotEpochs()).filter(epoch => epoch >= compacted).length
    await sleep(1_000)
  }
  expectEqual(await readAllProjects(service), before, 'results of reads after compaction')
  const files = await listSegments()
  if (files.length === 0) throw new Error('There are no segments.')
  await eventually(() => expectEmptyQueues(aws, stack.queueUrls), {
    timeoutMs: 120_000 * patience,
    everyMs: 1_000,
  })
  return `epochs ${start} to ${compacted - 1}, ${files.length} files of segments`
}

/** Expects that no job waits, and that no job, scheduler call or batch is a dead letter. */
async function expectEmptyQueues({ sqs }: World['aws'], queueUrls: readonly string[]): Promise<void> {
  for (const QueueUrl of queueUrls) {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    )
    expectEqual(Attributes?.ApproximateNumberOfMessages, '0', `messages in ${QueueUrl}`)
  }
}
