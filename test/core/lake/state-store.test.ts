import { afterAll, beforeAll } from 'vitest'
import { createLakeStateStore } from '#core/lake/state-store'
import { lakeStateContract } from '#test/contract/lake-state'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

lakeStateContract('DynamoDB', async () => {
  await state.empty()
  return createLakeStateStore(state)
})

lakeStateContract('memory', async () => createMemoryLakeState())
