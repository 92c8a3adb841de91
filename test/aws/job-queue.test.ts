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
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS, type EmulatedStorage, startStorage } from '#test/support/emulators'
import { sqsEvent } from '#test/support/lambda-events'

let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.stop())

const silent = () => {}

/**
 * Works as Lambda's mapping of a queue: receives messages, calls the handler, and deletes all but the failed
 * ones.
 */
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

test('a job with any text arrives unchanged', async () => {
  const queueUrl = storage.createQueue(0)
  const job = { kind: 'merge', from: 1, until: 9, bucket: 63, note: 'é "\u{1F600}" \n \uFFFF' }
  const jobs: unknown[] = []
  await createSqsJobQueue<typeof job>({ client: storage.sqs, queueUrl }).send(job)
  await mapping(queueUrl, jobsHandler({ run: async arrivedJob => void jobs.push(arrivedJob), log: silent }))()
  expect(jobs).toEqual([job])
})

test('a throttled send is UNAVAILABLE, and a rejected send stays the same error', async () => {
  const client = new SQSClient({ maxAttempts: 1, ...EMULATOR_ACCESS })
  const mock = mockClient(client)
  const queue = createSqsJobQueue<string>({
    client,
    queueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/jobs',
  })
  mock
    .onAnyCommand()
    .rejectsOnce(awsError('RequestThrottled', 'client'))
    .rejects(awsError('AccessDenied', 'client'))
  await expect(queue.send('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  await expect(queue.send('a')).rejects.toMatchObject({ name: 'AccessDenied' })
})
