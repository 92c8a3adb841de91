import { AthenaClient } from '@aws-sdk/client-athena'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SQSClient } from '@aws-sdk/client-sqs'
import { mockClient } from 'aws-sdk-client-mock'
import { describe, expect, test } from 'vitest'
import { createSqsJobQueue } from '#aws/job-queue'
import { createS3Lake } from '#aws/lake'
import { createAthenaEngine } from '#aws/query-engine'
import { createSecrets } from '#aws/secrets'
import { createKinesisStream } from '#aws/stream'
import { ApiError } from '#core/errors'
import { sql } from '#core/sql/sql'
import { conditionHeld, orUnavailable } from '#core/state/state-table'
import { isThrottled, isTransient, toApiError } from '#core/state/transient'
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS } from '#test/support/emulators'

type Kind = 'throttled' | 'transient' | 'bug'

function socketError(code: string) {
  return Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code })
}

function namedError(name: string) {
  return Object.assign(new Error(name), { name })
}

/** An error as ElectroDB throws it, with the SDK's error as its cause. */
function electroError(cause: Error) {
  return Object.assign(new Error('Error thrown by DynamoDB client', { cause }), { isElectroError: true })
}

const shapes: [shape: string, error: unknown, kind: Kind][] = [
  ...[
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'Throttling',
    'ThrottledException',
    'RequestLimitExceeded',
    'LimitExceededException',
    'TooManyRequestsException',
    'SlowDown',
    'RequestThrottled',
    'KMSThrottlingException',
  ].map((name): [string, Error, Kind] => [name, awsError(name, 'client'), 'throttled']),
  [
    'an unknown name that the SDK marks as throttling',
    awsError('BusyException', 'client', { $retryable: { throttling: true } }),
    'throttled',
  ],
  [
    'throttling within an error of ElectroDB',
    electroError(awsError('ThrottlingException', 'client')),
    'throttled',
  ],
  ['a failure of the service', awsError('InternalServerError', 'server'), 'transient'],
  [
    'a status of 503 without $fault',
    Object.assign(new Error('busy'), { $metadata: { httpStatusCode: 503 } }),
    'transient',
  ],
  ...['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'TokenRefreshRequired'].map(
    (name): [string, Error, Kind] => [name, awsError(name, 'client'), 'transient'],
  ),
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ].map((code): [string, Error, Kind] => [`the code ${code}`, socketError(code), 'transient']),
  ...['TimeoutError', 'AbortError', 'RequestTimeout', 'ECONNRESET'].map((name): [string, Error, Kind] => [
    `the name ${name}`,
    namedError(name),
    'transient',
  ]),
  ['EAI_AGAIN within an error of ElectroDB', electroError(socketError('EAI_AGAIN')), 'transient'],
  [
    'expired credentials within an error of ElectroDB',
    electroError(awsError('ExpiredTokenException', 'client')),
    'transient',
  ],
  ['a denied request', awsError('AccessDeniedException', 'client'), 'bug'],
  [
    'an invalid request',
    awsError('ValidationException', 'client', { $metadata: { httpStatusCode: 400 } }),
    'bug',
  ],
  [
    'an invalid request within an error of ElectroDB',
    electroError(awsError('ValidationException', 'client')),
    'bug',
  ],
  ['a bug in ElectroDB', Object.assign(new Error('no such attribute'), { isElectroError: true }), 'bug'],
  ['a bug in our code', new TypeError('x is not a function'), 'bug'],
  ['a file that is not there', socketError('ENOENT'), 'bug'],
]

describe('isTransient, isThrottled and toApiError', () => {
  test.each(shapes)('%s', (_, error, kind) => {
    expect(isThrottled(error)).toBe(kind === 'throttled')
    expect(isTransient(error)).toBe(kind !== 'bug')
    const converted = toApiError(error, 'Try again.', 7)
    if (kind === 'bug') expect(converted).toBe(error)
    else
      expect(converted).toMatchObject({
        code: 'UNAVAILABLE',
        message: 'Try again.',
        extras: { retryAfter: 7 },
        cause: error,
      })
  })

  test.each([undefined, null, 'a text', 42])('%j, which is no error, is a bug', value => {
    expect([isThrottled(value), isTransient(value)]).toEqual([false, false])
    expect(toApiError(value, 'Try again.', 7)).toBe(value)
  })

  test.each([
    ['UNAVAILABLE', true, false],
    ['RATE_LIMITED', true, true],
    ['MISSING_FIELDS', false, false],
    ['INTERNAL_ERROR', false, false],
  ] as const)('an ApiError %s stays the same error', (code, transient, throttled) => {
    const error = new ApiError(code)
    expect([isTransient(error), isThrottled(error)]).toEqual([transient, throttled])
    expect(toApiError(error, 'Try again.', 7)).toBe(error)
  })
})

/** Calls an adapter on a client whose every request fails with the error. */
type Use = (error: unknown) => Promise<unknown>

const quick = { baseMs: 1, maxMs: 1 }
const streamArn = 'arn:aws:kinesis:eu-central-1:111122223333:stream/events'

function rejecting<C extends Parameters<typeof mockClient>[0]>(client: C, error: unknown): C {
  mockClient(client)
    .onAnyCommand()
    .rejects(error as Error)
  return client
}

const options = { maxAttempts: 1, ...EMULATOR_ACCESS }
const uses: Record<string, Use> = {
  'a conditional write of the state table': error => conditionHeld(Promise.reject(error)),
  'a read of the state table': error => orUnavailable(Promise.reject(error)),
  'the lake on S3': error =>
    createS3Lake({ client: rejecting(new S3Client(options), error), bucket: 'lake' }).get('a'),
  'the job queue on SQS': error =>
    createSqsJobQueue({ client: rejecting(new SQSClient(options), error), queueUrl: 'https://q' }).send('a'),
  'the secrets of Secrets Manager': error =>
    createSecrets({ client: rejecting(new SecretsManagerClient(options), error), now: () => 0 }).get('a'),
  'the stream on Kinesis': error =>
    createKinesisStream({
      client: rejecting(new KinesisClient(options), error),
      streamArn,
      log: () => {},
      appendMs: 20,
      appendBackoff: quick,
    }).append([new Uint8Array(1)]),
  'the query engine on Athena': error =>
    createAthenaEngine({
      client: rejecting(new AthenaClient(options), error),
      workGroup: 'reports',
      database: 'footfall',
      lakeLocation: 's3://lake',
      // A throttled start is tried again until the deadline.
      timeoutMs: 50,
      startBackoff: quick,
    }).rows(sql`SELECT 1 AS one`),
}

describe.each(Object.entries(uses))('%s', (_name, use) => {
  test.each(shapes)('%s', async (_, error, kind) => {
    if (kind === 'bug') return expect(use(error)).rejects.toBe(error)
    await expect(use(error)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      extras: { retryAfter: expect.any(Number) },
    })
  })

  test.each(['UNAVAILABLE', 'MISSING_FIELDS'] as const)('an ApiError %s keeps its code', async code => {
    await expect(use(new ApiError(code))).rejects.toMatchObject({ code })
  })
})

test('a condition that did not hold is a result, also within an error of ElectroDB', async () => {
  const failed = awsError('ConditionalCheckFailedException', 'client')
  expect(await conditionHeld(Promise.reject(failed))).toBe(false)
  expect(await conditionHeld(Promise.reject(electroError(failed)))).toBe(false)
  expect(await conditionHeld(Promise.resolve())).toBe(true)
})

test('a read of the state table that fails its condition stays an error', async () => {
  const failed = awsError('ConditionalCheckFailedException', 'client')
  await expect(orUnavailable(Promise.reject(failed))).rejects.toBe(failed)
})
