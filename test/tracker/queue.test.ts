import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQueue, type Item } from '../../tracker/queue.ts'
import { itemNamed } from './item.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function queueWithLog() {
  const delivered: string[][] = []
  const queue = createQueue((items: Item[]) => delivered.push(items.map(item => item.event)))
  return { queue, delivered }
}

test('items leave together, 5 s after the first of them', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(itemNamed('a'))
  vi.advanceTimersByTime(4000)
  queue.add(itemNamed('b'))
  vi.advanceTimersByTime(999)
  expect(delivered).toEqual([])
  vi.advanceTimersByTime(1)
  expect(delivered).toEqual([['a', 'b']])
  queue.add(itemNamed('c'))
  vi.advanceTimersByTime(5000)
  expect(delivered).toEqual([['a', 'b'], ['c']])
})

test('a flush sends at once, and only once', () => {
  const { queue, delivered } = queueWithLog()
  queue.flush()
  queue.add(itemNamed('a'))
  queue.flush()
  queue.flush()
  vi.advanceTimersByTime(60_000)
  expect(delivered).toEqual([['a']])
})

test('the 5 s of an item after a flush begin anew', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(itemNamed('a'))
  vi.advanceTimersByTime(3000)
  queue.flush()
  queue.add(itemNamed('b'))
  vi.advanceTimersByTime(4999)
  expect(delivered).toEqual([['a']])
  vi.advanceTimersByTime(1)
  expect(delivered).toEqual([['a'], ['b']])
})

test('a held queue hands nothing over, not even what came before', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(itemNamed('a'))
  queue.hold()
  for (let at = 0; at < 5000; at++) queue.add(itemNamed('b'))
  queue.flush()
  vi.advanceTimersByTime(60_000)
  expect(delivered).toEqual([])
})
