import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListWorkGroupsCommand } from '@aws-sdk/client-athena'
import { ListStreamsCommand } from '@aws-sdk/client-kinesis'
import { ListBucketsCommand } from '@aws-sdk/client-s3'
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager'
import { ListTopicsCommand } from '@aws-sdk/client-sns'
import { ListQueuesCommand } from '@aws-sdk/client-sqs'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test } from 'vitest'
import {
  type ClientOverrides,
  createAthenaClient,
  createDynamoClient,
  createKinesisClient,
  createS3Client,
  createSecretsManagerClient,
  createSnsClient,
  createSqsClient,
} from '#aws/clients'
import { EMULATOR_ACCESS } from '#test/support/emulators'

const calls: Record<string, (at: ClientOverrides) => () => Promise<unknown>> = {
  Kinesis(at) {
    const client = createKinesisClient(at)
    return () => client.send(new ListStreamsCommand({}))
  },
  S3(at) {
    const client = createS3Client(at)
    return () => client.send(new ListBucketsCommand({}))
  },
  Athena(at) {
    const client = createAthenaClient(at)
    return () => client.send(new ListWorkGroupsCommand({}))
  },
  SQS(at) {
    const client = createSqsClient(at)
    return () => client.send(new ListQueuesCommand({}))
  },
  SNS(at) {
    const client = createSnsClient(at)
    return () => client.send(new ListTopicsCommand({}))
  },
  'Secrets Manager'(at) {
    const client = createSecretsManagerClient(at)
    return () => client.send(new ListSecretsCommand({}))
  },
  DynamoDB(at) {
    const client = createDynamoClient(at)
    return () => client.send(new ScanCommand({ TableName: 't' }))
  },
}

/** Responses of the services that speak XML. */
const XML: Record<string, string> = {
  S3: '<ListAllMyBucketsResult/>',
  SNS: '<ListTopicsResponse><ListTopicsResult/></ListTopicsResponse>',
}

test.each(Object.entries(calls))('requests to %s share one connection with HTTP/1.1', async (name, open) => {
  let connections = 0
  const versions = new Set<string>()
  const server = createServer((request, response) => {
    versions.add(request.httpVersion)
    request.resume().on('end', () => response.end(XML[name] ?? '{}'))
  }).listen(0, '127.0.0.1')
  server.on('connection', () => {
    connections += 1
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const call = open({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...EMULATOR_ACCESS,
  })
  for (let i = 0; i < 5; i++) await call()
  expect(connections).toBe(1)
  expect([...versions]).toEqual(['1.1'])
})
