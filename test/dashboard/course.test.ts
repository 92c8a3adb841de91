import { expect, test } from 'vitest'
import { courseOfQuery } from '#dashboard/views/overview/model'

const NOW = { date: '2026-11-30', hour: 12 }
const period = { from: '2026-11-26', to: '2026-11-29', days: 4 }
const rows = [
  { date: '2026-11-26', session_count: 3 },
  { date: '2026-11-28', session_count: 2 },
]

function course(answer: object) {
  return courseOfQuery({ period, rows, ...answer } as never, 'sessions', 'day', NOW).now
}

test('a date without a row is 0 in a complete answer, and unknown after the last row of a truncated answer', () => {
  expect(course({})).toEqual([3, 0, 2, 0])
  expect(course({ truncated: true })).toEqual([3, 0, 2, null])
})
