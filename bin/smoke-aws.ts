import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AthenaClient } from '@aws-sdk/client-athena'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SNSClient } from '@aws-sdk/client-sns'
import { gatherStackFacts } from '#lib/doctor/facts'
import { stackFindings } from '#lib/doctor/findings'
import { findKeptIds } from '#lib/find-kept'
import { deleteKept } from '#lib/smoke/delete-kept'
import { runSmoke } from '#lib/smoke/run-smoke'
import { runJourneys } from '#rehearsal/journeys'
import { makeOwner } from '#rehearsal/owner'
import { findingsText } from '#schemas/findings'
import type { OwnerAccess } from '#schemas/owner'

// `npm run smoke:aws` deploys a stack of its own to the AWS account of the environment, runs the journeys and
// the doctor on it, and deletes it with all its data (docs/aws.md, A smoke test in your CI).

const MINUTE_MS = 60_000
const ROOT = resolve(import.meta.dirname, '..')
/** The batching window, the consumer and a cold start. */
const VISIBLE_S = 300
/** With epochs of a minute. */
const COMPACTION_MS = 15 * MINUTE_MS
/** A smoke test has no address for alarms. */
const EXPECTED_PROBLEMS = ['alarms']

const { values } = parseArgs({ options: { stack: { type: 'string', default: 'FootfallSmoke' } } })
const StackName = values.stack
const options = { maxAttempts: 10 }
const cloudFormation = new CloudFormationClient(options)
const folder = mkdtempSync(join(tmpdir(), 'footfall-smoke-'))
const outputsFile = join(folder, 'outputs.json')
let owner: OwnerAccess | null = null

/** Runs the command line of the CDK. Its output is the log of the CI. */
async function cdk(command: string, ...args: string[]): Promise<void> {
  const context = { stackName: StackName, terminationProtection: 'false', epochMinutes: '1' }
  const child = spawn(
    join(ROOT, 'node_modules/.bin/cdk'),
    [command, ...Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...args],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const code = await new Promise<number | null>((resolveCode, rejectCode) => {
    child.on('error', rejectCode)
    child.on('close', resolveCode)
  })
  if (code !== 0) throw new Error(`cdk ${command} ended with exit code ${code}.`)
}

function ownerOf(): OwnerAccess {
  if (owner === null) throw new Error('There is no owner.')
  return owner
}

const passed = await runSmoke(
  {
    async expectNoStack() {
      const found = await cloudFormation.send(new DescribeStacksCommand({ StackName })).catch(error => {
        if (/does not exist/.test((error as Error).message)) return null
        throw error
      })
      if (found !== null) throw new Error(`The stack ${StackName} exists. Name another one: --stack NAME`)
      return 'the name is free'
    },
    async deploy() {
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', outputsFile)
      const outputs = JSON.parse(readFileSync(outputsFile, 'utf8')) as Record<string, Record<string, string>>
      const { BaseUrl = '', MakeOwner = '' } = outputs[StackName] ?? {}
      owner = await makeOwner({ lambda: new LambdaClient({ maxAttempts: 1 }) }, { makeOwner: MakeOwner })
      return BaseUrl
    },
    async journeys() {
      const { base_url, api_key, setup_link } = ownerOf()
      const file = { base_url, api_key, setup_link, visible_within_s: VISIBLE_S }
      return `${await runJourneys({ folder, file, patience: 1, abortSignal: new AbortController().signal })} tests`
    },
    async doctor() {
      const clients = {
        cloudFormation,
        lambda: new LambdaClient(options),
        athena: new AthenaClient(options),
        logs: new CloudWatchLogsClient(options),
        sns: new SNSClient(options),
      }
      const findings = stackFindings(
        await gatherStackFacts(clients, StackName, {
          apiKey: ownerOf().api_key,
          statements: [],
          visibleMs: VISIBLE_S * 1_000,
          compactionMs: COMPACTION_MS,
          now: Date.now,
          sleep,
          print: console.error,
        }),
      )
      console.log(findingsText(findings))
      const problems = findings.filter(
        ({ level, check }) => level === 'problem' && !EXPECTED_PROBLEMS.includes(check),
      )
      if (problems.length > 0) throw new Error(problems.map(({ check }) => check).join(', '))
      return `${findings.length} findings`
    },
    async destroy() {
      await cdk('destroy', '--force')
      return StackName
    },
    async deleteKept() {
      const { physicalIds } = await findKeptIds(cloudFormation, StackName)
      const clients = {
        kinesis: new KinesisClient(options),
        dynamo: new DynamoDBClient(options),
        s3: new S3Client(options),
        secrets: new SecretsManagerClient(options),
      }
      return (await deleteKept(clients, physicalIds)).join(', ')
    },
  },
  console.log,
)
rmSync(folder, { recursive: true, force: true })
process.exitCode = passed ? 0 : 1
