import type { AthenaClient } from '@aws-sdk/client-athena'
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { type CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs'
import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import { paginateListSubscriptionsByTopic, type SNSClient } from '@aws-sdk/client-sns'
import { type Answer, type Caller, createCaller } from './caller.ts'
import { type DeployedStack, readDeployedStack } from './deployed-stack.ts'
import { type Explained, explainAll } from './explain.ts'
import { runTrial, type Trial } from './trial.ts'
import { watchStream } from './watch-stream.ts'

/** What is known of one deployed stack. */
export type StackFacts = {
  name: string
  stack: DeployedStack
  /** Concurrent executions of the account; null: nobody may look. */
  executions: number | null
  /** Who gets the alarms; null: nobody may look. */
  subscriptions: { isConfirmed: boolean }[] | null
  /** Lines of the functions' logs of the last day; null: nobody may look. */
  logs: { denied: string[]; merges: number } | null
  /** `pastEdge`: null without CloudFront. */
  answers: Record<'health' | 'nothing' | 'stranger' | 'notUtf8', Answer> & { pastEdge: Answer | null }
  /** Null without an API key. */
  trial: Trial | null
  /** Null: no statements were given. */
  explained: Explained | null
}

export type DoctorClients = {
  cloudFormation: CloudFormationClient
  lambda: LambdaClient
  athena: AthenaClient
  logs: CloudWatchLogsClient
  sns: SNSClient
}

export type DoctorOptions = {
  apiKey: string | null
  /** Statements that Athena plans; none: it plans nothing. */
  statements: readonly string[]
  visibleMs: number
  compactionMs: number
  now(): number
  sleep(ms: number): Promise<unknown>
  print(text: string): void
  /** Where this machine reaches the service and its API, if not at their own addresses. */
  reachedAt?: { baseUrl: string; apiUrl: string }
}

const DAY_MS = 86_400_000
/** Lines that are shown of a log. */
const MOST_LINES = 5

/** Looks at a stack as its owner and as a stranger. Throws if there is no such stack. */
export async function gatherStackFacts(
  clients: DoctorClients,
  name: string,
  options: DoctorOptions,
): Promise<StackFacts> {
  const { apiKey, statements, now, sleep, print, reachedAt } = options
  const found = await readDeployedStack(clients, name)
  const stack = { ...found, apiUrl: found.apiUrl === null ? null : (reachedAt?.apiUrl ?? found.apiUrl) }
  const baseUrl = reachedAt?.baseUrl ?? stack.baseUrl
  const stranger = createCaller(baseUrl, null)
  const [executions, subscriptions, logs, answers] = await Promise.all([
    readExecutions(clients),
    readSubscriptions(clients, stack.alarmTopics),
    readLogs(clients, stack.logGroups, now() - DAY_MS),
    askAsStranger(stranger, stack.apiUrl),
  ])
  const explained = statements.length === 0 ? null : await explain()
  const trial = apiKey === null ? null : await tryOut(apiKey)
  return { name, stack, executions, subscriptions, logs, answers, trial, explained }

  function explain(): Promise<Explained> {
    print(`Lets Athena plan ${statements.length} statements.`)
    return explainAll(statements, { ...stack, client: clients.athena, sleep })
  }

  function tryOut(key: string): Promise<Trial> {
    const { streamUrl } = stack
    const url = streamUrl?.replace(stack.baseUrl, baseUrl) ?? ''
    return runTrial(createCaller(baseUrl, key), {
      ...options,
      hasStream: streamUrl !== null,
      watchStream: (project, event, send) => watchStream({ url, apiKey: key }, { project, event }, send),
    })
  }
}

async function readExecutions({ lambda }: DoctorClients): Promise<number | null> {
  const { AccountLimit } = await lambda
    .send(new GetAccountSettingsCommand({}))
    .catch(() => ({ AccountLimit: null }))
  return AccountLimit?.ConcurrentExecutions ?? null
}

/** A subscription that nobody has confirmed has no ARN yet. */
async function readSubscriptions(
  { sns }: DoctorClients,
  topics: readonly string[],
): Promise<StackFacts['subscriptions']> {
  const found: { isConfirmed: boolean }[] = []
  try {
    for (const TopicArn of topics)
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
        { client: sns },
        { TopicArn },
      ))
        for (const { SubscriptionArn = '' } of Subscriptions)
          found.push({ isConfirmed: SubscriptionArn.startsWith('arn:') })
    return found
  } catch {
    return null
  }
}

async function readLogs(
  { logs }: DoctorClients,
  groups: readonly string[],
  startTime: number,
): Promise<StackFacts['logs']> {
  const denied: string[] = []
  let merges = 0
  try {
    for (const logGroupName of groups) {
      denied.push(...(await linesWith(logs, { logGroupName, startTime, filterPattern: 'AccessDenied' })))
      merges += (await linesWith(logs, { logGroupName, startTime, filterPattern: 'SEGMENTS_MERGED' })).length
    }
    return { denied, merges }
  } catch {
    return null
  }
}

async function linesWith(
  client: CloudWatchLogsClient,
  search: { logGroupName: string; startTime: number; filterPattern: string },
): Promise<string[]> {
  const lines: string[] = []
  for await (const { events = [] } of paginateFilterLogEvents({ client }, search)) {
    lines.push(...events.map(({ message = '' }) => `${search.logGroupName}: ${message.trim().slice(0, 300)}`))
    if (lines.length >= MOST_LINES) break
  }
  return lines.slice(0, MOST_LINES)
}

async function askAsStranger(call: Caller, apiUrl: string | null): Promise<StackFacts['answers']> {
  const [health, pastEdge, nothing, stranger, notUtf8] = await Promise.all([
    call('/health'),
    apiUrl === null ? null : createCaller(apiUrl, null)('/health'),
    call('/nothing'),
    call('/projects'),
    call('/track', { body: Uint8Array.from(Buffer.from('{"token": "\xff"}', 'latin1')) }),
  ])
  return { health, pastEdge, nothing, stranger, notUtf8 }
}
