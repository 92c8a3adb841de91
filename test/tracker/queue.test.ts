import { expect, test, vi } from 'vitest'
import { useBeacons } from './beacons.ts'
import { defineStorage, openNodePage } from './node-page.ts'
import { queuedEvent } from './queued-event.ts'

const beacons = useBeacons()

async function openQueue(dataset = {}) {
  const page = await openNodePage({ dataset: { token: 't', ...dataset } })
  const queue = await import('#tracker/queue')
  return {
    ...page,
    ...queue,
    add: (event: string) => queue.enqueue(queuedEvent(event), 0),
    identify() {
      queue.identifies.add('{"user_id":"ada"}')
      queue.flush()
    },
  }
}

const sent = () => beacons.flatMap(({ events }) => events)

test('events are sent together, 5 s after the first of them', async () => {
  const { add } = await openQueue()
  add('a')
  vi.advanceTimersByTime(4000)
  add('b')
  vi.advanceTimersByTime(999)
  expect(sent()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(beacons).toMatchObject([{ path: '/track/batch', events: ['a', 'b'] }])
  add('c')
  vi.advanceTimersByTime(5000)
  expect(beacons[1]).toMatchObject({ path: '/track', events: ['c'] })
})

test('a flush sends events at once, and only once, and the next event starts a new wait', async () => {
  const { add, flush } = await openQueue()
  flush()
  add('a')
  vi.advanceTimersByTime(3000)
  flush()
  flush()
  add('b')
  vi.advanceTimersByTime(4999)
  expect(sent()).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(sent()).toEqual(['a', 'b'])
})

test('a call of identify goes out at once, after the events that wait', async () => {
  const { add, identify } = await openQueue()
  add('a')
  identify()
  expect(beacons).toMatchObject([
    { path: '/track', events: ['a'] },
    { path: '/identify', events: ['ada'] },
  ])
})

test('without consent nothing is sent, and consent sends the first 1000 events and each call of identify once', async () => {
  const { add, identify, flush, storeConsent } = await openQueue({ requireConsent: 'true' })
  for (let at = 0; at < 1500; at++) add(`e${at}`)
  for (let at = 0; at < 3; at++) identify()
  vi.advanceTimersByTime(60_000)
  flush()
  expect(sent()).toEqual([])
  storeConsent()
  flush()
  expect(sent()).toEqual([...Array.from({ length: 1000 }, (_, at) => `e${at}`), 'ada'])
  expect(Math.max(...beacons.map(({ events }) => events.length))).toBe(100)
})

test('what is cleared is never sent', async () => {
  const { add, clear, identify, flush, storeConsent } = await openQueue({ requireConsent: 'true' })
  add('a')
  identify()
  clear()
  storeConsent()
  flush()
  expect(sent()).toEqual([])
})

test('events that wait are dropped after an opt-out', async () => {
  const { add, flush } = await openQueue()
  add('a')
  defineStorage('localStorage', { aa_disabled: 'true' })
  flush()
  expect(sent()).toEqual([])
})
