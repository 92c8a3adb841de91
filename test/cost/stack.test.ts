import { expect, test } from 'vitest'
import { system } from '#cost/system'
import { synthesize } from '#test/lib/synthesized'

const { all } = synthesize()

test('the model counts the metrics of all alarms, and the dashboards, as the stack has them', () => {
  const metrics = all('AWS::CloudWatch::Alarm').map(([, { Properties }]) => {
    const listed = Properties.Metrics as { MetricStat?: unknown }[] | undefined
    return listed === undefined ? 1 : listed.filter(({ MetricStat }) => MetricStat !== undefined).length
  })
  expect(metrics.reduce((sum, count) => sum + count, 0)).toBe(system.watching.alarms)
  expect(all('AWS::CloudWatch::Dashboard')).toHaveLength(system.watching.dashboards)
})

test('the model has the batches of the stream, the polls of the queue and the schedule of the stack', () => {
  const mappings = all('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties)
  const ofStream = mappings.filter(({ StartingPosition }) => StartingPosition !== undefined)
  expect(ofStream).toHaveLength(1)
  expect(ofStream[0]).toMatchObject({
    BatchSize: system.lake.batchRecords,
    MaximumBatchingWindowInSeconds: 60,
    ParallelizationFactor: 1,
  })
  expect(mappings).toHaveLength(2)
  expect(all('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties.ScheduleExpression)).toEqual([
    'rate(1 minute)',
  ])
})

test('no function writes a line for each of its calls, and tracing is off', () => {
  for (const [, { Properties }] of all('AWS::Lambda::Function')) {
    expect(Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' })
    const tracing = Properties.TracingConfig as { Mode?: string } | undefined
    expect([undefined, 'PassThrough']).toContain(tracing?.Mode)
  }
})
