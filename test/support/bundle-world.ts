import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { createSqsJobQueue } from '#aws/job-queue'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import type { LakeJob } from '#core/lake/jobs'
import type { StreamEntry } from '#core/ports'
import { createStores } from '#core/stores'
import { type Bundles, bundleFunctions } from '#lib/bundles'
import type { FunctionName } from '#schemas/functions'
import { startAthena } from './athena-front.ts'
import { type BundledFunction, startBundle, stopBundles } from './bundled-function.ts'
import { nobody, startKinesis, startStorage } from './emulators.ts'
import { duckdbOverBucket } from './mirrored-lake.ts'
import { openTestState } from './state.ts'

export type HttpEvent = {
  routeKey: string
  rawPath: string
  rawQueryString: string
  headers: Record<string, string>
  requestContext: { http: { method: string } }
  body?: string
  isBase64Encoded: boolean
}
export type HttpResult = {
  statusCode: number
  headers: Record<string, string>
  body?: string
  isBase64Encoded?: boolean
}
export type SqsEvent = { Records: [{ messageId: string; body: string }] }
export type BatchResult = { batchItemFailures: { itemIdentifier: string }[] }

const EVENTS = new URL('../bundles/events/', import.meta.url)
/** Messages whose function did not end come back after this time. */
const VISIBILITY_S = 2
const BASE_URL = 'https://d111111abcdef8.cloudfront.net'

/** An event of test/bundles/events, with what a test changes. */
export function captured<E>(name: string, change: (event: E) => void = () => {}): E {
  const event: E = JSON.parse(readFileSync(new URL(`${name}.json`, EVENTS), 'utf8'))
  change(event)
  return event
}

/** The bundles for the processor of this machine, in a folder that goes with `close`. */
export async function buildBundles(): Promise<{ bundles: Bundles; folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-bundles-'))
  const bundles = await bundleFunctions(folder, { architecture: hostArchitecture() })
  return { bundles, folder, close: () => rm(folder, { recursive: true, force: true }) }
}

function hostArchitecture() {
  return process.arch === 'arm64' ? 'arm64' : 'x86_64'
}

/** The bundles over the emulators of everything that they work with, and what the world around them does on AWS. */
export async function openBundleWorld(bundles: Bundles) {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-bundle-world-'))
  const [kinesis, storage, state] = await Promise.all([startKinesis(), startStorage(), openTestState()])
  const streamArn = await kinesis.createStream(1)
  const bucket = storage.createBucket()
  const queueUrl = storage.createQueue(VISIBILITY_S)
  const lake = createS3Lake({ client: storage.s3, bucket })
  const athena = await startAthena(await duckdbOverBucket(lake, join(folder, 'lake')))
  const stream = createKinesisStream({ client: kinesis.client, streamArn, log: () => {} })
  const { origin, username } = new URL(state.endpoint)

  // The daemon that takes traces: what arrives there would be on AWS in X-Ray.
  const traces: string[] = []
  const daemon = createSocket('udp4').on('message', bytes => traces.push(bytes.toString()))
  daemon.bind(0, '127.0.0.1')
  await once(daemon, 'listening')

  const settings: Record<FunctionName, Record<string, string>> = {
    track: { TABLE_NAME: state.table, STREAM_ARN: streamArn, COUNTRY_HEADER: 'cloudfront-viewer-country' },
    reports: { TABLE_NAME: state.table, BASE_URL, ATHENA_WORKGROUP: 'footfall', GLUE_DATABASE: 'footfall' },
    control: { TABLE_NAME: state.table, BASE_URL },
    site: { BASE_URL },
    lake: { TABLE_NAME: state.table, STREAM_ARN: streamArn, BUCKET_NAME: bucket },
    jobs: { TABLE_NAME: state.table, BUCKET_NAME: bucket, COMPACTION_MEMORY_MB: '256' },
    scheduler: { TABLE_NAME: state.table, BUCKET_NAME: bucket, JOB_QUEUE_URL: queueUrl, EPOCH_MINUTES: '60' },
    owner: { TABLE_NAME: state.table, BASE_URL },
  }
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)

  /** What a function finds in its environment; `undefined` takes a variable away. */
  function environment(
    name: FunctionName,
    changes: Record<string, string | undefined> = {},
  ): Record<string, string> {
    const set = {
      POWERTOOLS_SERVICE_NAME: name,
      POWERTOOLS_METRICS_NAMESPACE: 'Footfall',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      ...settings[name],
      AWS_REGION: nobody.region,
      AWS_ACCESS_KEY_ID: username,
      AWS_SECRET_ACCESS_KEY: nobody.credentials.secretAccessKey,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`,
      AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: origin,
      AWS_ENDPOINT_URL_S3: storage.endpoint,
      AWS_ENDPOINT_URL_SQS: storage.endpoint,
      AWS_ENDPOINT_URL_ATHENA: athena.endpoint,
      TMPDIR: temporary,
      ...changes,
    }
    const present = Object.entries(set).filter(([, value]) => value !== undefined)
    return Object.fromEntries(present) as Record<string, string>
  }

  const running = new Map<FunctionName, Promise<BundledFunction>>()

  function start(name: FunctionName, changes?: Record<string, string | undefined>) {
    return startBundle(bundles[name], environment(name, changes))
  }

  /** The function, started when it is first asked for. */
  function fn(name: FunctionName): Promise<BundledFunction> {
    const known = running.get(name) ?? start(name)
    running.set(name, known)
    return known
  }

  return {
    lake,
    stream,
    jobs: createSqsJobQueue<LakeJob>({ client: storage.sqs, queueUrl }),
    /** The folder that functions have for temporary files. */
    temporary,
    stores: createStores(state, { now: Date.now }),
    traces,
    start,
    fn,
    async invoke<R>(name: FunctionName, event: unknown): Promise<R> {
      return (await fn(name)).invoke<R>(event)
    },
    /** The messages that are there to be received, each as a mapping of the queue hands it over. */
    async receiveJobs() {
      const { Messages = [] } = await storage.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      )
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle, Attributes }) => ({
        event: captured<SqsEvent>('sqs', ({ Records: [record] }) => {
          Object.assign(record, { messageId: MessageId, body: Body, attributes: { ...Attributes } })
        }),
        /** What the mapping does when the function has not reported it as failed. */
        done: () => storage.sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle })),
      }))
    },
    /** The one shard, and what it holds beyond a sequence. */
    async onStream(after: string | null = null): Promise<{ shard: string; entries: StreamEntry[] }> {
      const [shard = ''] = await stream.shards()
      return { shard, entries: await stream.read(shard, after, 1_000) }
    },
    async close() {
      await stopBundles()
      daemon.close()
      await athena.stop()
      await Promise.all([kinesis.stop(), storage.stop(), state.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type BundleWorld = Awaited<ReturnType<typeof openBundleWorld>>

/** Entries of a shard as a Kinesis mapping hands them over. */
export function kinesisEvent(shard: string, entries: readonly StreamEntry[]) {
  type Captured = { Records: { eventID: string; kinesis: { sequenceNumber: string; data: string } }[] }
  return captured<Captured>('kinesis', event => {
    const [record] = event.Records as [Captured['Records'][number]]
    event.Records = entries.map(({ sequence, data }) => ({
      ...record,
      eventID: `${shard}:${sequence}`,
      kinesis: {
        ...record.kinesis,
        sequenceNumber: sequence,
        data: Buffer.from(data).toString('base64'),
      },
    }))
  })
}

/** Messages as an SQS mapping hands them over. */
export function sqsEvent(messages: readonly { id: string; body: string; receives: number }[]): SQSEvent {
  return captured<SQSEvent>('sqs', event => {
    const [record] = event.Records as [SQSRecord]
    event.Records = messages.map(({ id, body, receives }) => ({
      ...record,
      messageId: id,
      body,
      attributes: { ...record.attributes, ApproximateReceiveCount: String(receives) },
    }))
  })
}
