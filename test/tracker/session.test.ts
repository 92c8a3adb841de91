import { expect, test } from 'vitest'
import { touchSession } from '../../tracker/session.ts'
import { openStore } from '../../tracker/storage.ts'
import { blockedStorage, memoryStorage } from './memory-storage.ts'

const START = Date.UTC(2026, 10, 21, 9)
const MINUTE = 60_000
const DAY = 86_400_000

function browser() {
  const local = memoryStorage()
  return {
    local: openStore(() => local, 't'),
    openTab() {
      const tab = memoryStorage()
      return openStore(() => tab, 't')
    },
  }
}

test('events less than 30 minutes apart belong to one session of any length', () => {
  const { local, openTab } = browser()
  const tab = openTab()
  const first = touchSession(local, tab, START)
  expect(first).toEqual({
    id: expect.stringMatching(/^sess_[0-9a-z]{16}$/),
    count: 1,
    daysSinceFirstVisit: 0,
  })
  for (let at = 29; at < 200; at += 29) {
    expect(touchSession(local, tab, START + at * MINUTE)).toEqual(first)
  }
})

test('a session ends after 30 minutes without an event, and the next session raises the count', () => {
  const { local, openTab } = browser()
  const tab = openTab()
  const first = touchSession(local, tab, START)
  const second = touchSession(local, tab, START + 30 * MINUTE)
  expect(second.id).not.toBe(first.id)
  expect(second.count).toBe(2)
})

test('another tab is another session of the same user', () => {
  const { local, openTab } = browser()
  const first = touchSession(local, openTab(), START)
  const second = touchSession(local, openTab(), START + MINUTE)
  expect(second.id).not.toBe(first.id)
  expect(second.count).toBe(2)
})

test('days since the first visit are whole days', () => {
  const { local, openTab } = browser()
  const at = (now: number) => touchSession(local, openTab(), now).daysSinceFirstVisit
  expect([at(START), at(START + DAY - 1), at(START + DAY), at(START + 9.5 * DAY)]).toEqual([0, 0, 1, 9])
})

test('a clock that is set back does not end the session or give negative days', () => {
  const { local, openTab } = browser()
  const tab = openTab()
  const first = touchSession(local, tab, START)
  expect(touchSession(local, tab, START - 3 * DAY)).toEqual(first)
})

test('stored values that are no numbers are ignored', () => {
  const local = memoryStorage({ 'aa:t:sc': 'many', 'aa:t:fv': '-5' })
  const tab = memoryStorage({ 'aa:t:sid': 'sess_1', 'aa:t:last_activity': 'now' })
  const session = touchSession(
    openStore(() => local, 't'),
    openStore(() => tab, 't'),
    START,
  )
  expect(session).toEqual({ id: expect.not.stringMatching('sess_1$'), count: 1, daysSinceFirstVisit: 0 })
})

test('without a storage, the session lasts as long as the page', () => {
  const local = openStore(blockedStorage, 't')
  const tab = openStore(blockedStorage, 't')
  const first = touchSession(local, tab, START)
  expect(touchSession(local, tab, START + MINUTE)).toEqual(first)
})
