import { expect, test } from 'vitest'
import { type DemoRequest, demoTraffic } from '#core/demo/traffic'

const end = Date.UTC(2026, 10, 20, 12)
const day = 86_400_000
const settings = { events: 20_000, end, seed: 7 }
const requests = [...demoTraffic(settings)]
const events = requests.flatMap(request => request.events)

function share(of: (event: (typeof events)[number]) => boolean): number {
  return events.filter(of).length / events.length
}

function distinct<T>(values: readonly T[]): number {
  return new Set(values).size
}

test('the same settings give the same traffic, and another seed gives other traffic', () => {
  expect([...demoTraffic(settings)]).toEqual(requests)
  expect([...demoTraffic({ ...settings, seed: 8 })]).not.toEqual(requests)
})

test('the number of events is exactly that of the settings', () => {
  expect(events).toHaveLength(20_000)
  expect([...demoTraffic({ ...settings, events: 1 })].flatMap(request => request.events)).toHaveLength(1)
})

test('users, sessions, property keys and event names have the numbers that the demo promises', () => {
  expect(distinct(events.map(event => event.user_id))).toBe(800)
  expect(distinct(events.map(event => event.session_id))).toBe(3_000)
  expect(distinct(events.flatMap(event => Object.keys(event.properties ?? {})))).toBe(40)
  expect(distinct(events.map(event => event.event))).toBe(16)
  expect(share(event => event.event === 'page_view')).toBeCloseTo(0.7, 1)
})

test('most users have one session', () => {
  const sessions = Map.groupBy(events, event => event.user_id)
  const once = [...sessions.values()].filter(own => distinct(own.map(event => event.session_id)) === 1)
  expect(once.length / sessions.size).toBeGreaterThan(0.5)
})

test('requests are in order of arrival, and none arrives before its events', () => {
  const inOrder = requests.toSorted((a, b) => a.received_at - b.received_at)
  expect(requests.map(request => request.received_at)).toEqual(inOrder.map(request => request.received_at))
  const early = ({ received_at, events }: DemoRequest) => events.some(event => event.timestamp > received_at)
  expect(requests.filter(early)).toEqual([])
})

test('everything happens and arrives within the thirty days', () => {
  const times = events.map(event => event.timestamp)
  expect(Math.min(...times)).toBeGreaterThanOrEqual(end - 30 * day)
  expect(Math.max(...requests.map(request => request.received_at))).toBeLessThanOrEqual(end)
})

test('about one event in twenty arrives hours late', () => {
  const late = requests.filter(({ received_at, events }) =>
    events.some(event => received_at - event.timestamp > 3_600_000),
  )
  const lateEvents = late.flatMap(request => request.events).length
  expect(lateEvents / events.length).toBeGreaterThan(0.03)
  expect(lateEvents / events.length).toBeLessThan(0.07)
})

test('nights and weekends have fewer events', () => {
  const byHour = (from: number, to: number) =>
    share(event => {
      const hour = new Date(event.timestamp).getUTCHours()
      return hour >= from && hour < to
    })
  expect(byHour(1, 5)).toBeLessThan(byHour(13, 17) / 2)
  const sundays = share(event => new Date(event.timestamp).getUTCDay() === 0)
  const wednesdays = share(event => new Date(event.timestamp).getUTCDay() === 3)
  expect(sundays).toBeLessThan(wednesdays)
})

test('ids have the form of the tracker’s ids', () => {
  for (const event of events.slice(0, 100)) {
    expect(event.user_id).toMatch(/^anon_[0-9a-z]{16}$/)
    expect(event.session_id).toMatch(/^sess_[0-9a-z]{16}$/)
  }
})

test('with a prefix every event has its own event_id', () => {
  const requests = [...demoTraffic({ ...settings, events: 500, eventIdPrefix: 'demo-' })]
  const ids = requests.flatMap(({ events }) => events.map(event => event.event_id))
  expect(ids).toEqual(ids.map((_, i) => `demo-${i}`))
})
