import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defineStorage, openNodePage } from './node-page.ts'
import { queuedEvent } from './queued-event.ts'

let beacons: { path: string; events: string[] }[] = []

beforeEach(() => {
  vi.useFakeTimers()
  beacons = []
  vi.stubGlobal('location', { hostname: 'shop.test' })
  vi.stubGlobal('navigator', {
    sendBeacon(address: string, { text }: { text: string }) {
      const body = JSON.parse(text)
      const events = (body.events ?? [body]).map(
        ({ event, user_id }: Record<string, string>) => event ?? user_id,
      )
      beacons.push({ path: new URL(address).pathname, events })
      return true
    },
  })
  vi.stubGlobal(
    'Blob',
    class {
      readonly text: string
      constructor(parts: string[]) {
        this.text = parts.join('')
      }
    },
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function openQueue(dataset = {}) {
  const page = await openNodePage({ dataset: { token: 't', ...dataset } })
  const queue = await import('#tracker/queue')
  return { ...page, ...queue, add: (event: string) => queue.enqueue(queuedEvent(event)) }
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
  expect(beacons).toEqual([{ path: '/track/batch', events: ['a', 'b'] }])
  add('c')
  vi.advanceTimersByTime(5000)
  expect(beacons[1]).toEqual({ path: '/track', events: ['c'] })
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
  const { add, enqueueIdentify } = await openQueue()
  add('a')
  enqueueIdentify('{"user_id":"ada"}')
  expect(beacons).toEqual([
    { path: '/track', events: ['a'] },
    { path: '/identify', events: ['ada'] },
  ])
})

test('without consent nothing is sent, and consent sends the first 1000 events and each call of identify once', async () => {
  const { add, enqueueIdentify, flush, storeConsent } = await openQueue({ requireConsent: 'true' })
  for (let at = 0; at < 1500; at++) add(`e${at}`)
  for (let at = 0; at < 3; at++) enqueueIdentify('{"user_id":"ada"}')
  vi.advanceTimersByTime(60_000)
  flush()
  expect(sent()).toEqual([])
  storeConsent()
  flush()
  expect(sent()).toEqual([...Array.from({ length: 1000 }, (_, at) => `e${at}`), 'ada'])
  expect(Math.max(...beacons.map(({ events }) => events.length))).toBe(100)
})

test('what is cleared is never sent', async () => {
  const { add, clear, enqueueIdentify, flush, storeConsent } = await openQueue({ requireConsent: 'true' })
  add('a')
  enqueueIdentify('{"user_id":"ada"}')
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
