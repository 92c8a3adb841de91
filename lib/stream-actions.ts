const kinesis = (actions: readonly string[]) => actions.map(action => `kinesis:${action}`)

/** What Lambda demands of the role of a function before it reads a stream for it. */
export const STREAM_MAPPING_ACTIONS = kinesis([
  'DescribeStream',
  'DescribeStreamSummary',
  'GetRecords',
  'GetShardIterator',
  'ListShards',
  'ListStreams',
])

/** What finding the oldest unread record and changing the retention needs (aws/stream-retention.ts). */
export const STREAM_RETENTION_ACTIONS = kinesis([
  'DescribeStreamSummary',
  'ListShards',
  'GetShardIterator',
  'GetRecords',
  'IncreaseStreamRetentionPeriod',
  'DecreaseStreamRetentionPeriod',
])
