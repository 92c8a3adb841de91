import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** S3 tries the notification of given-up batches with a message of its own; it is taken away, as the checklist tells. */
export async function testMessage({ aws: { sqs }, stack }: World): Promise<string> {
  const QueueUrl = stack.queueUrls.find(url => url.includes('StorageFailures'))
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
  const events = Messages.map(({ Body = '{}' }) => JSON.parse(Body).Event)
  expectEqual(events, ['s3:TestEvent'], 'what waits among the batches that were given up')
  for (const { ReceiptHandle } of Messages)
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  return 'taken away'
}
