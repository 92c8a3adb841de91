import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createExpiredItems } from '#local/state/expired-items'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let now: number
const clock = { now: () => now }
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  now = 1_000_000_000
})
afterAll(() => state.close())

const SECONDS = 1_000_000

async function put(sk: string, expires_at?: number) {
  const Item = { pk: 'p', sk, ...(expires_at !== undefined && { expires_at }) }
  await state.client.put({ TableName: state.table, Item })
  return { pk: 'p', sk }
}

async function remaining() {
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  return Items.map(({ sk }) => sk).toSorted()
}

test('a search deletes every expired item, over many pages, and no other item', async () => {
  for (let i = 0; i < 120; i++) await put(`old-${i}`, SECONDS - 1 - i)
  await put('now', SECONDS)
  await put('later', SECONDS + 1)
  await put('forever')
  await createExpiredItems(state, clock).deleteAll(new AbortController().signal)
  expect(await remaining()).toEqual(['forever', 'later', 'now'])
})

test('noted items are deleted when they have expired', async () => {
  const items = createExpiredItems(state, clock)
  for (const [sk, expiresAt] of [
    ['a', SECONDS + 1],
    ['b', SECONDS + 1],
    ['c', SECONDS + 60],
  ] as const) {
    items.note(await put(sk, expiresAt), expiresAt)
  }
  await items.deleteNoted()
  expect(await remaining()).toEqual(['a', 'b', 'c'])
  now += 2_000
  await items.deleteNoted()
  expect(await remaining()).toEqual(['c'])
  now += 60_000
  await items.deleteNoted()
  await items.deleteNoted()
  expect(await remaining()).toEqual([])
})
