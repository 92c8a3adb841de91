import { afterAll, beforeAll } from 'vitest'
import { stateTableContract } from '#test/contract/state-table'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import { emptyTable, openTestState, type TestState } from '#test/support/test-state'

/** The suite runs on dynalite too: so it asks for what DynamoDB does. */
let state: TestState
let reference: DynaliteState
beforeAll(async () => {
  ;[state, reference] = await Promise.all([openTestState(), openDynaliteState()])
})
afterAll(() => Promise.all([state.close(), reference.close()]))

stateTableContract('the file of one machine', async () => {
  await state.empty()
  return state
})

stateTableContract('dynalite', async () => {
  await emptyTable(reference)
  return reference
})
