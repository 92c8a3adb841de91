import { expect, test } from 'vitest'
import { faultsOf } from '#dashboard/address-faults'
import { useDrawings } from './drawn-view.ts'

/** What an address has that its numbers do not follow is said, not silently left out. */

const drawings = useDrawings()
const MANY = Array.from({ length: 21 }, (_, i) => `f=country:eq:${i}`).join('&')

test.each([
  ['f=country:is:DE', 'The filter “country:is:DE” is not one'],
  ['f=nothing', 'The filter “nothing” is not one'],
  ['f=properties.a.b:eq:x', 'is not one'],
  [MANY, 'Only the first 20 of 21 filters'],
  ['range=8d', 'The range “8d” is unknown'],
  ['from=2026-02-30&to=2026-03-01', '“2026-02-30” is no date'],
  ['from=2026-03-02&to=2026-03-01', 'is after the last one'],
  ['from=2026-03-02', 'one date of two'],
  ['tz=Mars/Base', 'no time zone “Mars/Base”'],
  ['compare=never', 'The comparison “never” is unknown'],
  ['compare=2026-03-02..2026-03-01', 'The comparison “2026-03-02..2026-03-01” is unknown'],
  ['who=cats', 'The audience “cats” is unknown'],
])('%s: %s', (query, words) => {
  expect(faultsOf(new URLSearchParams(query)).join()).toContain(words)
})

test.each([
  '',
  'range=7d&f=country:eq:&tz=UTC&who=bots',
  'from=2026-03-01&to=2026-03-01&compare=none',
  'range=last_month&compare=2026-02-01..2026-02-02',
  'step=a&f=event:eq:x',
])('nothing is said of %s', query => {
  expect(faultsOf(new URLSearchParams(query))).toEqual([])
})

test('the view shows what was left out, and the rest of the address holds', async () => {
  const page = await drawings.draw('/app/p/demo/pages?range=7d&f=country:is:DE&f=country:eq:DE&tz=Mars/Base')
  expect(page.texts('.page > section .stale')).toHaveLength(2)
  expect(page.text('.filters')).toContain('Country is Germany')
})
