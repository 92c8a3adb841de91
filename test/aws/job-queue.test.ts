import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqsJobQueue } from '#aws/job-queue'
import { jobsHandler } from '#lambdas/jobs/handler'
import { jobQueueContract } from '#test/contract/job-queue'
import { type EmulatedStorage, nobody, startStorage } from '../support/emulators.ts'
import { sqsEvent } from '../support/lambda-events.ts'
import { serviceFault } from '../support/service-fault.ts'

let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.stop())

const silent = () => {}

/** Does what Lambda's mapping of a queue does: receives, calls, and deletes what was not reported as failed. */
function mapping(queueUrl: string, handler: ReturnType<typeof jobsHandler>) {
  const { sqs } = storage
  async function deliver(): Promise<void> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
    const messages = Messages.map(({ MessageId = '', Body = '', Attributes }) => ({
      id: MessageId,
      body: Body,
      receives: Number(Attributes?.ApproximateReceiveCount),
    }))
    const { batchItemFailures } = await handler(sqsEvent(messages))
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { MessageId = '', ReceiptHandle } of Messages) {
      if (!failed.has(MessageId))
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))
    }
  }
  async function left(): Promise<number> {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
    )
    return (
      Number(Attributes.ApproximateNumberOfMessages) +
      Number(Attributes.ApproximateNumberOfMessagesNotVisible)
    )
  }
  return async function idle(): Promise<void> {
    while ((await left()) > 0) await deliver()
  }
}

jobQueueContract('SQS (fauxqs)', run => {
  const queueUrl = storage.createQueue(0)
  const queue = createSqsJobQueue<string>({ client: storage.sqs, queueUrl })
  return { queue, idle: mapping(queueUrl, jobsHandler<string>({ run, log: silent })) }
})

test('a job arrives as it was sent', async () => {
  const queueUrl = storage.createQueue(0)
  const job = { kind: 'compact-cold', from: 1, until: 9, bucket: 63, note: 'é "\u{1F600}" \n \uFFFF' }
  const done: unknown[] = []
  await createSqsJobQueue<typeof job>({ client: storage.sqs, queueUrl }).send(job)
  await mapping(queueUrl, jobsHandler({ run: async found => void done.push(found), log: silent }))()
  expect(done).toEqual([job])
})

test('a queue that cannot take the job now is UNAVAILABLE, one that refuses it is an error', async () => {
  const client = new SQSClient({ maxAttempts: 1, ...nobody })
  const mock = mockClient(client)
  const queue = createSqsJobQueue<string>({
    client,
    queueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/jobs',
  })
  mock
    .onAnyCommand()
    .rejectsOnce(serviceFault('RequestThrottled', 'client'))
    .rejects(serviceFault('AccessDenied', 'client'))
  await expect(queue.send('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  await expect(queue.send('a')).rejects.toMatchObject({ name: 'AccessDenied' })
})
