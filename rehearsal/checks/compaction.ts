import { setTimeout as sleep } from 'node:timers/promises'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { s3Lake } from '#aws/lake'
import { lakeEntities } from '#core/lake/entities'
import { eventually } from '#test/support/eventually'
import { type Reading, readEverything } from '../everything.ts'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** An epoch's end, its jobs and the move of the watermark each wait for a call of the scheduler, once a minute. */
const WITHIN_MS = 15 * 60_000

/**
 * Everything that was sent goes from hot to warm by jobs of the queue, and reads give the same as `before`, while it
 * goes on and after it.
 */
export async function compaction(
  { aws, stack, service }: World,
  before: readonly Reading[],
): Promise<string> {
  const state = lakeEntities({ client: aws.dynamo, table: stack.table })
  const from = await state.lake()
  const deadline = Date.now() + WITHIN_MS
  let warm = from.warm
  // Not by eventually(): a reading that differs for a moment is what this looks for.
  for (let readings = 1; ; readings++) {
    expectEqual(await readEverything(service), before, `what reads give at the ${readings}. time`)
    if (warm > from.epoch) break
    if (Date.now() > deadline) throw new Error(`epochs below ${warm} are warm, not yet ${from.epoch}`)
    await sleep(1_000)
    warm = (await state.lake()).warm
  }
  const files = await s3Lake({ client: aws.s3, bucket: stack.bucket }).list('warm/')
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
