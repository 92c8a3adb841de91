import { expect, test } from 'vitest'
import { rememberLast } from '#core/exports/remember-last'

/** How often a key was read, with room for so many. */
function counted(keepLast: number) {
  const reads = new Map<number, number>()
  const get = rememberLast(keepLast, async (key: { id: number }) => {
    reads.set(key.id, (reads.get(key.id) ?? 0) + 1)
    return key.id
  })
  return { reads, get }
}

test('a key that is asked for several times is read once, also by calls at the same time', async () => {
  const { reads, get } = counted(10)
  expect(await Promise.all([get({ id: 1 }), get({ id: 1 }), get({ id: 2 })])).toEqual([1, 1, 2])
  expect(await get({ id: 1 })).toBe(1)
  expect([...reads]).toEqual([
    [1, 1],
    [2, 1],
  ])
})

test('with more keys than it may keep, it forgets the oldest ones', async () => {
  const { reads, get } = counted(10)
  for (let id = 0; id < 1_000; id++) await get({ id })
  for (let id = 0; id < 1_000; id++) await get({ id })
  // At most twice as many as it keeps are read once.
  expect([...reads.values()].filter(times => times === 1).length).toBeLessThanOrEqual(20)
})
