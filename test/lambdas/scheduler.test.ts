import { expect, test } from 'vitest'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { createLakePipeline } from '../support/lake-pipeline.ts'

function setUp(tick: () => Promise<void>) {
  const { state, clock, log, logged } = createLakePipeline()
  const gauges: Record<string, number> = {}
  const gauge = (name: string, value: number) => {
    gauges[name] = value
  }
  const handle = schedulerHandler({ maintenance: { tick }, state, clock, gauge, log })
  return { handle, gauges, logged, clock }
}

test('a call publishes the metrics of the lake and runs maintenance', async () => {
  let ticks = 0
  const { handle, gauges } = setUp(async () => {
    ticks += 1
  })
  await handle()
  expect(ticks).toBe(1)
  expect(gauges).toEqual({ ClaimAgeSeconds: 0, CompactionLagSeconds: 0, Epoch: 1 })
})

test('the newest epoch is published in the first minute of a day only', async () => {
  const { handle, gauges, clock } = setUp(async () => {})
  clock.time += 60_000
  await handle()
  expect(gauges).toEqual({ ClaimAgeSeconds: 0, CompactionLagSeconds: 0 })
})

test('a failure of maintenance is logged and thrown after the metrics are published', async () => {
  const { handle, gauges, logged } = setUp(() => Promise.reject(new Error('no queue')))
  await expect(handle()).rejects.toThrow('no queue')
  expect(logged).toEqual(['JOB_FAILED'])
  expect(gauges.Epoch).toBe(1)
})
