import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { forEachConcurrent } from '#core/concurrency'

test('every item is worked on once, a few at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    most = Math.max(most, ++running)
    await turn()
    running -= 1
    done.push(item)
  })
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('nothing is begun after a failure, and what was begun has ended when it is told', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const failing = forEachConcurrent([1, 2, 3, 4, 5], 2, async item => {
    begun.push(item)
    if (item === 1) throw new Error('the first')
    await turn()
    ended.push(item)
    throw new Error('a later one')
  })
  await expect(failing).rejects.toThrow('the first')
  expect([begun, ended]).toEqual([[1, 2], [2]])
})

test('no items are no work', async () => {
  await forEachConcurrent([], 4, () => Promise.reject(new Error('called')))
})
