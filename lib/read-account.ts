import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeStreamSummaryCommand, KinesisClient } from '@aws-sdk/client-kinesis'
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda'
import type { AccountFacts, Credentials } from './account-findings.ts'

/** The synthesis waits at most this long for AWS. */
const TIMEOUT_MS = 5_000
/** The stack of `cdk bootstrap`. */
const TOOLKIT = 'CDKToolkit'
/** Logical id of the function that takes events. A test compares it with the template. */
export const TRACK_FUNCTION = 'trackFunction5A9D1902'

/**
 * Reads what the AWS account has, with the credentials of the environment. Null if nobody can tell: there are
 * no credentials, they are of another account than those of the CDK's command line (which may use another
 * profile), or they have no right to look.
 */
export async function readAccount(
  stackName: string,
  { account, region }: Credentials,
): Promise<AccountFacts | null> {
  if (account === undefined || region === undefined) return null
  const abortSignal = AbortSignal.timeout(TIMEOUT_MS)
  const options = { region, maxAttempts: 2 }
  const cloudFormation = new CloudFormationClient(options)
  const describe = async (StackName: string) => {
    const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }), {
      abortSignal,
    })
    return stack
  }
  try {
    const stack = await describe(stackName).catch(() => null)
    // The ARN of any stack has the account of these credentials.
    const arn = (stack ?? (await describe(TOOLKIT)))?.StackId
    if (arn?.split(':')[4] !== account) return null
    const streamName = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'StreamName')?.OutputValue
    const lambda = new LambdaClient(options)
    const [limits, reserved, shards] = await Promise.all([
      lambda
        .send(new GetAccountSettingsCommand({}), { abortSignal })
        .then(({ AccountLimit }) => AccountLimit),
      stack === null ? 0 : readReserved({ cloudFormation, lambda, stackName, abortSignal }),
      streamName === undefined ? null : readShards(new KinesisClient(options), streamName, abortSignal),
    ])
    const { ConcurrentExecutions: concurrency = null, UnreservedConcurrentExecutions: unreserved } =
      limits ?? {}
    const available = unreserved === undefined || reserved === null ? null : unreserved + reserved
    return { concurrency, available, shards }
  } catch {
    return null
  }
}

/** Executions that this service has reserved for ingestion; null if nobody can tell. */
async function readReserved({
  cloudFormation,
  lambda,
  stackName,
  abortSignal,
}: {
  cloudFormation: CloudFormationClient
  lambda: LambdaClient
  stackName: string
  abortSignal: AbortSignal
}): Promise<number | null> {
  try {
    const { StackResources: resources = [] } = await cloudFormation.send(
      new DescribeStackResourcesCommand({ StackName: stackName, LogicalResourceId: TRACK_FUNCTION }),
      { abortSignal },
    )
    const FunctionName = resources[0]?.PhysicalResourceId
    if (FunctionName === undefined) return 0
    const command = new GetFunctionConcurrencyCommand({ FunctionName })
    return (await lambda.send(command, { abortSignal })).ReservedConcurrentExecutions ?? 0
  } catch {
    return null
  }
}

/**
 * Open shards of a provisioned stream. Null for one on demand, whose shards nobody chooses, and if nobody can
 * tell: then the executions of the account count all the same, or this deployment would take back what the
 * first one has reserved.
 */
async function readShards(
  client: KinesisClient,
  StreamName: string,
  abortSignal: AbortSignal,
): Promise<number | null> {
  try {
    const { StreamDescriptionSummary: stream } = await client.send(
      new DescribeStreamSummaryCommand({ StreamName }),
      { abortSignal },
    )
    if (stream?.StreamModeDetails?.StreamMode === 'ON_DEMAND') return null
    return stream?.OpenShardCount ?? null
  } catch {
    return null
  }
}
