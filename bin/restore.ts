import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { copyItems, describeCopied } from '#lib/restore/copy-items'
import { restoreService } from '#lib/restore/restore-service'
import { readServiceResources } from '#lib/restore/service-resources'
import { createWait } from '#lib/restore/wait'

// `npm run restore -- --to 2026-11-21T03:00:00Z` brings the table and the lake of a deployed service back to
// one moment (docs/aws.md, Backup and restore on AWS). `npm run restore -- --items-of TABLE` only copies the
// items of a table that was restored by hand, so that no credential comes back on that way either.

/** The function `restore` takes up to 15 minutes. */
const CALL_MS = 16 * 60_000

const { values } = parseArgs({
  options: {
    stack: { type: 'string', default: 'Footfall' },
    to: { type: 'string' },
    'items-of': { type: 'string' },
  },
})
try {
  if (values['items-of'] === undefined) await restoreTo(values.to ?? '')
  else await copyFrom(values['items-of'])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function restoreTo(to: string): Promise<void> {
  const moment = new Date(to)
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
}

async function copyFrom(copy: string): Promise<void> {
  const { table } = await readServiceResources(new CloudFormationClient(), values.stack)
  const copied = await copyItems({ dynamo: new DynamoDBClient(), wait: createWait(sleep) }, copy, table)
  console.log(`Items are copied into the table: ${describeCopied(copied)}`)
}
