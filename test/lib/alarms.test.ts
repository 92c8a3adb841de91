import { expect, test } from 'vitest'
import { MANIFEST_BYTES } from '#schemas/manifests'
import { type Synthesized, synthesize } from './synthesized.ts'

const plain = synthesize()
/** With an address for alarms there are the early ones too. */
const heard = synthesize({ alarmEmail: 'ops@example.com' })
/** Each of these options changes alarms of its own. */
const CHANGED = { retentionHours: 168, firstEpoch: 18_001, expectedRequestsPerDay: 5_000, silenceHours: 3 }
const STATES = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'CANCELED']

/** Alarms by name, as docs/alarms.md explains them. */
function alarms(context: Record<string, unknown> = {}): Record<string, Record<string, unknown>> {
  const isDefault = Object.keys(context).length === 0
  return byName(isDefault ? heard : synthesize({ alarmEmail: 'ops@example.com', ...context }))
}

function byName({ all }: Pick<Synthesized, 'all'>): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    all('AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
      id.replace(/^Alarms/, '').replace(/[0-9A-F]{8}$/, ''),
      Properties,
    ]),
  )
}

test('the stack has an alarm for each way to lose, delay or refuse events, and for high costs', () => {
  expect(Object.keys(alarms()).toSorted()).toEqual(
    [
      ...STATES.map(state => `AthenaScan${state}`),
      'ClaimAge',
      'ClockDeadLetters',
      'CompactionLag',
      'FailedBatches',
      'IteratorAge',
      'JobDeadLetters',
      'LastEpoch',
      'ManifestSize',
      'JobsFailing',
      'LakeFailing',
      'LiveBehind',
      'MaintenanceFailing',
      'MaintenanceStopped',
      'MemoryNearlyFull',
      'ObjectDamaged',
      'RecordsMissing',
      'ReadsThrottled',
      'RecordsQuarantined',
      'RequestsRefused',
      'ServerErrors',
      'StreamThrottled',
      'StreamUnavailable',
      'StreamUnread',
      ...['jobs', 'lake', 'live', 'owner', 'restore', 'scan', 'scheduler'].map(name => `Errors${name}`),
      ...['auth', 'pages', 'stream'].map(name => `Errors${name}`),
      'AthenaFailures',
      'AthenaSlow',
      'AthenaStatements',
      'DailyRequests',
      'JobsLate',
      ...['reads', 'writes'].map(requests => `TableThrottled${requests}`),
      'Throttles',
      'Throttlestrack',
    ].toSorted(),
  )
})

test('without an address there are no early alarms: another alarm sounds later for the same cause', () => {
  const main = Object.keys(byName(plain))
  const early = Object.keys(alarms()).filter(name => !main.includes(name))
  expect(early.toSorted()).toEqual(
    [
      'AthenaScanFAILED',
      'AthenaSlow',
      'ClaimAge',
      'ClockDeadLetters',
      'Errorsjobs',
      'Errorsowner',
      'Errorsrestore',
      'Errorsscan',
      'JobsFailing',
      'JobsLate',
      'MemoryNearlyFull',
      'ReadsThrottled',
      'StreamUnavailable',
      'TableThrottledreads',
      'TableThrottledwrites',
    ].toSorted(),
  )
  expect(Object.keys(alarms())).toEqual(expect.arrayContaining(main))
})

test('every alarm has one metric, of this stack or of the concurrent executions of the account, and its text says what is wrong and names a section of the documentation', () => {
  for (const [name, alarm] of Object.entries(alarms())) {
    expect(alarm.AlarmDescription).toMatch(/^[A-Z].*\. See docs\/alarms\.md#[a-z-]+\.$/)
    expect(alarm.MetricName, name).toBeTypeOf('string')
    // Metrics of the stack's own namespace need no dimension, and all functions of the account throttle
    // together.
    if (alarm.Namespace !== 'Footfall' && name !== 'Throttles')
      expect(alarm.Dimensions, name).not.toHaveLength(0)
    expect(alarm.Namespace).toMatch(/^(AWS\/(Athena|Lambda|SQS|Kinesis|ApiGateway|DynamoDB)|Footfall)$/)
  }
})

test('the texts of alarms name the address of the page that the option gives', () => {
  const runbookUrl = 'https://git.example.com/footfall/alarms.md'
  const { LakeFailing } = alarms({ runbookUrl })
  expect(LakeFailing?.AlarmDescription).toMatch(
    / See https:\/\/git\.example\.com\/footfall\/alarms\.md#lakefailing\.$/,
  )
})

test.each(STATES)('an alarm counts the bytes that Athena statements in state %s read in a day', state => {
  expect(alarms()[`AthenaScan${state}`]).toMatchObject({
    Threshold: 200e9,
    ComparisonOperator: 'GreaterThanThreshold',
    MetricName: 'ProcessedBytes',
    Dimensions: [
      { Name: 'QueryState', Value: state },
      { Name: 'QueryType', Value: 'DML' },
      { Name: 'WorkGroup', Value: 'footfall' },
    ],
    Period: 86_400,
    Statistic: 'Sum',
  })
})

test('with earlyAlarms=false an address gets the same alarms that an install without one has', () => {
  expect(Object.keys(alarms({ earlyAlarms: false })).toSorted()).toEqual(
    Object.keys(byName(plain)).toSorted(),
  )
  const { AlarmActions } = alarms({ earlyAlarms: false }).IteratorAge as { AlarmActions: unknown[] }
  expect(AlarmActions).toHaveLength(1)
})

test('an alarm sounds early enough to act, or when its metric has no data', () => {
  const { IteratorAge, LastEpoch, ManifestSize, MaintenanceStopped, FailedBatches } = alarms()
  expect(IteratorAge).toMatchObject({ Statistic: 'Maximum', Threshold: 3 * 3_600_000 })
  expect(alarms(CHANGED).IteratorAge).toMatchObject({ Threshold: 21 * 3_600_000 })
  // A tenth of the catalog's 20,000 epochs is left.
  expect(LastEpoch).toMatchObject({ MetricName: 'Epoch', Threshold: 18_001 })
  expect(alarms(CHANGED).LastEpoch).toMatchObject({ Threshold: 36_001 })
  expect(ManifestSize).toMatchObject({
    ...{ MetricName: 'ManifestBytes', Statistic: 'Maximum' },
    ...{ ComparisonOperator: 'GreaterThanThreshold', Threshold: 0.6 * MANIFEST_BYTES },
  })
  expect(MaintenanceStopped).toMatchObject({
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    TreatMissingData: 'breaching',
  })
  expect(FailedBatches).toMatchObject({ Threshold: 0, ComparisonOperator: 'GreaterThanThreshold' })
})

test('StreamUnread sounds when the lake consumer is off, also while the live consumer reads, but not for a site without traffic', () => {
  const { StreamUnread } = alarms()
  expect(StreamUnread).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'PolledEventCount',
    // An empty poll is a value of 0.
    Statistic: 'SampleCount',
    Period: 900,
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    // Without reads the metric has no data.
    TreatMissingData: 'breaching',
    Dimensions: [
      { Name: 'EventSourceMappingUUID', Value: { Ref: expect.stringMatching(/^lakeFromStream/) } },
    ],
  })
})

test('FailedBatches counts the batches that the mapping of the lake consumer put into the S3 bucket, without a queue that begins with a test message', () => {
  expect(alarms().FailedBatches).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'OnFailureDestinationDeliveredEventCount',
    Statistic: 'Sum',
    Threshold: 0,
    Dimensions: [
      { Name: 'EventSourceMappingUUID', Value: { Ref: expect.stringMatching(/^lakeFromStream/) } },
    ],
  })
  expect(plain.only('AWS::S3::Bucket').Properties).not.toHaveProperty('NotificationConfiguration')
})

test('no alarm sounds in a first deployment: what takes missing data for a fault waits for CloudFront, and what gives it data does not', () => {
  const { Resources } = plain.template
  const breaching = plain
    .all('AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => Properties.TreatMissingData === 'breaching')
  expect(breaching.map(([id]) => id.replace(/^Alarms|[0-9A-F]{8}$/g, ''))).toEqual([
    'StreamUnread',
    'MaintenanceStopped',
  ])
  const [[distribution] = []] = plain.all('AWS::CloudFront::Distribution')
  const sources = Object.keys(Resources).filter(id => /^(lakeFromStream|ClockSchedule)[0-9A-F]{8}$/.test(id))
  expect(sources).toHaveLength(2)
  for (const [, { DependsOn }] of breaching)
    expect(DependsOn).toEqual(expect.arrayContaining([distribution, ...sources]))
  for (const id of sources) expect(neededBy(id)).not.toContain(distribution)
  expect(neededBy(plain.lambda('site').id)).toContain(distribution)

  /** A resource with everything that CloudFormation creates before it. */
  function neededBy(id: string, seen = new Set<string>()): Set<string> {
    if (seen.has(id)) return seen
    seen.add(id)
    const resource = Resources[id]
    const references = [...JSON.stringify(resource).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)]
    for (const other of [...references.map(([, name]) => name!), ...[resource?.DependsOn ?? []].flat()])
      if (other in Resources) neededBy(other, seen)
    return seen
  }
})

test("RequestsRefused counts the gateway's own 429 from the access log, but not a 429 of a function", () => {
  const { MetricTransformations, FilterPattern, LogGroupName } = metricFilters('RequestsRefused')[0]!
  const { MetricName, Namespace } = alarms().RequestsRefused ?? {}
  expect(MetricTransformations).toMatchObject([{ MetricName, MetricNamespace: Namespace, MetricValue: '1' }])
  expect(FilterPattern).toBe('{ ($.status = "429") && ($.functionStatus != "200") }')
  const { AccessLogSettings } = plain.only('AWS::ApiGatewayV2::Stage').Properties as {
    AccessLogSettings: { DestinationArn: unknown; Format: string }
  }
  expect(JSON.stringify(AccessLogSettings.DestinationArn)).toContain((LogGroupName as { Ref: string }).Ref)
  expect(JSON.parse(AccessLogSettings.Format)).toMatchObject({
    requestId: '$context.requestId',
    functionRequestId: '$context.integration.requestId',
    status: '$context.status',
    // Lambda's status: 200 for every response of a function, and empty when no function was called.
    functionStatus: '$context.integrationStatus',
  })
})

/** The filters that count lines of a log in a metric. */
function metricFilters(name: string): Record<string, unknown>[] {
  const filters = plain.all('AWS::Logs::MetricFilter').map(([, { Properties }]) => Properties)
  return filters.filter(({ MetricTransformations }) => JSON.stringify(MetricTransformations).includes(name))
}

test('a consumer that fails every batch raises an alarm after three minutes, though Lambda sees no failed call', () => {
  expect(alarms().LakeFailing).toMatchObject({
    Namespace: 'Footfall',
    MetricName: 'LAKE_BATCH_FAILED',
    Dimensions: [{ Name: 'service', Value: 'lake' }],
    Statistic: 'Sum',
    Period: 60,
    DatapointsToAlarm: 3,
    EvaluationPeriods: 5,
    Threshold: 0,
    TreatMissingData: 'notBreaching',
  })
})

test('jobs and tasks of the maintenance that fail again and again raise alarms', () => {
  expect(alarms().JobsFailing).toMatchObject({
    MetricName: 'JOB_FAILED',
    Dimensions: [{ Name: 'service', Value: 'jobs' }],
    DatapointsToAlarm: 3,
    EvaluationPeriods: 12,
  })
  expect(alarms().MaintenanceFailing).toMatchObject({
    MetricName: 'JOB_FAILED',
    Dimensions: [{ Name: 'service', Value: 'scheduler' }],
    Period: 3_600,
    Threshold: 2,
  })
})

test('an alarm counts the statements of a day as the bill does, 10 MB each at least', () => {
  expect(alarms().AthenaStatements).toMatchObject({
    Namespace: 'AWS/Athena',
    MetricName: 'TotalExecutionTime',
    Statistic: 'SampleCount',
    Period: 86_400,
    Threshold: 20_000,
  })
  expect(alarms({ dailyScanGb: 1 }).AthenaStatements).toMatchObject({ Threshold: 100 })
})

test('the function that takes events has an alarm of its own for refused calls', () => {
  expect(alarms().Throttlestrack).toMatchObject({
    MetricName: 'Throttles',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: heard.lambda('track').id } }],
    Threshold: 0,
    EvaluationPeriods: 1,
  })
})

test('an alarm sounds when the stream refuses reads of its consumers for a quarter of an hour', () => {
  expect(alarms().ReadsThrottled).toMatchObject({
    Namespace: 'AWS/Kinesis',
    MetricName: 'ReadProvisionedThroughputExceeded',
    DatapointsToAlarm: 3,
    EvaluationPeriods: 3,
  })
})

test('a call with DuckDB that uses over 90 % of its memory raises an alarm, and its log has the line that says so', () => {
  expect(alarms().MemoryNearlyFull).toMatchObject({ Namespace: 'Footfall', MetricName: 'MemoryNearlyFull' })
  const filters = metricFilters('MemoryNearlyFull')
  for (const name of ['jobs', 'restore'] as const) {
    const { LoggingConfig, MemorySize } = plain.lambda(name).properties as {
      LoggingConfig: { SystemLogLevel: string; LogGroup: { Ref: string } }
      MemorySize: number
    }
    expect(LoggingConfig.SystemLogLevel).toBe('INFO')
    const filter = filters.find(
      ({ LogGroupName }) => (LogGroupName as { Ref: string }).Ref === LoggingConfig.LogGroup.Ref,
    )
    expect(filter?.FilterPattern).toBe(
      `{ ($.type = "platform.report") && ($.record.metrics.maxMemoryUsedMB > ${Math.floor(MemorySize * 0.9)}) }`,
    )
  }
  expect(plain.lambda('track').properties.LoggingConfig).toMatchObject({ SystemLogLevel: 'WARN' })
})

test('alarms go to the e-mail address or topic of the options, and nowhere by default', () => {
  expect(plain.all('AWS::SNS::Topic')).toEqual([])
  for (const { AlarmActions } of Object.values(byName(plain))) expect(AlarmActions).toBeUndefined()
  expect(plain.all('AWS::Budgets::Budget')).toEqual([])
  const withEmail = synthesize({ alarmEmail: 'ops@example.com', monthlyBudgetUsd: 50 })
  expect(withEmail.only('AWS::SNS::Subscription').Properties).toMatchObject({
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  })
  // This policy replaces the default policy of SNS, which lets alarms publish.
  const { PolicyDocument } = withEmail.only('AWS::SNS::TopicPolicy').Properties as {
    PolicyDocument: { Statement: Record<string, unknown>[] }
  }
  expect(PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow')).toMatchObject([
    {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Resource: { Ref: expect.stringMatching(/^AlarmsTopic/) },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ])
  // Budget notices go straight to the address, not through the topic.
  expect(withEmail.only('AWS::Budgets::Budget').Properties).toMatchObject({
    Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' }, TimeUnit: 'MONTHLY' },
    NotificationsWithSubscribers: [
      { Subscribers: [{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }] },
      { Subscribers: [{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }] },
    ],
  })
  const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:ops'
  for (const { AlarmActions } of Object.values(alarms({ alarmTopicArn, alarmEmail: undefined }))) {
    expect(AlarmActions).toEqual([alarmTopicArn])
  }
})

test.each(['live', 'stream', 'restore', 'auth', 'pages'])('failed calls of %s raise an alarm', name => {
  const { Dimensions, ...alarm } = alarms()[`Errors${name}`] ?? {}
  expect(alarm).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Statistic: 'Sum',
    Threshold: 0,
    DatapointsToAlarm: 2,
    EvaluationPeriods: 3,
    TreatMissingData: 'notBreaching',
  })
  expect(Dimensions).toEqual([{ Name: 'FunctionName', Value: { Ref: heard.lambda(name as 'live').id } }])
})

test('failed and slow statements of Athena raise alarms', () => {
  const { AthenaFailures, AthenaSlow } = alarms()
  const dimensions = (state: string) => [
    { Name: 'QueryState', Value: state },
    { Name: 'QueryType', Value: 'DML' },
    { Name: 'WorkGroup', Value: 'footfall' },
  ]
  expect(AthenaFailures).toMatchObject({
    MetricName: 'TotalExecutionTime',
    Statistic: 'SampleCount',
    Dimensions: dimensions('FAILED'),
    Threshold: 2,
  })
  expect(AthenaSlow).toMatchObject({
    MetricName: 'TotalExecutionTime',
    ExtendedStatistic: 'p90',
    Dimensions: dimensions('SUCCEEDED'),
    Threshold: 15_000,
  })
})

test.each([
  ['reads', 'ReadThrottleEvents'],
  ['writes', 'WriteThrottleEvents'],
])('%s that the state table refuses raise an alarm', (requests, MetricName) => {
  expect(alarms()[`TableThrottled${requests}`]).toMatchObject({
    Namespace: 'AWS/DynamoDB',
    MetricName,
    Dimensions: [{ Name: 'TableName', Value: { Ref: expect.stringMatching(/^StorageState/) } }],
    Threshold: 0,
    TreatMissingData: 'notBreaching',
  })
})

test('an alarm sounds when a job waits for an hour, and when a day has more requests than expected', () => {
  const { JobsLate, DailyRequests } = alarms()
  expect(JobsLate).toMatchObject({ MetricName: 'ApproximateAgeOfOldestMessage', Threshold: 3_600 })
  expect(JSON.stringify(JobsLate?.Dimensions)).toContain('JobQueueJobs')
  expect(DailyRequests).toMatchObject({ MetricName: 'Count', Period: 86_400, Threshold: 300_000 })
  expect(alarms(CHANGED).DailyRequests).toMatchObject({ Threshold: 5_000 })
})

test('missing traffic raises an alarm only if the option expects traffic', () => {
  expect(alarms()).not.toHaveProperty('Silence')
  expect(alarms(CHANGED).Silence).toMatchObject({
    Namespace: 'AWS/Kinesis',
    MetricName: 'IncomingRecords',
    Period: 3_600,
    DatapointsToAlarm: 3,
    EvaluationPeriods: 3,
    Threshold: 1,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  })
})

test('a budget is of this stack alone, and only on request', () => {
  expect(heard.all('AWS::Budgets::Budget')).toEqual([])
  const asked = synthesize({ alarmEmail: 'ops@example.com', monthlyBudgetUsd: 50, stackName: 'Analytics' })
  expect(asked.only('AWS::Budgets::Budget').Properties).toMatchObject({
    Budget: { CostFilters: { TagKeyValue: ['aws:cloudformation:stack-name$Analytics'] } },
  })
})

test('without an address for alarms the synthesis warns', () => {
  expect(plain.warnings).toEqual([expect.stringContaining('alarmEmail')])
  expect(heard.warnings).toEqual([])
  const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:ops'
  expect(synthesize({ alarmTopicArn }).warnings).toEqual([])
})
