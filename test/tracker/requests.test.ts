import { beforeEach, expect, test } from 'vitest'
import { byteLength } from '#tracker/clean'
import { sendEvents } from '#tracker/send'
import { readSettings } from '#tracker/settings'
import { useBeacons } from './beacons.ts'
import { queuedEvent } from './queued-event.ts'

const beacons = useBeacons()
beforeEach(() => readSettings({ src: 'https://stats.test/tracker.js', dataset: { token: 't' } }))

const createEvents = (count: number, properties = {}) =>
  Array.from({ length: count }, (_, index) => queuedEvent(`e${index}`, properties))

test('one event goes to /track, several go to /track/batch', () => {
  sendEvents(createEvents(1))
  sendEvents(createEvents(2))
  expect(beacons.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    ['/track', queuedEvent('e0')],
    ['/track/batch', { events: createEvents(2) }],
  ])
})

test('a batch above 64 KiB, counted in bytes, is halved until each part fits', () => {
  const events = createEvents(40, { text: 'ä'.repeat(2000) })
  sendEvents(events)
  expect(beacons.map(({ events }) => events.length)).toEqual([10, 10, 10, 10])
  expect(beacons.flatMap(({ events }) => events)).toEqual(events.map(({ event }) => event))
  for (const { body } of beacons) expect(byteLength(body)).toBeLessThanOrEqual(65_536)
})

test('a single event that is too big is dropped, and the other events are sent', () => {
  const big = queuedEvent('big', { text: 'x'.repeat(70_000) })
  sendEvents([queuedEvent('a'), big, queuedEvent('b'), queuedEvent('c')])
  expect(beacons.map(({ events }) => events)).toEqual([['a'], ['b', 'c']])
  sendEvents([big])
  expect(beacons).toHaveLength(2)
})
