import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSlidingWindow } from '#core/limits/sliding-window'
import { systemClock } from '#providers/system-clock'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { ...systemClock, now: () => now }
let key = 0
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** Windows of several processes on one table. */
function windows(count = 1) {
  const options = { name: 'test', windowMs: 60_000 }
  return Array.from({ length: count }, () => createSlidingWindow({ ...state, clock }, options))
}
const freshKey = () => `key-${key++}`

test('exactly the limit is admitted when several processes take many requests at once', async () => {
  const processes = windows(4)
  const id = freshKey()
  const admissions = await Promise.all(Array.from({ length: 40 }, (_, i) => processes[i % 4]!.take(id, 10)))
  expect(admissions.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(10)
})

test('no minute holds more than the limit, and a refused request succeeds at the announced reset time', async () => {
  const [window] = windows()
  const id = freshKey()
  const admitted: number[] = []
  for (let i = 0; i < 400; i++) {
    const admission = await window!.take(id, 7)
    if (admission.isAdmitted) admitted.push(now)
    else if (i % 5 === 0) {
      now = admission.resetAt
      expect((await window!.take(id, 7)).isAdmitted).toBe(true)
      admitted.push(now)
    }
    now += (i * 7_919) % 9_000
  }
  for (const at of admitted) {
    expect(admitted.filter(other => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(7)
  }
  expect(admitted.length).toBeGreaterThan(100)
})

test('refused requests do not use up the window, and do not ask the table', async () => {
  let requests = 0
  const client = new Proxy(state.client, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === 'update') requests++
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const window = createSlidingWindow(
    { client, table: state.table, clock },
    { name: 'test', windowMs: 60_000 },
  )
  const id = freshKey()
  for (let i = 0; i < 3; i++) await window.take(id, 3)
  await window.take(id, 3)
  const before = requests
  for (let i = 0; i < 50; i++) expect((await window.take(id, 3)).isAdmitted).toBe(false)
  expect(requests).toBe(before)
  now += 61_000
  expect(await window.take(id, 3)).toMatchObject({ isAdmitted: true, limit: 3, remaining: 2 })
})

test('a look counts nothing', async () => {
  const [window, elsewhere] = windows(2)
  const id = freshKey()
  for (let i = 0; i < 5; i++) expect((await window!.peek(id, 2)).isAdmitted).toBe(true)
  await window!.take(id, 2)
  await window!.take(id, 2)
  expect(await elsewhere!.peek(id, 2)).toMatchObject({ isAdmitted: false, remaining: 0 })
})

test('the item of a key stays small', async () => {
  const [window] = windows()
  const id = freshKey()
  for (let i = 0; i < 300; i++) {
    await window!.take(id, 1_000)
    now += 1_500
  }
  const { Item = {} } = await state.client.get({
    TableName: state.table,
    Key: { pk: `limit#test#${id}`, sk: 'window' },
  })
  expect(Object.keys(Item).length).toBeLessThan(130)
  expect(Item.expires_at).toBeGreaterThan(now / 1_000)
})
