import * as z from 'zod'

/**
 * The functions on AWS, and the settings that each reads from its environment. lib/ gives a function exactly
 * these variables, with the grants for them. aws/settings.ts reads them by the same schema.
 */

const setting = (description: string) => z.string().min(1).meta({ description })

const TABLE_NAME = setting('Name of the state table')
const STREAM_ARN = setting('ARN of the event stream')
const BUCKET_NAME = setting('Name of the S3 bucket of the lake')
const JOB_QUEUE_URL = setting('Address of the job queue')
const SCAN_FUNCTION = setting('Name of the function that reads pages of websites')
const BASE_URL = setting('Address of the service, without a slash at its end')
const ATHENA_WORKGROUP = setting('Workgroup that the reports run in')
const GLUE_DATABASE = setting('Database of the lake in the catalog')
const READS_MEMORY_MB = z.coerce
  .number()
  .int()
  .min(0)
  .meta({ description: 'Memory of DuckDB for small reads, MB; 0: Athena answers all reads' })
const EMAIL_KEY_ARN = setting('ARN of the secret with the key of the e-mail index')
const EPOCH_MINUTES = z.coerce
  .number()
  .int()
  .min(1)
  .meta({ description: 'How often new events are compacted, minutes' })
const COMPACTION_MEMORY_MB = z.coerce.number().int().min(64).meta({ description: 'Memory of DuckDB, MB' })

/** A setting that may be empty: the deployer has not chosen it. */
const optional = (description: string) => z.string().meta({ description })

const EDGE_KEY = optional('What CloudFront sends with each request; empty without CloudFront')
const COUNTRY_HEADER = optional(
  'Lower-case name of the header with the country of the user; empty without CloudFront',
)
const TEXT_MODEL = optional('Model of Amazon Bedrock that words the advice of website analyses')
const FEEDBACK_WEBHOOK = optional('Address that gets feedback by POST')
const FEEDBACK_TOPIC = optional('ARN of the SNS topic that gets feedback')

/** Plans and limits, for the functions that check them. */
export const planSettings = {
  PROFILE: z.enum(['own', 'hosted']).meta({ description: 'Plans and limits' }),
  LIMITS: optional('Numbers of the profile that the deployer replaces'),
}

/** The payment provider and its keys. */
const paymentSettings = {
  PROVIDER_CREDENTIALS: optional('ARN of the secret with the keys of the providers'),
  STRIPE_PRICE: optional('Price of the Pro plan at Stripe'),
}

/** Who may sign in, and how; for the pages. */
const signInSettings = {
  SIGN_UP: optional('Addresses and domains that may sign in beside the owner'),
  OPENID_ISSUER: optional('Address of the OpenID provider'),
  OPENID_CLIENT_ID: optional('Id of the service at the OpenID provider'),
  OPENID_LABEL: optional('Name of the OpenID provider on its button'),
  CODE_HOST_URL: optional('Address of the code host'),
  CODE_HOST_API_URL: optional('Address of the API of the code host'),
  CODE_HOST_CLIENT_ID: optional('Id of the service at the code host'),
  CODE_HOST_LABEL: optional('Name of the code host on its button'),
}

/** The settings of every function: Powertools puts these fields on each log line and metric. */
const common = {
  POWERTOOLS_SERVICE_NAME: setting('Name of the function on log lines and metrics'),
  POWERTOOLS_METRICS_NAMESPACE: setting('Namespace of the metrics'),
  POWERTOOLS_LOG_LEVEL: z
    .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
    .meta({ description: 'The lowest level that is logged' }),
}

/** What answers reports has. */
const reportsSettings = {
  ...common,
  ...{ TABLE_NAME, BASE_URL, EDGE_KEY, BUCKET_NAME, ATHENA_WORKGROUP, GLUE_DATABASE },
  READS_MEMORY_MB,
  EMAIL_KEY_ARN,
  ...planSettings,
}

/** What changes projects and accounts has. */
const controlSettings = {
  ...common,
  ...{ TABLE_NAME, BUCKET_NAME, BASE_URL, EDGE_KEY, JOB_QUEUE_URL, ...planSettings },
  FEEDBACK_WEBHOOK,
  FEEDBACK_TOPIC,
}

/** The keys are the names of the folders in lambdas/. */
export const functions = {
  /**
   * The HTTP functions. `track` has no address of the service: with a function URL, CloudFront needs the
   * address of the function first.
   */
  track: z.object({
    ...common,
    TABLE_NAME,
    EDGE_KEY,
    STREAM_ARN,
    COUNTRY_HEADER,
    EMAIL_KEY_ARN,
    ...planSettings,
  }),
  reports: z.object(reportsSettings),
  /** Streams its responses, so it has a function URL instead of routes of the HTTP API. */
  stream: z.object({ ...common, TABLE_NAME, EDGE_KEY, ...planSettings }),
  control: z.object(controlSettings),
  auth: z.object({ ...common, TABLE_NAME, BASE_URL, EDGE_KEY, COUNTRY_HEADER, ...planSettings }),
  /** It runs reports and changes projects itself, so it has what reports and control have. */
  mcp: z.object({ ...reportsSettings, ...controlSettings }),
  /** Session replay: its objects lie in the bucket of the lake, below a prefix of their own. */
  replay: z.object({ ...common, TABLE_NAME, BASE_URL, EDGE_KEY, BUCKET_NAME, ...planSettings }),
  site: z.object({ ...common, BASE_URL, EDGE_KEY }),
  pages: z.object({
    ...common,
    TABLE_NAME,
    BASE_URL,
    EDGE_KEY,
    ...planSettings,
    ...signInSettings,
    ...paymentSettings,
  }),
  /** The lake consumer; the stream starts it. */
  lake: z.object({ ...common, TABLE_NAME, STREAM_ARN, BUCKET_NAME }),
  /** The live consumer; the stream starts it. */
  live: z.object({ ...common, TABLE_NAME, ...planSettings }),
  /** The worker for compaction, merges, website analyses and exports; the job queue starts it. */
  jobs: z.object({
    ...common,
    ...{ TABLE_NAME, BUCKET_NAME, JOB_QUEUE_URL, COMPACTION_MEMORY_MB, SCAN_FUNCTION, TEXT_MODEL },
    ...planSettings,
  }),
  /** Reads the pages of one website; the worker calls it. It has no rights. */
  scan: z.object({ ...common, BASE_URL }),
  /** Makes table and lake agree after one of them was restored. An operator calls it. */
  restore: z.object({ ...common, TABLE_NAME, STREAM_ARN, BUCKET_NAME, COMPACTION_MEMORY_MB }),
  /** Maintenance of the lake, purge, retention, and the ends of subscriptions; a schedule starts it. */
  scheduler: z.object({
    ...common,
    TABLE_NAME,
    BUCKET_NAME,
    JOB_QUEUE_URL,
    EPOCH_MINUTES,
    STREAM_ARN,
    RETENTION_HOURS: z.coerce.number().int().min(24),
    ...planSettings,
    ...paymentSettings,
  }),
  /** Creates the owner's account, an API key and a project, and fills the demo. The deployer calls it. */
  owner: z.object({ ...common, TABLE_NAME, BASE_URL, STREAM_ARN }),
} as const satisfies Record<string, z.ZodObject>

export type FunctionName = keyof typeof functions
export type FunctionSettings<N extends FunctionName> = z.output<(typeof functions)[N]>
