import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQueue, type QueuedEvent } from '../../tracker/queue.ts'
import { queuedEvent } from './queued-event.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function queueWithLog() {
  const delivered: string[][] = []
  const queue = createQueue((events: QueuedEvent[]) => delivered.push(events.map(({ event }) => event)))
  return { queue, delivered }
}

test('events are delivered together, 5 s after the first of them', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(queuedEvent('a'))
  vi.advanceTimersByTime(4000)
  queue.add(queuedEvent('b'))
  vi.advanceTimersByTime(999)
  expect(delivered).toEqual([])
  vi.advanceTimersByTime(1)
  expect(delivered).toEqual([['a', 'b']])
  queue.add(queuedEvent('c'))
  vi.advanceTimersByTime(5000)
  expect(delivered).toEqual([['a', 'b'], ['c']])
})

test('a flush delivers events at once, and only once', () => {
  const { queue, delivered } = queueWithLog()
  queue.flush()
  queue.add(queuedEvent('a'))
  queue.flush()
  queue.flush()
  vi.advanceTimersByTime(60_000)
  expect(delivered).toEqual([['a']])
})

test('after a flush, the next event starts a new wait of 5 s', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(queuedEvent('a'))
  vi.advanceTimersByTime(3000)
  queue.flush()
  queue.add(queuedEvent('b'))
  vi.advanceTimersByTime(4999)
  expect(delivered).toEqual([['a']])
  vi.advanceTimersByTime(1)
  expect(delivered).toEqual([['a'], ['b']])
})

test('a held queue delivers nothing, not even earlier events', () => {
  const { queue, delivered } = queueWithLog()
  queue.add(queuedEvent('a'))
  queue.hold()
  for (let at = 0; at < 5000; at++) queue.add(queuedEvent('b'))
  queue.flush()
  vi.advanceTimersByTime(60_000)
  expect(delivered).toEqual([])
})
