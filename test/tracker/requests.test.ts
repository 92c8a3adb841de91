import { expect, test } from 'vitest'
import { byteLength } from '../../tracker/clean.ts'
import { toRequests } from '../../tracker/requests.ts'
import { itemNamed } from './item.ts'

const items = (count: number, properties = {}) =>
  Array.from({ length: count }, (_, at) => itemNamed(`e${at}`, properties))

const names = (requests: ReturnType<typeof toRequests>) =>
  requests.map(({ path, body }) =>
    path === '/track'
      ? [JSON.parse(body).event]
      : JSON.parse(body).events.map(({ event }: { event: string }) => event),
  )

test('one item goes to /track, more go to /track/batch', () => {
  expect(toRequests([])).toEqual([])
  expect(toRequests(items(1))).toEqual([{ path: '/track', body: JSON.stringify(itemNamed('e0')) }])
  expect(toRequests(items(2))).toEqual([{ path: '/track/batch', body: JSON.stringify({ events: items(2) }) }])
})

test('a request holds at most 100 items; their order stays', () => {
  const requests = toRequests(items(250))
  expect(names(requests).map(list => list.length)).toEqual([100, 100, 50])
  expect(names(requests).flat()).toEqual(items(250).map(item => item.event))
})

test('a batch over 64 KiB is halved until each part fits; bytes count, not characters', () => {
  const requests = toRequests(items(40, { text: 'ä'.repeat(2000) }))
  expect(names(requests).map(list => list.length)).toEqual([10, 10, 10, 10])
  expect(names(requests).flat()).toEqual(items(40).map(item => item.event))
  for (const { body } of requests) expect(byteLength(body)).toBeLessThanOrEqual(65_536)
})

test('an item that is too big by itself is dropped, its neighbours are not', () => {
  const big = itemNamed('big', { text: 'x'.repeat(70_000) })
  expect(names(toRequests([itemNamed('a'), big, itemNamed('b'), itemNamed('c')]))).toEqual([
    ['a'],
    ['b', 'c'],
  ])
  expect(toRequests([big])).toEqual([])
})
