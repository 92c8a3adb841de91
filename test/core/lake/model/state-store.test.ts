import { afterAll, beforeAll, expect, test } from 'vitest'
import { addEpoch, emptyManifest } from '#core/lake/model/manifest'
import { createLakeStateStore } from '#core/lake/model/state-store'
import { lakeStateContract } from '#test/contract/lake-state'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { putFirstEdition } from '#test/support/first-edition-manifest'
import { segmentOf } from '#test/support/fixed-lake'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

lakeStateContract('DynamoDB', async () => {
  await state.empty()
  return createLakeStateStore(state, { lake: createSimulatedLake(), clock: { now: () => 0 } })
})

test('an item of the first edition has its manifest, and names an object of the lake after the next change', async () => {
  await state.empty()
  const lake = createSimulatedLake()
  const store = createLakeStateStore(state, { lake, clock: { now: () => 0 } })
  const segments = [segmentOf({ from: 3, until: 4, bytes: 7, knowsSplit: true, knowsSources: true })]
  const manifest = { ...emptyManifest(7), version: 5, compacted: 9, segments }
  await putFirstEdition(state, manifest)
  expect(await store.manifest(7)).toEqual(manifest)
  const next = addEpoch(await store.manifest(7), 9, null)
  expect(await store.saveManifest(next)).toBe(true)
  expect(await store.manifest(7)).toEqual(next)
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  expect(Items).toEqual([expect.not.objectContaining({ segments: expect.anything() })])
  expect(lake.keys('manifests/bucket=7/')).toHaveLength(1)
})

lakeStateContract('memory', async () => createMemoryLakeState())
