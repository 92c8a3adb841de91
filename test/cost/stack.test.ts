import { expect, test } from 'vitest'
import { REFRESH_SECONDS } from '#aws/pages-services'
import { system } from '#cost/system'
import { synthesize } from '#test/lib/synthesized'

const { all } = synthesize({ dashboard: true })

test('the model and the stack have the same number of alarms, with one metric each, and of dashboards', () => {
  const { main, early } = system.monitoring.alarms
  const heard = synthesize({ alarmEmail: 'ops@example.com' }).all('AWS::CloudWatch::Alarm')
  for (const [, { Properties }] of heard) expect(Properties).not.toHaveProperty('Metrics')
  expect(all('AWS::CloudWatch::Alarm')).toHaveLength(main)
  expect(heard).toHaveLength(main + early)
  expect(all('AWS::CloudWatch::Dashboard')).toHaveLength(system.monitoring.dashboards)
})

test('the model and the stack have the same stream batches, queue polls and schedule', () => {
  const mappings = all('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties)
  const streamMappings = mappings.filter(({ StartingPosition }) => StartingPosition !== undefined)
  expect(streamMappings).toHaveLength(2)
  const ofLake = streamMappings.find(({ StartingPosition }) => StartingPosition === 'TRIM_HORIZON')
  expect(ofLake).toMatchObject({
    BatchSize: system.lake.batchRecords,
    MaximumBatchingWindowInSeconds: 60,
    ParallelizationFactor: 1,
  })
  // Without a window Lambda calls the live consumer once a second.
  const ofLive = streamMappings.find(mapping => mapping !== ofLake)
  expect(ofLive).toMatchObject({ MaximumBatchingWindowInSeconds: 0, ParallelizationFactor: 1 })
  expect(mappings).toHaveLength(3)
  expect(all('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties.ScheduleExpression)).toEqual([
    'rate(1 minute)',
  ])
})

test('the model and the pages have the same interval of the dashboard', () => {
  expect(system.dashboard.refreshSeconds).toBe(REFRESH_SECONDS)
})

test('functions write no log line for each call, beside those with DuckDB, and tracing is off', () => {
  for (const [id, { Properties }] of all('AWS::Lambda::Function')) {
    const SystemLogLevel = /^(jobs|restore)Function/.test(id) ? 'INFO' : 'WARN'
    expect(Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel })
    const tracing = Properties.TracingConfig as { Mode?: string } | undefined
    expect([undefined, 'PassThrough']).toContain(tracing?.Mode)
  }
})
