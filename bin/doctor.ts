import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AthenaClient } from '@aws-sdk/client-athena'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SNSClient } from '@aws-sdk/client-sns'
import { gatherStackFacts } from '#lib/doctor/facts'
import { stackFindings } from '#lib/doctor/findings'
import { countProblems, findingsText } from '#schemas/findings'

// `npm run doctor -- --stack Footfall` looks at a deployed service as its owner does after a deployment
// (docs/aws.md). The exit code is 0 when nothing is wrong, and 1 when there is a problem, or the stack cannot
// be looked at.

const MINUTE_MS = 60_000
/** Events are in reports after a minute and a half; the rest is for a slow start. */
const VISIBLE_MS = 10 * MINUTE_MS
/** An epoch of 15 minutes, the pause after it, and a job. */
const WAIT_MINUTES = 45

const { values } = parseArgs({
  options: {
    stack: { type: 'string', default: 'Footfall' },
    wait: { type: 'string', default: String(WAIT_MINUTES) },
    explain: { type: 'boolean' },
    json: { type: 'boolean' },
  },
})
try {
  const minutes = Number(values.wait)
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > 600)
    throw new Error('--wait takes whole minutes from 0 to 600.')
  const options = { maxAttempts: 10 }
  const clients = {
    cloudFormation: new CloudFormationClient(options),
    lambda: new LambdaClient(options),
    athena: new AthenaClient(options),
    logs: new CloudWatchLogsClient(options),
    sns: new SNSClient(options),
  }
  const facts = await gatherStackFacts(clients, values.stack, {
    apiKey: process.env.FOOTFALL_API_KEY || null,
    statements: values.explain === true ? await recordedStatements() : [],
    visibleMs: VISIBLE_MS,
    compactionMs: minutes * MINUTE_MS,
    now: Date.now,
    sleep,
    print: text => console.error(text),
  })
  const findings = stackFindings(facts)
  const problems = countProblems(findings)
  console.log(
    values.json === true
      ? JSON.stringify({ stack: values.stack, problems, findings })
      : findingsText(findings),
  )
  process.exitCode = problems === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** One statement of each kind that the check with Trino records. Took 24 minutes on two busy cores. */
async function recordedStatements(): Promise<string[]> {
  console.error('Records the statements of all reports on this machine, which takes some 20 minutes.')
  const { recordForAthena } = await import('#test/trino/record-for-athena')
  return recordForAthena()
}
