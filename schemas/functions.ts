import * as z from 'zod'

/**
 * The functions on AWS, and the settings that each reads from its environment. lib/ gives a function exactly these
 * variables, with the grants for them. aws/settings.ts reads them by the same schema.
 */

const setting = (description: string) => z.string().min(1).meta({ description })

const TABLE_NAME = setting('Name of the state table')
const STREAM_ARN = setting('ARN of the event stream')
const BUCKET_NAME = setting('Name of the S3 bucket of the lake')
const JOB_QUEUE_URL = setting('Address of the job queue')
const BASE_URL = setting('Address of the service, without a slash at its end')
const COUNTRY_HEADER = setting('Lower-case name of the header with the country of the user')
const ATHENA_WORKGROUP = setting('Workgroup that the reports run in')
const GLUE_DATABASE = setting('Database of the lake in the catalog')
const EPOCH_MINUTES = z.coerce
  .number()
  .int()
  .min(1)
  .meta({ description: 'How often new events are compacted, minutes' })
const COMPACTION_MEMORY_MB = z.coerce.number().int().min(64).meta({ description: 'Memory of DuckDB, MB' })

/** The settings of every function: Powertools puts these fields on each log line and metric. */
const common = {
  POWERTOOLS_SERVICE_NAME: setting('Name of the function on log lines and metrics'),
  POWERTOOLS_METRICS_NAMESPACE: setting('Namespace of the metrics'),
  POWERTOOLS_LOG_LEVEL: z
    .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
    .meta({ description: 'The lowest level that is logged' }),
}

/** The keys are the names of the folders in lambdas/. */
export const functions = {
  /** The HTTP functions. */
  track: z.object({ ...common, TABLE_NAME, STREAM_ARN, COUNTRY_HEADER }),
  reports: z.object({ ...common, TABLE_NAME, BASE_URL, ATHENA_WORKGROUP, GLUE_DATABASE }),
  control: z.object({ ...common, TABLE_NAME, BASE_URL }),
  site: z.object({ ...common, BASE_URL }),
  /** The lake consumer; the stream starts it. */
  lake: z.object({ ...common, TABLE_NAME, STREAM_ARN, BUCKET_NAME }),
  /** The worker for warm and cold compaction; the job queue starts it. */
  jobs: z.object({ ...common, TABLE_NAME, BUCKET_NAME, COMPACTION_MEMORY_MB }),
  /** Maintenance of the lake; a schedule starts it. */
  scheduler: z.object({ ...common, TABLE_NAME, BUCKET_NAME, JOB_QUEUE_URL, EPOCH_MINUTES }),
  /** Creates the owner's account, an API key and a project. The deployer calls it. */
  owner: z.object({ ...common, TABLE_NAME, BASE_URL }),
} as const satisfies Record<string, z.ZodObject>

export type FunctionName = keyof typeof functions
export type FunctionSettings<N extends FunctionName> = z.output<(typeof functions)[N]>
