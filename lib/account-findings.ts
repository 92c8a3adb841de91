import type { Config } from './config.ts'

/** What the CDK's command line knows about the credentials: CDK_DEFAULT_ACCOUNT and CDK_DEFAULT_REGION. */
export type Credentials = { account: string | undefined; region: string | undefined }

/** What the AWS account has now. */
export type AccountFacts = {
  /** Concurrent executions of Lambda, the quota of the account in this region. */
  concurrency: number | null
  /** Those that no function outside of this service has reserved; null if nobody can tell. */
  available: number | null
  /** Open shards of the stream of this service. Null: there is none yet, or nobody can tell. */
  shards: number | null
}

/** Texts for the deployer. A refusal stops the synthesis, so that no deployment has to roll back. */
export type AccountFindings = { refusals: string[]; warnings: string[] }

/** Enough for the default of four workers, ten open streams and some hundred requests a second. */
const ENOUGH_EXECUTIONS = 100

/** What the option `concurrency` takes at least. */
const LEAST_EXECUTIONS = 10

/** Compares the options with the account of the credentials. */
export function findMismatches(
  { account, region }: Pick<Config, 'account' | 'region'>,
  credentials: Credentials,
): string[] {
  const pairs = [
    ['account', account, credentials.account],
    ['region', region, credentials.region],
  ] as const
  return pairs.flatMap(([name, wanted, found]) =>
    wanted === undefined || found === undefined || wanted === found
      ? []
      : [
          `The credentials are of ${name} ${found}, but the option ${name} is ${wanted}. Use other credentials, or change the option.`,
        ],
  )
}

/**
 * Compares the options with the quotas of the account. What AWS does not tell is missing here: whether the
 * account is verified for CloudFront.
 */
export function findAccountProblems(
  config: Pick<Config, 'concurrency' | 'shards' | 'streamMode'>,
  { concurrency, shards }: Omit<AccountFacts, 'available'>,
): AccountFindings {
  const refusals: string[] = []
  const warnings: string[] = []
  if (concurrency !== null && config.concurrency !== undefined && config.concurrency > concurrency)
    refusals.push(
      `The account has ${concurrency} concurrent executions, but the option concurrency is ${config.concurrency}. Set it to ${concurrency}, or raise the quota first (docs/aws.md#first-deployment).`,
    )
  if (concurrency !== null && config.concurrency === undefined && concurrency < ENOUGH_EXECUTIONS)
    warnings.push(
      `The account has only ${concurrency} concurrent executions, so none can be reserved for ingestion, and streams, workers and requests are limited. Raise the quota (docs/aws.md#first-deployment).`,
    )
  const wanted = config.streamMode === 'provisioned' ? (config.shards ?? 1) : null
  if (shards !== null && wanted !== null && (wanted > shards * 2 || wanted < shards / 2)) {
    const next = wanted > shards ? shards * 2 : Math.ceil(shards / 2)
    refusals.push(
      `The stream has ${shards} shards, and Kinesis at most doubles or halves the number in one update. Deploy with shards=${next} first; ten updates in 24 hours are possible.`,
    )
  }
  return { refusals, warnings }
}

/**
 * The options with the concurrent executions of the account, if the deployer has named none: then the room
 * for ingestion and the limits of the rest follow from what the account has now. What other functions have
 * reserved is not there for this service.
 */
export function withAccount(
  options: Record<string, unknown>,
  facts: Pick<AccountFacts, 'available'> | null,
): Record<string, unknown> {
  const available = facts?.available ?? null
  if (options.concurrency !== undefined || available === null || available < LEAST_EXECUTIONS) return options
  return { ...options, concurrency: available }
}
