import { expect, test } from 'vitest'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { MANIFEST_BYTES } from '#schemas/manifests'
import { createLakePipeline } from '#test/support/lake-pipeline'

function setUp(tick: () => Promise<void>) {
  const { state, clock, log, logged } = createLakePipeline()
  const gauges: Record<string, number> = {}
  const gauge = (name: string, value: number) => {
    gauges[name] = value
  }
  const handle = schedulerHandler({ maintenance: { tick }, state, clock, gauge, log })
  return { handle, gauges, logged, clock, state, log }
}

test('a call runs maintenance, and publishes only the newest epoch of a healthy lake, four times a day', async () => {
  let ticks = 0
  const { handle, gauges, clock } = setUp(async () => {
    ticks += 1
  })
  await handle()
  expect(ticks).toBe(1)
  expect(gauges).toEqual({ Epoch: 1 })
  delete gauges.Epoch
  let published = 0
  for (let minute = 1; minute <= 24 * 60; minute++) {
    clock.time += 60_000
    await handle()
    if (gauges.Epoch !== undefined) published++
    delete gauges.Epoch
  }
  expect([published, gauges]).toEqual([4, {}])
})

test('the age of an epoch that nobody compacts is published from ten minutes on', async () => {
  const { handle, gauges, clock, state } = setUp(async () => {})
  clock.time += 60_000
  const fence = await state.lease(clock.time, clock.time + 1)
  await state.openEpoch(fence ?? expect.unreachable(), 1, clock.time)
  clock.time += 599_000
  await handle()
  expect(gauges).toEqual({})
  clock.time += 1_000
  await handle()
  expect(gauges).toEqual({ CompactionLagSeconds: 600 })
})

test('the size of the largest manifest is published before its alarm at 60 % of the bound', async () => {
  const { gauges, clock, state, log } = setUp(async () => {})
  let bytes = MANIFEST_BYTES / 2 - 1
  const manifestHeads = async () =>
    (await state.manifestHeads()).map((head, i) => (i === 7 ? { ...head, bytes } : head))
  const services = { maintenance: { tick: async () => {} }, state: { ...state, manifestHeads }, clock, log }
  const gauge = (name: string, value: number) => {
    gauges[name] = value
  }
  const handle = schedulerHandler({ ...services, gauge })
  clock.time += 60_000
  await handle()
  expect(gauges).toEqual({})
  bytes += 1
  await handle()
  expect(gauges).toEqual({ ManifestBytes: MANIFEST_BYTES / 2 })
})

test('a failure of maintenance is logged and thrown after the metrics are published', async () => {
  const { handle, gauges, logged } = setUp(() => Promise.reject(new Error('no queue')))
  await expect(handle()).rejects.toThrow('no queue')
  expect(logged).toEqual(['JOB_FAILED'])
  expect(gauges.Epoch).toBe(1)
})
