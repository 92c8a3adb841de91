import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'

/**
 * S3 sends a test message to the queue for failed batches. This removes it, as the checklist of a first
 * deployment says.
 */
export async function testMessage({ aws: { sqs }, stack }: World): Promise<string> {
  const QueueUrl = stack.queueUrls.find(url => url.includes('StorageFailures'))
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
  const events = Messages.map(({ Body = '{}' }) => JSON.parse(Body).Event)
  expectEqual(events, ['s3:TestEvent'], 'messages in the queue for failed batches')
  for (const { ReceiptHandle } of Messages)
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  return 'removed'
}
