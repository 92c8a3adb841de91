import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ApiError } from '#core/errors'
import { EDITION, EditionError } from '#core/lake/model/edition'
import { createLakeStateStore } from '#core/lake/model/state-store'
import { openLake } from '#core/lake/read/snapshot'
import { lakeHandler } from '#lambdas/lake/handler'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { createLakePipeline } from '#test/support/lake-pipeline'
import { kinesisEvent } from '#test/support/lambda-events'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const KEY = { pk: '$footfall', sk: '$lake_1' }
const open = () => createLakeStateStore(state, { lake: createSimulatedLake(), clock: { now: () => 0 } })

const readItem = async () => (await state.client.get({ TableName: state.table, Key: KEY })).Item

async function changeItem(changes: Record<string, unknown>): Promise<void> {
  await open().lake()
  const { edition: _, ...item } = (await readItem()) ?? {}
  await state.client.put({ TableName: state.table, Item: { ...item, ...changes } })
}

/** A manifest as an item of the given attributes. */
function putManifest(bucket: string, attributes: Record<string, unknown>): Promise<unknown> {
  const Item = { pk: '$footfall', sk: `$manifest_1#bucket_${bucket}`, bucket, version: 1, ...attributes }
  return state.client.put({ TableName: state.table, Item })
}

test('a new table has the number of today’s edition', async () => {
  await open().lake()
  expect(await readItem()).toMatchObject({ edition: EDITION })
})

test('a table without a number, of 2026-11-23 or later, is read and has the number from then on', async () => {
  await changeItem({ epoch: 7 })
  await putManifest('03', { tombstones: '[]', segments: '[]' })
  expect(await open().lake()).toMatchObject({ epoch: 7 })
  expect(await readItem()).toMatchObject({ epoch: 7, edition: EDITION })
})

test.each([
  ['watermarks of the time before segments', () => changeItem({ warm: 3, cold: 1 })],
  [
    'erasures as a list of a manifest',
    async () => {
      await changeItem({})
      await putManifest('41', { tombstones: '[{"number":1}]', tombstoneCount: 1 })
    },
  ],
])('a table with %s is refused each time, and gets no number', async (_, write) => {
  await write()
  for (let i = 0; i < 2; i++)
    await expect(open().lake()).rejects.toThrow(/before 2026-11-23.*Start that version/)
  expect(await readItem()).not.toHaveProperty('edition')
})

test('a table of a newer edition is refused with what to do, and stays as it is', async () => {
  await changeItem({ edition: EDITION + 1 })
  const before = await readItem()
  const error: ApiError = await open()
    .lake()
    .catch(thrown => thrown)
  expect(error).toBeInstanceOf(EditionError)
  expect(error).toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 600 } })
  expect(error.message).toContain(`is of edition ${EDITION + 1}`)
  expect(error.message).toContain(`up to ${EDITION}. Start the version that wrote the data`)
  expect(await readItem()).toEqual(before)
})

test('no report reads, no batch is stored and no maintenance runs on data of a newer edition', async () => {
  await changeItem({ edition: EDITION + 5 })
  const store = open()
  await expect(openLake({ state: store, lake: createSimulatedLake() })).rejects.toThrow(EditionError)

  const { consumer, log, clock, keys } = createLakePipeline()
  const handle = lakeHandler({ consumer, state: store, afterBatch: async () => {}, log })
  const event = kinesisEvent('shardId-1', [{ sequence: '7', data: new Uint8Array() }])
  for (let i = 0; i < 2; i++)
    expect(await handle(event as never)).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] })
  expect(keys('')).toEqual([])

  const ticks: string[] = []
  const maintenance = { tick: async () => void ticks.push('tick') } as never
  const schedule = schedulerHandler({ maintenance, state: store, clock, gauge: () => {}, log })
  await expect(schedule()).rejects.toThrow(EditionError)
  expect(ticks).toEqual([])
})
