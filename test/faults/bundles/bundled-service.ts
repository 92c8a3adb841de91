import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { createSqsJobQueue } from '#aws/job-queue'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import type { LakeJob } from '#core/lake/compact/jobs'
import type { StreamEntry } from '#core/ports'
import { createLakeStores, createStores } from '#core/stores'
import type { Bundles } from '#lib/bundles'
import { systemClock } from '#providers/system-clock'
import type { FunctionName } from '#schemas/functions'
import { startAthenaEmulator } from '#test/support/athena-emulator'
import { openDynaliteState } from '#test/support/dynalite-state'
import { EMULATOR_ACCESS, PATIENT_STREAM, startKinesis, startStorage } from '#test/support/emulators'
import { exampleEvent, type SqsEvent } from '#test/support/lambda-events'
import { type BundleProcess, startBundle, stopBundles } from './bundle-process.ts'
import { duckdbForS3 } from './duckdb-for-s3.ts'
import { startFunctionCalls } from './function-calls.ts'

/** A message whose function did not end is delivered again after this time. */
const VISIBILITY_S = 2
const BASE_URL = 'https://d111111abcdef8.cloudfront.net'
/** No test sends an e-mail address, so nothing reads the key. */
const emailKeyArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:email-key'

/**
 * Opens emulators of all services that the functions use, and runs the bundles against them. What AWS does
 * around the functions is in the returned methods: it invokes them, and delivers records and messages to
 * them.
 */
export async function openBundledService(bundles: Bundles) {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-bundled-service-'))
  const [kinesis, storage, state] = await Promise.all([startKinesis(), startStorage(), openDynaliteState()])
  const streamArn = await kinesis.createStream(1)
  const bucket = storage.createBucket()
  const queueUrl = storage.createQueue(VISIBILITY_S)
  const lake = createS3Lake({ client: storage.s3, bucket })
  const athena = await startAthenaEmulator(await duckdbForS3(lake, join(folder, 'lake'), `s3://${bucket}`))
  const stream = createKinesisStream({ client: kinesis.client, streamArn, log: () => {}, ...PATIENT_STREAM })

  // Stands for the X-Ray daemon, which receives traces on AWS.
  const traces: string[] = []
  const daemon = createSocket('udp4').on('message', bytes => traces.push(bytes.toString()))
  daemon.bind(0, '127.0.0.1')
  await once(daemon, 'listening')

  const plans = { PROFILE: 'own', LIMITS: '' }
  const signIn = {
    SIGN_UP: '',
    PROVIDER_CREDENTIALS: '',
    OPENID_ISSUER: '',
    OPENID_CLIENT_ID: '',
    OPENID_LABEL: '',
    CODE_HOST_URL: '',
    CODE_HOST_API_URL: '',
    CODE_HOST_CLIENT_ID: '',
    CODE_HOST_LABEL: '',
    STRIPE_PRICE: '',
  }
  const reports = {
    TABLE_NAME: state.table,
    BASE_URL,
    EDGE_KEY: '',
    BUCKET_NAME: bucket,
    ATHENA_WORKGROUP: 'footfall',
    GLUE_DATABASE: 'footfall',
    READS_MEMORY_MB: '0',
    EMAIL_KEY_ARN: emailKeyArn,
    ...plans,
  }
  const control = {
    BUCKET_NAME: bucket,
    TABLE_NAME: state.table,
    BASE_URL,
    EDGE_KEY: '',
    FEEDBACK_WEBHOOK: '',
    FEEDBACK_TOPIC: '',
    JOB_QUEUE_URL: queueUrl,
    ...plans,
  }
  const settings: Record<FunctionName, Record<string, string>> = {
    track: {
      TABLE_NAME: state.table,
      EDGE_KEY: '',
      STREAM_ARN: streamArn,
      COUNTRY_HEADER: 'cloudfront-viewer-country',
      EMAIL_KEY_ARN: emailKeyArn,
      ...plans,
    },
    reports,
    stream: { TABLE_NAME: state.table, EDGE_KEY: 'edge-1', ...plans },
    control,
    replay: { TABLE_NAME: state.table, BASE_URL, EDGE_KEY: '', BUCKET_NAME: bucket, ...plans },
    auth: {
      TABLE_NAME: state.table,
      BASE_URL,
      EDGE_KEY: '',
      COUNTRY_HEADER: 'cloudfront-viewer-country',
      ...plans,
    },
    mcp: { ...reports, ...control },
    pages: { TABLE_NAME: state.table, BASE_URL, EDGE_KEY: '', ...plans, ...signIn },
    site: { BASE_URL, EDGE_KEY: '' },
    lake: { TABLE_NAME: state.table, STREAM_ARN: streamArn, BUCKET_NAME: bucket },
    live: { TABLE_NAME: state.table, ...plans },
    jobs: {
      TABLE_NAME: state.table,
      BUCKET_NAME: bucket,
      JOB_QUEUE_URL: queueUrl,
      COMPACTION_MEMORY_MB: '256',
      SCAN_FUNCTION: 'footfall-scan',
      TEXT_MODEL: '',
      ...plans,
    },
    scan: { BASE_URL },
    scheduler: {
      TABLE_NAME: state.table,
      BUCKET_NAME: bucket,
      JOB_QUEUE_URL: queueUrl,
      STREAM_ARN: streamArn,
      RETENTION_HOURS: '24',
      EPOCH_MINUTES: '60',
      PROFILE: 'own',
      LIMITS: '',
      PROVIDER_CREDENTIALS: '',
      STRIPE_PRICE: '',
    },
    restore: {
      TABLE_NAME: state.table,
      STREAM_ARN: streamArn,
      BUCKET_NAME: bucket,
      COMPACTION_MEMORY_MB: '256',
    },
    owner: { TABLE_NAME: state.table, BASE_URL, STREAM_ARN: streamArn },
  }
  const functionCalls = await startFunctionCalls(event => processOf('scan').then(scan => scan.invoke(event)))
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)

  /** The environment variables of a function. The value `undefined` removes a variable. */
  function environment(
    name: FunctionName,
    changes: Record<string, string | undefined> = {},
  ): Record<string, string> {
    const variables = {
      POWERTOOLS_SERVICE_NAME: name,
      POWERTOOLS_METRICS_NAMESPACE: 'Footfall',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      ...settings[name],
      AWS_REGION: EMULATOR_ACCESS.region,
      AWS_ACCESS_KEY_ID: EMULATOR_ACCESS.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_ACCESS.credentials.secretAccessKey,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`,
      AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
      AWS_ENDPOINT_URL_S3: storage.endpoint,
      AWS_ENDPOINT_URL_SQS: storage.endpoint,
      AWS_ENDPOINT_URL_ATHENA: athena.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: functionCalls.endpoint,
      TMPDIR: temporary,
      ...changes,
    }
    const defined = Object.entries(variables).filter(([, value]) => value !== undefined)
    return Object.fromEntries(defined) as Record<string, string>
  }

  const running = new Map<FunctionName, Promise<BundleProcess>>()

  function start(name: FunctionName, changes?: Record<string, string | undefined>) {
    return startBundle(bundles[name], environment(name, changes))
  }

  /** Returns the process of a function, and starts it at the first call. */
  function processOf(name: FunctionName): Promise<BundleProcess> {
    const process = running.get(name) ?? start(name)
    running.set(name, process)
    return process
  }

  return {
    lake,
    s3: storage.s3,
    bucket,
    stream,
    jobs: createSqsJobQueue<LakeJob>({ client: storage.sqs, queueUrl }),
    /** The functions' folder for temporary files. */
    temporary,
    state,
    stores: { ...createStores(state, systemClock), ...createLakeStores({ ...state, lake }, systemClock) },
    traces,
    start,
    processOf,
    async invoke<R>(name: FunctionName, event: unknown): Promise<R> {
      return (await processOf(name)).invoke<R>(event)
    },
    /** Receives the visible messages. Each comes as the event that a mapping of the queue passes. */
    /** Receives the jobs of compaction. Those of sweeps are deleted. */
    async receiveJobs() {
      const { Messages = [] } = await storage.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      )
      const isSweep = ({ Body = '' }: Message) => JSON.parse(Body).kind === 'sweep'
      for (const { ReceiptHandle } of Messages.filter(isSweep))
        await storage.sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))
      const jobs = Messages.filter(message => !isSweep(message))
      return jobs.map(({ MessageId = '', Body = '', ReceiptHandle, Attributes }) => ({
        event: exampleEvent<SqsEvent>('sqs', ({ Records: [record] }) => {
          Object.assign(record, { messageId: MessageId, body: Body, attributes: { ...Attributes } })
        }),
        /** Deletes the message, as the mapping does unless the function reports it as failed. */
        delete: () => storage.sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle })),
      }))
    },
    /** Returns the only shard, and its entries after a sequence. */
    async readStream(after: string | null = null): Promise<{ shard: string; entries: StreamEntry[] }> {
      const [shard = ''] = await stream.shards()
      return { shard, entries: await stream.read(shard, after, 1_000) }
    },
    async close() {
      await stopBundles()
      daemon.close()
      await athena.stop()
      await functionCalls.stop()
      await Promise.all([kinesis.stop(), storage.stop(), state.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type BundledService = Awaited<ReturnType<typeof openBundledService>>
