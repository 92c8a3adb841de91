import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { restoreService } from '#lib/restore/restore-service'
import { readServiceResources } from '#lib/restore/service-resources'
import { createWait } from '#lib/restore/wait'

// `npm run restore -- --to 2026-11-21T03:00:00Z` brings the table and the lake of a deployed service back to
// one moment (docs/aws.md, Backup and restore on AWS).

/** The function `restore` takes up to 15 minutes. */
const CALL_MS = 16 * 60_000

const { values } = parseArgs({
  options: { stack: { type: 'string', default: 'Footfall' }, to: { type: 'string' } },
})
try {
  const moment = new Date(values.to ?? '')
  if (Number.isNaN(moment.getTime()) || moment.getTime() > Date.now())
    throw new Error('Name a moment of the past: npm run restore -- --to 2026-11-21T03:00:00Z')
  const resources = await readServiceResources(new CloudFormationClient(), values.stack)
  const clients = {
    // A second try of a call would start the function twice.
    lambda: new LambdaClient({ maxAttempts: 1, requestHandler: { requestTimeout: CALL_MS } }),
    sqs: new SQSClient(),
    dynamo: new DynamoDBClient(),
    s3: new S3Client(),
    wait: createWait(sleep),
    now: Date.now,
    print: console.log,
  }
  const { stoppedSeconds, seconds } = await restoreService(clients, resources, moment)
  console.log(
    `The service is that of ${moment.toISOString()}, ${Math.round(seconds)} s after the start. New events were not shown for ${Math.round(stoppedSeconds)} s.`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
