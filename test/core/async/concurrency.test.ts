import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { forEachConcurrent } from '#core/async/concurrency'

test('the work is done once for each item, for at most `concurrency` items at the same time', async () => {
  const finished: number[] = []
  let running = 0
  let most = 0
  await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    most = Math.max(most, ++running)
    await turn()
    running -= 1
    finished.push(item)
  })
  expect(finished.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('no work starts after an error, and running work ends before it rejects', async () => {
  const started: number[] = []
  const ended: number[] = []
  const failing = forEachConcurrent([1, 2, 3, 4, 5], 2, async item => {
    started.push(item)
    if (item === 1) throw new Error('the first')
    await turn()
    ended.push(item)
    throw new Error('a later one')
  })
  await expect(failing).rejects.toThrow('the first')
  expect([started, ended]).toEqual([[1, 2], [2]])
})

test('without items the work never runs', async () => {
  await forEachConcurrent([], 4, () => Promise.reject(new Error('called')))
})
