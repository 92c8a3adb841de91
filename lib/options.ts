import * as z from 'zod'

/** Values are text from the command line, and typed from cdk.json. */
function wholeNumber(min: number, max: number) {
  const message = `Use a whole number from ${min} to ${max}`
  return z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], message)
    .pipe(z.number(message).int(message).min(min, message).max(max, message))
}
const flag = z.union([z.boolean(), z.stringbool()], 'Use true or false')

function oneOf<const T extends readonly string[]>(...values: T) {
  return z.enum(values, `Use one of ${values.join(', ')}`)
}

/** The retention times that CloudWatch Logs accepts, days. */
const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

const httpsAddress = z
  .url({ protocol: /^https$/, error: 'Use an https address' })
  .transform(text => text.replace(/(?<!\/)\/+$/, ''))

/** Such as `amazon.nova-lite-v1:0`, or `eu.anthropic.…` for an inference profile. */
const TEXT_MODEL = /^([a-z]{2,6}(-gov)?\.)?[a-z0-9-]+\.[a-zA-Z0-9][\w.:-]{1,100}$/

/** The options, without the rules about combinations of them. */
export const optionsSchema = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'Start with a letter, and use only letters, digits and dashes')
    .default('Footfall')
    .meta({
      description:
        'Name of the stack. A second stack with another name is a separate service with its own data',
    }),
  account: z
    .union(
      [z.string(), z.number().transform(number => String(number).padStart(12, '0'))],
      'Use the 12 digits of an AWS account',
    )
    .pipe(z.string().regex(/^\d{12}$/, 'Use the 12 digits of an AWS account'))
    .optional()
    .meta({ description: 'AWS account of the deployment. Credentials of another one are refused' }),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'Use the name of an AWS region')
    .optional()
    .meta({ description: 'AWS region of the deployment. It is refused elsewhere' }),
  terminationProtection: flag.default(true).meta({
    description: 'CloudFormation refuses to delete the stack until this is false',
  }),
  architecture: oneOf('arm64', 'x86_64')
    .default('arm64')
    .meta({ description: 'Processor of the functions. arm64 costs a fifth less' }),

  domainName: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, 'Use a host name in lower case')
    .optional()
    .meta({ description: 'Host name of the service. It needs certificateArn' }),
  certificateArn: z
    .string()
    .regex(
      /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'Use the ARN of an ACM certificate in us-east-1',
    )
    .optional()
    .meta({ description: 'ACM certificate of domainName. It must be in us-east-1, for CloudFront' }),
  hostedZoneId: z
    .string()
    .regex(/^Z[A-Z0-9]+$/, 'Use the id of a Route 53 hosted zone')
    .optional()
    .meta({
      description:
        'Route 53 hosted zone for the DNS records of domainName. Without it, create the record yourself',
    }),
  webAclArn: z
    .string()
    .regex(
      /^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/.+$/,
      'Use the ARN of a global web ACL in us-east-1',
    )
    .optional()
    .meta({ description: 'Web ACL (AWS WAF) in front of CloudFront' }),
  priceClass: z
    .union([z.string(), z.number().transform(String)], 'Use one of 100, 200, all')
    .pipe(oneOf('100', '200', 'all'))
    .default('all')
    .meta({
      description:
        'Regions of CloudFront: 100 is North America and Europe, 200 is most regions, all is all regions',
    }),

  edge: flag.default(true).meta({
    description:
      'CloudFront in front of the service. AWS refuses it to new accounts until they are verified: false deploys without it',
  }),
  edgeKeys: z
    .union([z.string(), z.number().transform(String)], 'Use a number')
    .pipe(z.string().regex(/^\d{1,6}(,\d{1,6})?$/, 'Use a number, or two numbers such as 1,2'))
    .default('1')
    .meta({
      description:
        'Number of the secret that CloudFront sends to the functions. To replace it, deploy with 1,2 and then with 2',
    }),

  ingestion: oneOf('api', 'function-url').default('api').meta({
    description:
      'How CloudFront calls the function that takes events: by API Gateway, or by its own address, which saves $1 a million requests. That needs concurrency of 125 or more',
  }),

  streams: flag.default(true).meta({
    description:
      'GET /stream. It needs a public function URL, which some regions lack and some organisations forbid: false deploys without, and readers poll GET /live',
  }),

  rollout: oneOf('all', 'canary').default('all').meta({
    description:
      'How a new version of the function that takes events comes into use: for all calls at once, or for a tenth of them during ten minutes, in which an alarm takes it back',
  }),

  streamMode: oneOf('provisioned', 'on-demand')
    .default('provisioned')
    .meta({ description: 'Kinesis mode: pay for shards by the hour, or pay by use (docs/cost.md)' }),
  shards: wholeNumber(1, 500).optional().meta({
    description:
      'Shards of a provisioned stream. Each takes 1,000 records and 1 MB a second. The default is 1',
  }),
  retentionHours: wholeNumber(24, 8_760).default(24).meta({
    description: 'Hours that the stream keeps events. Above 24, a shard costs more than twice as much',
  }),
  requestsPerSecond: wholeNumber(1, 100_000).optional().meta({
    description:
      'Requests a second that the API lets through. The default is twice the capacity of a provisioned stream, and the limit of the AWS account with an on-demand stream',
  }),

  backupDays: wholeNumber(1, 3_650).optional().meta({
    description: 'Days that AWS Backup keeps a nightly backup of the table, beside point-in-time recovery',
  }),
  backupVaultArn: z
    .string()
    .regex(/^arn:aws:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'Use the ARN of a backup vault')
    .optional()
    .meta({
      description:
        'Your vault in another region or account that gets a copy of each backup. It needs backupDays',
    }),
  replicaBucketArn: z
    .string()
    .regex(/^arn:aws:s3:::[a-z0-9.-]{3,63}$/, 'Use the ARN of an S3 bucket')
    .optional()
    .meta({
      description: 'Your S3 bucket with versions in another region that gets a copy of each file of the lake',
    }),

  accessLogBucketArn: z
    .string()
    .regex(/^arn:aws:s3:::[a-z0-9.-]{3,63}$/, 'Use the ARN of an S3 bucket')
    .optional()
    .meta({
      description:
        'Your S3 bucket in the same region that gets the access logs of the bucket of the lake, a line for each request',
    }),

  firstEpoch: wholeNumber(1, 1_000_000_000).default(1).meta({
    description:
      'The lowest epoch that reports can read in new files. Raise it when the alarm LastEpoch sounds',
  }),
  epochMinutes: wholeNumber(1, 1_440).default(15).meta({
    description:
      'Minutes between compactions of new events. With more minutes a read opens more small files; with fewer, the epochs of the catalog are used up sooner',
  }),
  reads: oneOf('athena', 'auto').default('athena').meta({
    description:
      'What answers reports: Athena, or with auto a DuckDB in the function where the files of a statement have at most 128 MB together, and Athena for all others',
  }),
  maxScanGb: wholeNumber(1, 100_000)
    .default(50)
    .meta({ description: 'GB that one Athena statement may read. Athena cancels it beyond that' }),
  dailyScanGb: wholeNumber(1, 10_000_000)
    .default(200)
    .meta({ description: 'GB that all statements of a day may read before an alarm sounds' }),
  concurrency: wholeNumber(10, 1_000_000).optional().meta({
    description:
      'Concurrent executions of the AWS account, such as 10 or 1000. Workers, open streams, the limit of requests and the room that is kept for ingestion follow',
  }),
  jobConcurrency: wholeNumber(2, 1_000).optional().meta({
    description: 'Compaction workers at the same time. The default is 4, and 2 with concurrency below 100',
  }),

  profile: z
    .enum(['own', 'hosted'], 'Use own or hosted')
    .default('own')
    .meta({ description: 'Plans and limits: own has none, hosted sells a Pro plan to everybody' }),
  limits: z.string().default('').meta({
    description:
      'Numbers of the profile that you replace, such as free.rate_limit_rpm=1000,session_starts=500',
  }),
  signUp: z.string().default('').meta({
    description:
      'Who may sign in beside the owner: addresses and domains, such as ada@example.com,@example.org',
  }),
  accessSecretArn: z
    .string()
    .regex(/^arn:aws:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+$/, 'Use the ARN of a secret')
    .optional()
    .meta({
      description:
        'Your secret with a JSON object: openid_client_secret, code_host_client_secret, stripe_secret_key, stripe_webhook_secret',
    }),
  openIdIssuer: httpsAddress
    .optional()
    .meta({ description: 'OpenID provider that people sign in with. Its secret is openid_client_secret' }),
  openIdClientId: z.string().optional().meta({ description: 'Id of the service at the OpenID provider' }),
  openIdLabel: z.string().default('OpenID').meta({ description: 'Name of the provider on its button' }),
  codeHostClientId: z.string().optional().meta({
    description:
      'Id of the service at a code host that people may also sign in with. Its secret is code_host_client_secret',
  }),
  codeHostUrl: httpsAddress.default('https://github.com').meta({ description: 'Address of the code host' }),
  codeHostApiUrl: httpsAddress
    .default('https://api.github.com')
    .meta({ description: 'Address of the API of the code host' }),
  codeHostLabel: z.string().default('GitHub').meta({ description: 'Name of the code host on its button' }),
  stripePrice: z
    .string()
    .regex(/^price_\w+$/, 'Use the id of a price at Stripe')
    .optional()
    .meta({ description: 'Price of the Pro plan at Stripe, with profile=hosted' }),

  textModel: z
    .string()
    .regex(TEXT_MODEL, 'Use the id of a model or of an inference profile of Amazon Bedrock')
    .optional()
    .meta({
      description:
        'Model of Amazon Bedrock, or inference profile, that words the advice of full website analyses. Without it no model is called',
    }),

  feedbackWebhook: httpsAddress.optional().meta({
    description: 'Address that gets the feedback of agents as JSON by POST, such as a chat webhook',
  }),
  feedbackTopicArn: z
    .string()
    .regex(/^arn:aws:sns:[\w-]+:\d{12}:[\w-]+$/, 'Use the ARN of an SNS topic')
    .optional()
    .meta({ description: 'Your SNS topic that gets the feedback of agents, instead of feedbackWebhook' }),

  alarmEmail: z
    .email('Use an e-mail address')
    .optional()
    .meta({ description: 'E-mail address for alarms. AWS sends it a request to confirm' }),
  alarmTopicArn: z
    .string()
    .regex(/^arn:aws:sns:[\w-]+:\d{12}:[\w-]+$/, 'Use the ARN of an SNS topic')
    .optional()
    .meta({ description: 'Your own SNS topic for alarms, instead of alarmEmail' }),
  earlyAlarms: flag.default(true).meta({
    description:
      'Whether an address for alarms gets the early ones too, $1.50 a month. Another alarm sounds later for the same cause',
  }),
  monthlyBudgetUsd: wholeNumber(1, 1_000_000).optional().meta({
    description:
      'Monthly budget of this stack by its tag, USD. alarmEmail gets the notices. Not in every region',
  }),
  expectedRequestsPerDay: wholeNumber(1, 100_000_000_000).default(300_000).meta({
    description: 'Requests in a day above which an alarm sounds. 300,000 a day cost about $30 a month',
  }),
  runbookUrl: httpsAddress.optional().meta({
    description: 'Address of your copy of docs/alarms.md, which the texts of alarms name',
  }),
  silenceHours: wholeNumber(1, 24).optional().meta({
    description: 'Hours without an event after which an alarm sounds. Set it when your sites have traffic',
  }),

  dashboard: flag.default(false).meta({
    description: 'Adds a dashboard to CloudWatch. It costs $3 a month beyond the first three of an account',
  }),
  logLevel: oneOf('DEBUG', 'INFO', 'WARN', 'ERROR')
    .default('INFO')
    .meta({ description: 'Lowest level of log lines that are written' }),
  logRetentionDays: wholeNumber(1, 3_653)
    .refine(days => LOG_DAYS.includes(days), `Use one of ${LOG_DAYS.join(', ')}`)
    .default(30)
    .meta({ description: 'Days that logs are kept' }),
  keyArn: z
    .string()
    .regex(/^arn:aws:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'Use the ARN of one KMS key')
    .optional()
    .meta({
      description:
        'Your KMS key in the region of the stack. It encrypts all that the stack keeps, instead of the keys of AWS',
    }),
  replicaKeyArn: z
    .string()
    .regex(/^arn:aws:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'Use the ARN of one KMS key')
    .optional()
    .meta({ description: 'Your KMS key in the region of replicaBucketArn, which encrypts the copies' }),
  keyArns: z
    .string()
    .regex(
      /^arn:aws:kms:[\w-]+:\d{12}:key\/[\w-]+(,arn:aws:kms:[\w-]+:\d{12}:key\/[\w-]+)*$/,
      'Use the ARNs of KMS keys, with commas between them',
    )
    .optional()
    .meta({
      description: 'Your KMS keys that encrypt accessSecretArn or feedbackTopicArn, with commas between them',
    }),
  tracing: flag.default(false).meta({ description: 'Turns on X-Ray traces of the functions' }),
})
