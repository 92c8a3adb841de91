import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPointers } from '#core/identity/links/pointers'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

/** Pointers whose reads and updates are counted. `beforeUpdate` runs before the first update. */
function setUp(beforeUpdate = async () => {}) {
  const calls = { reads: 0, updates: 0 }
  const client = new Proxy(state.client, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...values: unknown[]) => {
        if (name === 'batchGet' || name === 'get') calls.reads++
        if (name === 'update' && calls.updates++ === 0) await beforeUpdate()
        return method.apply(target, values)
      }
    },
  })
  const pointers = createPointers({ ...state, client })
  const lead = (links: readonly (readonly [string, string])[]) =>
    pointers.write(
      'proj_1',
      links.map(([previous_id, to], seq) => ({
        ...{ scope: 'proj_1', previous_id, user_id: to, linked_id: to, at: 1, seq },
      })),
      [],
    )
  return { pointers, lead, calls }
}

const chain = (length: number) => Array.from({ length }, (_, i) => [`u${i}`, `u${i + 1}`] as const)

test('a look-up of a long way shortens it by a bounded number of writes, for all ids on it', async () => {
  const { pointers, lead, calls } = setUp()
  await lead(chain(1_000))
  expect(await pointers.finalId('proj_1', 'u0')).toBe('u1000')
  expect(calls.updates).toBeLessThanOrEqual(32)
  for (const id of ['u0', 'u1', 'u500', 'u999']) {
    calls.reads = 0
    expect(await pointers.finalId('proj_1', id)).toBe('u1000')
    expect(calls.reads).toBeLessThan(40)
  }
})

test('a look-up works when the table takes no writes', async () => {
  const { pointers, lead, calls } = setUp(async () => {
    throw new Error('The table takes no writes')
  })
  await lead(chain(20))
  expect(await pointers.finalId('proj_1', 'u0')).toBe('u20')
  expect(calls.updates).toBeGreaterThan(0)
})

test('an id that was erased while its way was walked is not brought back, nor led to the person it had', async () => {
  const { pointers, lead } = setUp(async () => {
    const other = createPointers(state)
    await other.remove('proj_1', ['u0', 'u5'])
    await other.write(
      'proj_1',
      [{ scope: 'proj_1', previous_id: 'u5', user_id: 'z', linked_id: 'z', at: 2, seq: 1 }],
      [],
    )
  })
  await lead(chain(20))
  await pointers.finalId('proj_1', 'u0')
  expect(await pointers.finalId('proj_1', 'u0')).toBe('u0')
  expect(await pointers.finalId('proj_1', 'u5')).toBe('z')
})

test.each([
  ['of one id', [['a', 'a']], 'a'],
  [
    'of two ids',
    [
      ['b', 'a'],
      ['a', 'b'],
    ],
    'a',
  ],
  [
    'of many ids behind a way',
    [
      ['x', 'y'],
      ['y', 'c'],
      ['c', 'b'],
      ['b', 'd'],
      ['d', 'c'],
    ],
    'b',
  ],
] as const)(
  'a circle that a table has by damage ends each walk at the same id: %s',
  async (_, links, end) => {
    const { pointers, lead } = setUp()
    await lead(links)
    const known = await pointers.follow(
      'proj_1',
      links.map(([id]) => id),
    )
    await pointers.shorten('proj_1', known)
    for (const [id] of links) {
      expect(await pointers.finalId('proj_1', id)).toBe(end)
      let at: string = id
      for (let to = known.get(at)?.to ?? null; to !== null; to = known.get(at)?.to ?? null) at = to
      expect(at).toBe(end)
    }
  },
)
