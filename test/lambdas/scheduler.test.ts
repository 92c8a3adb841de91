import { expect, test } from 'vitest'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { createLakePipeline } from '../support/lake-pipeline.ts'

function setUp(tick: () => Promise<void>) {
  const { state, clock, log, logged } = createLakePipeline()
  const measured: Record<string, number> = {}
  const gauge = (name: string, value: number) => {
    measured[name] = value
  }
  return { handle: schedulerHandler({ maintenance: { tick }, state, clock, gauge, log }), measured, logged }
}

test('a call measures the lake and does what maintenance finds due', async () => {
  let ticks = 0
  const { handle, measured } = setUp(async () => {
    ticks += 1
  })
  await handle()
  expect(ticks).toBe(1)
  expect(measured).toEqual({ ClaimAgeSeconds: 0, CompactionLagSeconds: 0, Epoch: 1 })
})

test('a failure is logged and thrown, with the lake measured all the same', async () => {
  const { handle, measured, logged } = setUp(() => Promise.reject(new Error('no queue')))
  await expect(handle()).rejects.toThrow('no queue')
  expect(logged).toEqual(['JOB_FAILED'])
  expect(measured.Epoch).toBe(1)
})
