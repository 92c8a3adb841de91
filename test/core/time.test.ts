import { expect, test } from 'vitest'
import { midnight, utcDate } from '#core/time'

test('the first and the last millisecond of a UTC day belong to that day', () => {
  const [first, last] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22) - 1]
  expect([first, last].map(midnight)).toEqual([first, first])
  expect([first, last].map(utcDate)).toEqual(['2026-11-21', '2026-11-21'])
})
