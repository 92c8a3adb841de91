import * as z from 'zod'

/** What `cdk deploy -c name=value` or cdk.json's `context` can set. Every option has a default that works. */

/** Values come as text from the command line, and as they are from cdk.json. */
const whole = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)])
    .pipe(z.number().int().min(min).max(max))
const flag = z.union([z.boolean(), z.stringbool()])

/** Days for which CloudWatch keeps logs: it takes no others. */
const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

const schema = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'must start with a letter and hold letters, digits and dashes')
    .default('Footfall')
    .meta({ description: 'Name of the stack: another one beside it is another service with its own data' }),
  architecture: z
    .enum(['arm64', 'x86_64'])
    .default('arm64')
    .meta({ description: 'Processor of the functions; arm64 costs a fifth less' }),

  domainName: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, 'must be a host name in lower case')
    .optional()
    .meta({ description: 'Host name of the service, with certificateArn' }),
  certificateArn: z
    .string()
    .regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be a certificate of us-east-1')
    .optional()
    .meta({ description: 'Certificate of domainName, of ACM in us-east-1, where CloudFront looks for it' }),
  hostedZoneId: z
    .string()
    .regex(/^Z[A-Z0-9]+$/, 'must be the id of a Route 53 zone')
    .optional()
    .meta({
      description: 'Route 53 zone in which domainName is entered; without it you point it there yourself',
    }),
  webAclArn: z
    .string()
    .regex(/^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/, 'must be a global web ACL of us-east-1')
    .optional()
    .meta({ description: 'Web ACL (AWS WAF) in front of CloudFront' }),
  priceClass: z
    .union([z.enum(['100', '200', 'all']), z.literal([100, 200]).transform(String)])
    .pipe(z.enum(['100', '200', 'all']))
    .default('all')
    .meta({
      description: 'Where CloudFront answers: 100 is North America and Europe, 200 also most of the others',
    }),

  streamMode: z
    .enum(['provisioned', 'on-demand'])
    .default('provisioned')
    .meta({ description: 'Kinesis: shards by the hour, or by use (docs/cost.md)' }),
  shards: whole(1, 500).optional().meta({
    description: 'Shards of a provisioned stream, 1,000 records and 1 MB a second each; 1 by default',
  }),
  retentionHours: whole(24, 8_760).default(24).meta({
    description: 'How long the stream keeps events; beyond 24 a shard costs more than twice as much',
  }),
  requestsPerSecond: whole(1, 100_000).optional().meta({
    description:
      'Requests that the API lets through; by default twice what a provisioned stream takes, and with one on demand what AWS lets the account make',
  }),

  epochMinutes: whole(1, 1_440).default(60).meta({
    description: 'How often new events are compacted; a read pays for each epoch of the last two days',
  }),
  maxScanGb: whole(1, 100_000)
    .default(50)
    .meta({ description: 'GB that one Athena statement may read before it is cancelled' }),
  dailyScanGb: whole(1, 10_000_000)
    .default(200)
    .meta({ description: 'GB that all statements of a day may read before the alarm' }),
  jobConcurrency: whole(2, 1_000).default(4).meta({
    description: 'Compaction workers at a time; a new AWS account has 10 concurrent executions in all',
  }),

  alarmEmail: z
    .email()
    .optional()
    .meta({ description: 'Where alarms are sent; AWS asks there for a confirmation' }),
  alarmTopicArn: z
    .string()
    .regex(/^arn:aws:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic')
    .optional()
    .meta({ description: 'A topic of yours that alarms are sent to, instead of alarmEmail' }),
  monthlyBudgetUsd: whole(1, 1_000_000)
    .optional()
    .meta({ description: 'Monthly budget of the whole AWS account, whose excess alarmEmail is told of' }),

  logLevel: z
    .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
    .default('INFO')
    .meta({ description: 'Least level to log' }),
  logRetentionDays: whole(1, 3_653)
    .refine(days => LOG_DAYS.includes(days), `must be one of ${LOG_DAYS.join(', ')}`)
    .default(30)
    .meta({ description: 'How long logs are kept' }),
  tracing: flag.default(false).meta({ description: 'Traces of the functions in X-Ray' }),
})

/** Options that only make sense together. */
const checked = schema
  .refine(options => (options.domainName === undefined) === (options.certificateArn === undefined), {
    path: ['certificateArn'],
    message: 'goes together with domainName',
  })
  .refine(options => options.hostedZoneId === undefined || options.domainName !== undefined, {
    path: ['hostedZoneId'],
    message: 'needs domainName',
  })
  .refine(options => options.shards === undefined || options.streamMode === 'provisioned', {
    path: ['shards'],
    message: 'is for streamMode=provisioned; an on-demand stream has as many as it needs',
  })
  .refine(options => options.alarmEmail === undefined || options.alarmTopicArn === undefined, {
    path: ['alarmTopicArn'],
    message: 'and alarmEmail are two ways to the same: give one',
  })
  .refine(options => options.monthlyBudgetUsd === undefined || options.alarmEmail !== undefined, {
    path: ['monthlyBudgetUsd'],
    message: 'needs alarmEmail',
  })

export type Config = z.output<typeof schema>

/** All options with what they do, in the order in which they are explained. */
export const options: { name: string; description: string }[] = Object.entries(schema.shape).map(
  ([name, field]) => ({ name, description: field.meta()?.description ?? '' }),
)

/** An option that the deployer has to put right. Its message is for them. */
export class ConfigError extends Error {}

/**
 * The options among the CDK context, checked. Throws ConfigError, naming every bad option. Context whose name is not
 * one word is the CDK's own (feature flags, looked-up values) and passed over; any other that we do not know is refused,
 * as a misspelt option would be lost in silence.
 */
export function readConfig(context: Record<string, unknown>): Config {
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => /^[A-Za-z]\w*$/.test(name)))
  const result = checked.safeParse(given)
  if (result.success) return result.data
  const known = options.map(({ name }) => name).join(', ')
  const problems = result.error.issues.map(issue =>
    issue.code === 'unrecognized_keys'
      ? `there is no option ${issue.keys.join(', ')}; there are ${known}`
      : `option ${issue.path.join('.')}: ${issue.message}`,
  )
  throw new ConfigError(problems.join('\n'))
}
