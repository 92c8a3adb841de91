import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AthenaClient } from '@aws-sdk/client-athena'
import { CloudFormationClient, paginateListStacks } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SNSClient } from '@aws-sdk/client-sns'
import {
  createDynamoClient,
  createKinesisClient,
  createS3Client,
  createSecretsManagerClient,
} from '#aws/clients'
import { deleteKept } from '#lib/delete-kept'
import { gatherStackFacts } from '#lib/doctor/facts'
import { stackFindings } from '#lib/doctor/findings'
import { findKeptIds } from '#lib/find-kept'
import { findingsText } from '#schemas/findings'
import { createCdk, SHORT_EPOCHS, UNPROTECTED } from './cdk.ts'
import { runJourneys } from './journeys.ts'
import { createLedger, table } from './ledger.ts'
import { makeOwner } from './owner.ts'

// `npm run smoke:aws` deploys the service to the AWS account of the environment as a stack of its own, runs
// the journeys and the doctor, and deletes the stack and its data (docs/aws.md). With `-- --keep` it stays.
// The exit code is 0 when all passed and nothing is left.

const MINUTE_MS = 60_000
/** Events are in reports after a minute and a half; the rest is for a slow start. */
const VISIBLE_S = 600
/** An epoch of a minute, the pause after it, and a job. */
const COMPACTION_MS = 20 * MINUTE_MS
/** The trial has no address for alarms, because somebody would have to confirm it. */
const EXPECTED_PROBLEM = 'alarms'

const { values } = parseArgs({
  options: {
    stack: { type: 'string', default: 'FootfallSmoke' },
    keep: { type: 'boolean', default: false },
  },
})
const startMs = performance.now()
const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION
const options = { maxAttempts: 10 }
const clients = {
  cloudFormation: new CloudFormationClient(options),
  // No retries: the owner function would make a second key.
  lambda: new LambdaClient({ maxAttempts: 1 }),
  athena: new AthenaClient(options),
  logs: new CloudWatchLogsClient(options),
  sns: new SNSClient(options),
  secrets: createSecretsManagerClient(options),
  s3: createS3Client(options),
  dynamo: createDynamoClient(options),
  kinesis: createKinesisClient(options),
}
const ledger = createLedger()
const abortController = new AbortController()
const folder = await mkdtemp(join(tmpdir(), 'footfall-smoke-'))
const cdk = createCdk(folder, {
  env: { ...process.env, AWS_REGION: region },
  always: { ...UNPROTECTED, ...SHORT_EPOCHS, stackName: values.stack },
})
// Ctrl-C ends the step that runs. The stack is deleted all the same; a second one leaves it.
process.once('SIGINT', () => {
  console.error(`\nDeleting the stack ${values.stack}. Press Ctrl-C again to leave it, with its costs.`)
  abortController.abort()
})

try {
  if (region === undefined) throw new Error('Set AWS_REGION to the region of the trial.')
  await refuseExistingStack()
  try {
    await runAll()
  } finally {
    if (values.keep) console.log(`The stack ${values.stack} stays, with its costs.`)
    else await deleteAll()
  }
} catch (error) {
  // The table shows the error of a failed step.
  if (ledger.entries.every(({ passed }) => passed))
    console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
if (ledger.entries.length > 0)
  console.log(`\n${table(ledger.entries)} in ${Math.round((performance.now() - startMs) / 1_000)} s`)

/** A stack that was there before the trial has somebody's data, and would be deleted with it. */
async function refuseExistingStack(): Promise<void> {
  for await (const { StackSummaries = [] } of paginateListStacks({ client: clients.cloudFormation }, {}))
    if (StackSummaries.some(({ StackName, DeletionTime }) => StackName === values.stack && !DeletionTime))
      throw new Error(
        `The stack ${values.stack} exists, and the end of this command would delete it. Name another with --stack.`,
      )
}

async function runAll(): Promise<void> {
  const { outputs } = await ledger.step('cdk deploy', () => cdk.deploy())
  const owner = await ledger.step("create the owner's account, an API key and a project", () =>
    makeOwner(clients, { makeOwner: outputs.MakeOwner ?? '' }),
  )
  const { base_url, api_key, setup_link } = owner
  const file = { base_url, api_key, setup_link, visible_within_s: VISIBLE_S }
  const journeys = await ledger.check('the journeys pass on the deployed service', async () => {
    const { signal: abortSignal } = abortController
    return `${await runJourneys({ folder, file, patience: 1, abortSignal })} tests`
  })
  const doctor = await ledger.check('npm run doctor finds no problem, before and after a compaction', () =>
    askDoctor(api_key),
  )
  if (!journeys || !doctor) process.exitCode = 1
}

async function askDoctor(apiKey: string): Promise<string> {
  abortController.signal.throwIfAborted()
  const facts = await gatherStackFacts(clients, values.stack, {
    apiKey,
    statements: [],
    visibleMs: VISIBLE_S * 1_000,
    compactionMs: COMPACTION_MS,
    now: Date.now,
    sleep: ms => sleep(ms, undefined, { signal: abortController.signal }),
    print: text => console.log(text),
  })
  const findings = stackFindings(facts)
  const problems = findings.filter(({ level, check }) => level === 'problem' && check !== EXPECTED_PROBLEM)
  if (problems.length > 0) throw new Error(findingsText(problems))
  return `${findings.length} findings, no problem but that nobody gets the alarms`
}

async function deleteAll(): Promise<void> {
  await ledger.step('cdk destroy', () => cdk.destroy())
  await ledger.step(
    'delete the data that cdk destroy keeps',
    async () => {
      const { physicalIds } = await findKeptIds(clients.cloudFormation, values.stack)
      return deleteKept(clients, physicalIds)
    },
    names => names.join(', '),
  )
}
