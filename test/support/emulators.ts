import type { AddressInfo } from 'node:net'
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  type KinesisClient,
} from '@aws-sdk/client-kinesis'
import type { S3Client } from '@aws-sdk/client-s3'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { startFauxqs } from 'fauxqs'
import kinesalite from 'kinesalite'
import { createKinesisClient, createS3Client, createSqsClient } from '#aws/clients'
import { eventually } from './eventually.ts'

/** What every client of an emulator is told; the emulators check none of it. */
export const EMULATOR_ACCESS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
} as const

export type EmulatedKinesis = {
  endpoint: string
  client: KinesisClient
  /** Makes a stream and returns its ARN once it is there. */
  createStream(shards: number): Promise<string>
  stop(): Promise<void>
}

/** Kinesis by kinesalite, in memory, at a free port. */
export async function startKinesis(): Promise<EmulatedKinesis> {
  const server = kinesalite({ createStreamMs: 0, deleteStreamMs: 0, updateStreamMs: 0, shardLimit: 1000 })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  const client = createKinesisClient({ endpoint, ...EMULATOR_ACCESS })
  let made = 0
  return {
    endpoint,
    client,
    async createStream(shards) {
      const StreamName = `events-${made++}`
      await client.send(new CreateStreamCommand({ StreamName, ShardCount: shards }))
      return eventually(async () => {
        const { StreamDescriptionSummary } = await client.send(
          new DescribeStreamSummaryCommand({ StreamName }),
        )
        if (StreamDescriptionSummary?.StreamStatus !== 'ACTIVE')
          throw new Error('the stream is not there yet')
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
  /** Makes an empty bucket and returns its name. */
  createBucket(): string
  /** Makes a queue whose undeleted messages come back after `visibilityS` seconds, and returns its URL. */
  createQueue(visibilityS: number): string
  stop(): Promise<void>
}

/** S3 and SQS by fauxqs, in memory, at a free port. */
export async function startStorage(): Promise<EmulatedStorage> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false })
  const at = { endpoint: `http://127.0.0.1:${server.port}`, ...EMULATOR_ACCESS }
  const s3 = createS3Client(at)
  const sqs = createSqsClient(at)
  let made = 0
  return {
    endpoint: at.endpoint,
    s3,
    sqs,
    createBucket: () => server.createBucket(`lake-${made++}`).bucketName,
    createQueue(visibilityS) {
      const { queueName } = server.createQueue(`jobs-${made++}`, {
        attributes: { VisibilityTimeout: String(visibilityS) },
      })
      // The emulator's own URL names a host that does not resolve everywhere.
      return `${at.endpoint}/000000000000/${queueName}`
    },
    async stop() {
      s3.destroy()
      sqs.destroy()
      await server.stop()
    },
  }
}
