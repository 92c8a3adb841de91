import { afterAll, beforeAll, expect, test } from 'vitest'
import { createErasureFeed, LISTED_MS, listedHash } from '#core/identity/erasure-feed'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('a person of 30,000 ids is listed in pages of 10,000 that lose none', async () => {
  const clock = { time: 1_000_000, now: () => clock.time++ }
  const feed = createErasureFeed({ ...state, clock })
  const ids = Array.from({ length: 30_000 }, (_, i) => `u${i}`)
  await feed.add('proj_1', ids, 5)
  await feed.add('proj_2', ['other'], 6)
  const found = new Set<string>()
  let pages = 0
  for (let after: string | null | undefined; after !== null; pages++) {
    const page = await feed.list('proj_1', 1_000_000, after)
    const users = page.erasures.flatMap(erasure => erasure.users)
    expect(users.length).toBeLessThanOrEqual(10_000)
    for (const user of users) found.add(user)
    after = page.next_after
  }
  expect(found).toEqual(new Set(ids.map(id => listedHash('proj_1', id))))
  expect(pages).toBeGreaterThanOrEqual(3)
})

test('an entry goes when the list no longer goes back so far, also of an erasure that came late', async () => {
  const now = 3 * LISTED_MS
  const feed = createErasureFeed({ ...state, clock: { now: () => now } })
  await feed.add('proj_3', ['ada'], now - LISTED_MS)
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  const item = Items.find(({ pk }) => String(pk).endsWith('proj_3'))
  expect(item?.expires_at).toBe((now + LISTED_MS) / 1_000)
  const { erasures, next_since } = await feed.list('proj_3', now)
  expect(erasures).toEqual([{ erased_until: now - LISTED_MS, users: [listedHash('proj_3', 'ada')] }])
  expect(next_since).toBe(now - 60_000)
})

test('the last erasure of a project is found among many, and none for a project without one', async () => {
  const clock = { time: 1_000_000, now: () => clock.time++ }
  const feed = createErasureFeed({ ...state, clock })
  expect(await feed.lastAt('proj_4')).toBeNull()
  for (const user of ['ada', 'bee', 'cleo']) await feed.add('proj_4', [user], 5)
  expect(await feed.lastAt('proj_4')).toBe(1_000_002)
})
