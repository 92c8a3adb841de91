import { setTimeout as sleep } from 'node:timers/promises'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { createS3Lake } from '#aws/lake'
import { partitionValue } from '#core/lake/keys'
import { createLakeStateStore } from '#core/lake/state-store'
import { readEverything } from '#rehearsal/read-all'
import { eventually } from '#test/support/eventually'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** An epoch's end, its jobs and the move of the watermark each wait for a call of the scheduler, once a minute. */
const WITHIN_MS = 15 * 60_000

/**
 * Everything that was sent goes from hot to warm by jobs of the queue, and reads give the same while that goes on and
 * after it.
 */
export async function compaction({ aws, stack, service }: World): Promise<string> {
  const state = createLakeStateStore({ client: aws.dynamo, table: stack.table })
  const lake = createS3Lake({ client: aws.s3, bucket: stack.bucket })
  const from = await state.lake()
  const project = await service.newProject('compacted')
  const events = Array.from({ length: 30 }, (_, i) => ({ event: 'kept', event_id: `compacted-${i}` }))
  expectEqual((await service.send(project, [...events, ...events])).status, 202, 'the answer')
  await service.untilStored(project, events.length)

  const before = await readEverything(service)
  // To read all of it takes minutes on a busy machine: on the way it is the projects with many events.
  const lookedBefore = before.filter(({ stats }) => stats !== null)
  const looked = new Set(lookedBefore.map(reading => reading.project))
  const deadline = Date.now() + WITHIN_MS
  let { warm } = from
  // Not by eventually(): a reading that differs for a moment is what this looks for.
  for (let hot = Number.POSITIVE_INFINITY; hot > 0 || warm === from.warm; ) {
    if (Date.now() > deadline) throw new Error(`epochs below ${warm} are warm, and ${hot} hot files are not`)
    expectEqual(
      await readEverything(service, looked),
      lookedBefore,
      'what reads give while epochs are compacted',
    )
    warm = (await state.lake()).warm
    hot = (await lake.list('hot/')).filter(({ key }) => Number(partitionValue(key, 'epoch')) >= warm).length
    await sleep(1_000)
  }
  expectEqual(await readEverything(service), before, 'what reads give after all is warm')
  const files = await lake.list('warm/')
  if (files.length === 0) throw new Error('there are no warm files')
  await eventually(() => noneWaits(aws, stack.queueUrls), { timeoutMs: 120_000, everyMs: 1_000 })
  return `epochs ${from.warm} to ${warm - 1}, ${files.length} warm files`
}

/** No job waits, and no job, no call of the clock and no batch of the stream was given up. */
async function noneWaits({ sqs }: World['aws'], queueUrls: readonly string[]): Promise<void> {
  for (const QueueUrl of queueUrls) {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    )
    expectEqual(Attributes?.ApproximateNumberOfMessages, '0', `messages in ${QueueUrl}`)
  }
}
