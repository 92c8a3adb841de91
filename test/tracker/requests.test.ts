import { expect, test } from 'vitest'
import { byteLength } from '#tracker/clean'
import { toRequests } from '#tracker/requests'
import { queuedEvent } from './queued-event.ts'

const createEvents = (count: number, properties = {}) =>
  Array.from({ length: count }, (_, index) => queuedEvent(`e${index}`, properties))

const names = (requests: ReturnType<typeof toRequests>) =>
  requests.map(({ path, body }) =>
    path === '/track'
      ? [JSON.parse(body).event]
      : JSON.parse(body).events.map(({ event }: { event: string }) => event),
  )

test('one event goes to /track, several go to /track/batch', () => {
  expect(toRequests([])).toEqual([])
  expect(toRequests(createEvents(1))).toEqual([{ path: '/track', body: JSON.stringify(queuedEvent('e0')) }])
  expect(toRequests(createEvents(2))).toEqual([
    { path: '/track/batch', body: JSON.stringify({ events: createEvents(2) }) },
  ])
})

test('a request holds at most 100 events and keeps their order', () => {
  const requests = toRequests(createEvents(250))
  expect(names(requests).map(list => list.length)).toEqual([100, 100, 50])
  expect(names(requests).flat()).toEqual(createEvents(250).map(({ event }) => event))
})

test('a batch above 64 KiB, counted in bytes, is halved until each part fits', () => {
  const requests = toRequests(createEvents(40, { text: 'ä'.repeat(2000) }))
  expect(names(requests).map(list => list.length)).toEqual([10, 10, 10, 10])
  expect(names(requests).flat()).toEqual(createEvents(40).map(({ event }) => event))
  for (const { body } of requests) expect(byteLength(body)).toBeLessThanOrEqual(65_536)
})

test('a single event that is too big is dropped, and the other events are sent', () => {
  const big = queuedEvent('big', { text: 'x'.repeat(70_000) })
  expect(names(toRequests([queuedEvent('a'), big, queuedEvent('b'), queuedEvent('c')]))).toEqual([
    ['a'],
    ['b', 'c'],
  ])
  expect(toRequests([big])).toEqual([])
})
