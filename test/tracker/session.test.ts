import { expect, test } from 'vitest'
import { defineStorage, openNodePage } from './node-page.ts'

const START = Date.UTC(2026, 10, 21, 9)
const MINUTE = 60_000
const DAY = 86_400_000

/** Opens a page. `touch` returns the session's id, its number and the days since the first visit. */
async function openPage(options = {}) {
  const { read, touchSession } = await openNodePage(options)
  return (now: number) => {
    const { session_count, days_since_first_visit } = touchSession(now)
    return [read('sid'), session_count, days_since_first_visit] as const
  }
}

test('events less than 30 minutes apart belong to one session of any length', async () => {
  const touch = await openPage()
  const first = touch(START)
  expect(first).toEqual([expect.stringMatching(/^sess_\d{8,20}$/), 1, 0])
  for (let at = 29; at < 200; at += 29) expect(touch(START + at * MINUTE)).toEqual(first)
})

test('a session ends after 30 minutes without an event, and the next session raises the count', async () => {
  const touch = await openPage()
  const first = touch(START)
  const second = touch(START + 30 * MINUTE)
  expect(second[0]).not.toBe(first[0])
  expect(second[1]).toBe(2)
})

test('another tab is another session of the same user', async () => {
  const touch = await openPage()
  const first = touch(START)
  defineStorage('sessionStorage', {})
  const second = touch(START + MINUTE)
  expect(second[0]).not.toBe(first[0])
  expect(second[1]).toBe(2)
})

test('days since the first visit are whole days', async () => {
  const touch = await openPage()
  const at = (now: number) => touch(now)[2]
  expect([at(START), at(START + DAY - 1), at(START + DAY), at(START + 9.5 * DAY)]).toEqual([0, 0, 1, 9])
})

test('a clock that is set back does not end the session or give negative days', async () => {
  const touch = await openPage()
  const first = touch(START)
  expect(touch(START - 3 * DAY)).toEqual(first)
})

test('stored values that are no numbers are ignored', async () => {
  const touch = await openPage({
    local: { 'aa:t:sc': 'many', 'aa:t:fv': 'never' },
    tab: { 'aa:t:sid': 'sess_1', 'aa:t:last_activity': 'now' },
  })
  expect(touch(START)).toEqual([expect.not.stringMatching('sess_1$'), 1, 0])
})

test('without a storage, the session lasts as long as the page', async () => {
  const touch = await openPage({ local: null, tab: null })
  const first = touch(START)
  expect(touch(START + MINUTE)).toEqual(first)
})
