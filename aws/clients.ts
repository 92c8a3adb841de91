import { AthenaClient } from '@aws-sdk/client-athena'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'

/**
 * The clients of the SDK, each by a function of its own so that a bundle holds only those that its function uses. Call
 * them outside of handlers, once: a client keeps its connections from one invocation to the next. Region, credentials
 * and, in a rehearsal, AWS_ENDPOINT_URL come from the environment, which the SDK reads itself.
 */

/** Where a test or a rehearsal has the service, and who it says it is. */
export type ClientOverrides = {
  endpoint?: string
  region?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** Connecting within a region takes a few ms; a try that takes a second is better made again. */
const CONNECT_MS = 1_000
/** Connections of a client at most; a request beyond them waits. */
const SOCKETS = 64

/**
 * HTTP/1.1 with connections kept alive. `answerMs` bounds the wait for an answer, which the SDK does not by itself.
 */
function connections(answerMs: number): NodeHttpHandler {
  return new NodeHttpHandler({
    httpsAgent: { keepAlive: true, maxSockets: SOCKETS },
    httpAgent: { keepAlive: true, maxSockets: SOCKETS },
    connectionTimeout: CONNECT_MS,
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
  })
}

/**
 * Over HTTP/1.1, where the SDK's default is HTTP/2: a function has one request in flight at a time, so streams within
 * a connection gain nothing, and a broken HTTP/2 session takes all its requests with it. One try a call: the stream
 * adapter retries itself, as it must look into each answer for the records that failed.
 */
export function createKinesisClient(overrides: ClientOverrides = {}): KinesisClient {
  return new KinesisClient({ requestHandler: connections(3_000), maxAttempts: 1, ...overrides })
}

/**
 * Checksums by default (CRC-32) on what is put and what is got. Buckets in the path where the endpoint is not AWS: an
 * emulator has no DNS for them.
 */
export function createS3Client(overrides: ClientOverrides = {}): S3Client {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env
  const forcePathStyle = (overrides.endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  return new S3Client({ requestHandler: connections(20_000), maxAttempts: 5, forcePathStyle, ...overrides })
}

/** Start is idempotent by the token that the SDK gives each call, so a repeated start runs one statement. */
export function createAthenaClient(overrides: ClientOverrides = {}): AthenaClient {
  return new AthenaClient({ requestHandler: connections(5_000), maxAttempts: 3, ...overrides })
}

export function createSqsClient(overrides: ClientOverrides = {}): SQSClient {
  return new SQSClient({ requestHandler: connections(5_000), maxAttempts: 5, ...overrides })
}

export function createSecretsManagerClient(overrides: ClientOverrides = {}): SecretsManagerClient {
  return new SecretsManagerClient({ requestHandler: connections(3_000), maxAttempts: 5, ...overrides })
}

/**
 * The state table's client (core/state-table.ts). The SDK retries conditional writes too: one whose answer was lost may
 * find its own effect then and report that it did not hold. The lake takes that as another's work and goes on from what
 * the table says; a caller may be told once that what they have just made is there already.
 */
export function createDynamoClient(overrides: ClientOverrides = {}): DynamoDBDocument {
  return DynamoDBDocument.from(
    new DynamoDBClient({ requestHandler: connections(3_000), maxAttempts: 5, ...overrides }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
}
