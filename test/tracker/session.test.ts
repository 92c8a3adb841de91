import { expect, test } from 'vitest'
import { defineStorage, openNodePage } from './node-page.ts'

const START = Date.UTC(2026, 10, 21, 9)
const MINUTE = 60_000
const DAY = 86_400_000

test('events less than 30 minutes apart belong to one session of any length', async () => {
  const { touchSession } = await openNodePage()
  const first = touchSession(START)
  expect(first).toEqual({
    id: expect.stringMatching(/^sess_\d{8,20}$/),
    properties: { session_count: 1, days_since_first_visit: 0 },
  })
  for (let at = 29; at < 200; at += 29) expect(touchSession(START + at * MINUTE)).toEqual(first)
})

test('a session ends after 30 minutes without an event, and the next session raises the count', async () => {
  const { touchSession } = await openNodePage()
  const first = touchSession(START)
  const second = touchSession(START + 30 * MINUTE)
  expect(second.id).not.toBe(first.id)
  expect(second.properties.session_count).toBe(2)
})

test('another tab is another session of the same user', async () => {
  const { touchSession } = await openNodePage()
  const first = touchSession(START)
  defineStorage('sessionStorage', {})
  const second = touchSession(START + MINUTE)
  expect(second.id).not.toBe(first.id)
  expect(second.properties.session_count).toBe(2)
})

test('days since the first visit are whole days', async () => {
  const { touchSession } = await openNodePage()
  const at = (now: number) => touchSession(now).properties.days_since_first_visit
  expect([at(START), at(START + DAY - 1), at(START + DAY), at(START + 9.5 * DAY)]).toEqual([0, 0, 1, 9])
})

test('a clock that is set back does not end the session or give negative days', async () => {
  const { touchSession } = await openNodePage()
  const first = touchSession(START)
  expect(touchSession(START - 3 * DAY)).toEqual(first)
})

test('stored values that are no numbers are ignored', async () => {
  const { touchSession } = await openNodePage({
    local: { 'aa:t:sc': 'many', 'aa:t:fv': '-5' },
    tab: { 'aa:t:sid': 'sess_1', 'aa:t:last_activity': 'now' },
  })
  expect(touchSession(START)).toEqual({
    id: expect.not.stringMatching('sess_1$'),
    properties: { session_count: 1, days_since_first_visit: 0 },
  })
})

test('without a storage, the session lasts as long as the page', async () => {
  const { touchSession } = await openNodePage({ local: null, tab: null })
  const first = touchSession(START)
  expect(touchSession(START + MINUTE)).toEqual(first)
})
