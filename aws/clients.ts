import { AthenaClient } from '@aws-sdk/client-athena'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'

/**
 * The clients of the AWS SDK. Each has its own function, so that a bundle holds only the clients that it
 * uses. Create a client once, outside of handlers: it keeps its connections from one invocation to the next.
 * The SDK reads region, credentials and (in a rehearsal) AWS_ENDPOINT_URL from the environment itself.
 */

/** Endpoint and credentials of an emulator, for tests and rehearsals. */
export type ClientOverrides = {
  endpoint?: string
  region?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
  maxAttempts?: number
}

/** A connection within a region takes a few ms. After a second a new try is better. */
const CONNECT_MS = 1_000
/** The largest number of connections of a client; more requests wait. */
const SOCKETS = 64

/**
 * Creates HTTP/1.1 connections that are kept alive. The SDK by itself has no limit on the wait for a
 * response.
 */
function createConnections(responseMs: number): NodeHttpHandler {
  return new NodeHttpHandler({
    httpsAgent: { keepAlive: true, maxSockets: SOCKETS },
    httpAgent: { keepAlive: true, maxSockets: SOCKETS },
    connectionTimeout: CONNECT_MS,
    requestTimeout: responseMs,
    throwOnRequestTimeout: true,
  })
}

/**
 * Uses HTTP/1.1, although the SDK's default for Kinesis is HTTP/2. A function has one request in flight at a
 * time, so HTTP/2 gains nothing, and a broken HTTP/2 session breaks all its requests. The SDK does not retry:
 * the stream adapter does, because it must look into each response for the records that failed.
 */
export function createKinesisClient(overrides: ClientOverrides = {}): KinesisClient {
  return new KinesisClient({ requestHandler: createConnections(3_000), maxAttempts: 1, ...overrides })
}

/**
 * The SDK checks each object by its CRC-32. With an endpoint that is not AWS the name of the S3 bucket stands
 * in the path, because an emulator has no DNS names for S3 buckets.
 */
export function createS3Client(overrides: ClientOverrides = {}): S3Client {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env
  const forcePathStyle = (overrides.endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  return new S3Client({
    requestHandler: createConnections(20_000),
    maxAttempts: 5,
    forcePathStyle,
    ...overrides,
  })
}

/** The SDK gives each start a token, so a start that is retried runs one statement. */
export function createAthenaClient(overrides: ClientOverrides = {}): AthenaClient {
  return new AthenaClient({ requestHandler: createConnections(5_000), maxAttempts: 3, ...overrides })
}

export function createSqsClient(overrides: ClientOverrides = {}): SQSClient {
  return new SQSClient({ requestHandler: createConnections(5_000), maxAttempts: 5, ...overrides })
}

/**
 * Two attempts with a short timeout: the feedback is already stored, and the caller waits for the response.
 */
export function createSnsClient(overrides: ClientOverrides = {}): SNSClient {
  return new SNSClient({ requestHandler: createConnections(3_000), maxAttempts: 2, ...overrides })
}

/** One attempt, because a second one would read the pages again. A full analysis takes up to 170 s. */
export function createLambdaClient(overrides: ClientOverrides = {}): LambdaClient {
  return new LambdaClient({ requestHandler: createConnections(175_000), maxAttempts: 1, ...overrides })
}

export function createSecretsManagerClient(overrides: ClientOverrides = {}): SecretsManagerClient {
  return new SecretsManagerClient({ requestHandler: createConnections(3_000), maxAttempts: 5, ...overrides })
}

/**
 * The client of the state table (core/state/state-table.ts). The SDK also retries conditional writes. When
 * the first response is lost, the retry meets its own write, and the condition seems not to hold. The lake
 * then takes the write for another process's work and goes on from the table. A caller may be told once that
 * a new project exists already.
 */
export function createDynamoClient(overrides: ClientOverrides = {}): DynamoDBDocument {
  return DynamoDBDocument.from(
    new DynamoDBClient({ requestHandler: createConnections(3_000), maxAttempts: 5, ...overrides }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
}
