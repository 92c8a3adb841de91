import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobBatch } from '#aws/job-batch'
import { sqsJobQueue } from '#aws/job-queue'
import type { Log } from '#core/ports'
import { jobQueueContract } from '#test/contract/job-queue'
import { type EmulatedStorage, nobody, startStorage } from '../support/emulators.ts'
import { serviceFault } from '../support/service-fault.ts'

let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.stop())

const silent = () => {}

/** Does what Lambda's mapping of a queue does: receives, calls, and deletes what was not reported as failed. */
function mapping(queueUrl: string, handler: ReturnType<typeof jobBatch>) {
  const { sqs } = storage
  async function deliver(): Promise<void> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
    const Records = Messages.map(({ MessageId = '', Body = '', Attributes }) => ({
      messageId: MessageId,
      body: Body,
      attributes: { ApproximateReceiveCount: Attributes?.ApproximateReceiveCount ?? '' },
    }))
    const { batchItemFailures } = await handler({ Records })
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
  const queue = sqsJobQueue<string>({ client: storage.sqs, queueUrl })
  return { queue, idle: mapping(queueUrl, jobBatch<string>({ run, log: silent })) }
})

test('a job arrives as it was sent', async () => {
  const queueUrl = storage.createQueue(0)
  const job = { kind: 'roll', from: 1, until: 9, bucket: 63, note: 'é "\u{1F600}" \n \uFFFF' }
  const done: unknown[] = []
  await sqsJobQueue<typeof job>({ client: storage.sqs, queueUrl }).send(job)
  await mapping(queueUrl, jobBatch({ run: async found => void done.push(found), log: silent }))()
  expect(done).toEqual([job])
})

describe('a batch of messages', () => {
  const message = (messageId: string, body: string, receives = 1) => ({
    messageId,
    body,
    attributes: { ApproximateReceiveCount: String(receives) },
  })

  test('reports only the messages whose job failed or cannot be read, and logs them', async () => {
    const logged: Parameters<Log>[] = []
    const handler = jobBatch<string>({
      run: async job => {
        if (job === 'bad') throw new Error('disk full')
      },
      log: (...line) => logged.push(line),
    })
    const Records = [
      message('1', '"good"'),
      message('2', '"bad"', 3),
      message('3', '{'),
      message('4', '"good"'),
    ]
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }],
    })
    expect(logged).toEqual([
      ['JOB_FAILED', { job: '"bad"', failures: 3, error: 'Error: disk full' }],
      ['JOB_FAILED', { job: '{', failures: 1, error: expect.stringContaining('SyntaxError') }],
    ])
  })

  test('runs its jobs one after another', async () => {
    let running = 0
    let most = 0
    const handler = jobBatch<number>({
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise(resolve => setImmediate(resolve))
        running -= 1
      },
      log: silent,
    })
    await handler({ Records: [message('1', '1'), message('2', '2'), message('3', '3')] })
    expect(most).toBe(1)
  })
})

test('a queue that cannot take the job now is UNAVAILABLE, one that refuses it is an error', async () => {
  const client = new SQSClient({ maxAttempts: 1, ...nobody })
  const mock = mockClient(client)
  const queue = sqsJobQueue<string>({ client, queueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/jobs' })
  mock
    .onAnyCommand()
    .rejectsOnce(serviceFault('RequestThrottled', 'client'))
    .rejects(serviceFault('AccessDenied', 'client'))
  await expect(queue.send('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  await expect(queue.send('a')).rejects.toMatchObject({ name: 'AccessDenied' })
})
