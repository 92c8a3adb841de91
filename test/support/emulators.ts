import type { AddressInfo } from 'node:net'
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  type KinesisClient,
} from '@aws-sdk/client-kinesis'
import type { S3Client } from '@aws-sdk/client-s3'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { startFauxqs } from 'fauxqs'
import kinesalite from 'kinesalite'
import { createKinesisClient, createS3Client, createSqsClient } from '#aws/clients'
import { eventually } from './eventually.ts'

/** Region and credentials for clients of the emulators, which check neither. */
export const EMULATOR_ACCESS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
} as const

/**
 * Settings of createKinesisStream for an emulator. The defaults would fail tests on a machine that is very
 * busy.
 */
export const PATIENT_STREAM = { appendMs: 120_000, readMs: 120_000 } as const

/**
 * Lets a client wait longer than on AWS. A busy machine delays the emulator, and a retry would store records
 * twice.
 */
function waitLonger<Client extends S3Client | SQSClient | KinesisClient>(client: Client): Client {
  const { requestHandler } = client.config
  if (!(requestHandler instanceof NodeHttpHandler)) throw new Error('The client has no NodeHttpHandler.')
  requestHandler.updateHttpClientConfig('connectionTimeout', 60_000)
  requestHandler.updateHttpClientConfig('requestTimeout', 120_000)
  return client
}

export type EmulatedKinesis = {
  endpoint: string
  client: KinesisClient
  /** Creates a stream and returns its ARN when the stream is active. */
  createStream(shards: number): Promise<string>
  stop(): Promise<void>
}

/** Starts kinesalite, which emulates Kinesis in memory, on a free port. */
export async function startKinesis(): Promise<EmulatedKinesis> {
  const server = kinesalite({ createStreamMs: 0, deleteStreamMs: 0, updateStreamMs: 0, shardLimit: 1000 })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  const client = waitLonger(createKinesisClient({ endpoint, ...EMULATOR_ACCESS }))
  let count = 0
  return {
    endpoint,
    client,
    async createStream(shards) {
      const StreamName = `events-${count++}`
      await client.send(new CreateStreamCommand({ StreamName, ShardCount: shards }))
      return eventually(async () => {
        const { StreamDescriptionSummary } = await client.send(
          new DescribeStreamSummaryCommand({ StreamName }),
        )
        if (StreamDescriptionSummary?.StreamStatus !== 'ACTIVE')
          throw new Error('The stream is not active yet.')
        return StreamDescriptionSummary.StreamARN ?? ''
      })
    },
    async stop() {
      client.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export type EmulatedStorage = {
  endpoint: string
  s3: S3Client
  sqs: SQSClient
  /** Creates an empty S3 bucket and returns its name. */
  createBucket(): string
  /** Creates a queue that delivers a message again after `visibilityS` seconds, and returns its URL. */
  createQueue(visibilityS: number): string
  stop(): Promise<void>
}

/** Starts fauxqs, which emulates S3 and SQS in memory, on a free port. */
export async function startStorage(): Promise<EmulatedStorage> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false })
  const options = { endpoint: `http://127.0.0.1:${server.port}`, ...EMULATOR_ACCESS }
  const s3 = waitLonger(createS3Client(options))
  const sqs = waitLonger(createSqsClient(options))
  let count = 0
  return {
    endpoint: options.endpoint,
    s3,
    sqs,
    createBucket: () => server.createBucket(`lake-${count++}`).bucketName,
    createQueue(visibilityS) {
      const { queueName } = server.createQueue(`jobs-${count++}`, {
        attributes: { VisibilityTimeout: String(visibilityS) },
      })
      // The emulator's own URL has a host name that does not resolve on every machine.
      return `${options.endpoint}/000000000000/${queueName}`
    },
    async stop() {
      s3.destroy()
      sqs.destroy()
      await server.stop()
    },
  }
}
