import { expect, test } from 'vitest'
import { deltaTable } from '#cli/print/deltas'
import { shownChange } from '#schemas/shown-change'

const before = { from: '2026-11-01', dataFrom: '2026-11-05' }

test.each([
  ['above 999 %, against a period that begins before the data', 1_000, before, 'new'],
  ['of 999 %', 999, before, 999],
  ['downwards', -100, before, -100],
  ['from 0', null, before, null],
  ['above 999 %, against a period with data', 12_345, { ...before, dataFrom: '2026-11-01' }, 12_345],
  [
    'above 999 %, where it is not known when the data begin',
    12_345,
    { from: '2026-11-01', dataFrom: null },
    12_345,
  ],
] as const)('a change %s is shown as %j', (_, changePct, dates, shown) => {
  expect(shownChange(changePct, dates)).toBe(shown)
})

test.each([
  ['2026-11-05', '▲ up, new'],
  ['2026-10-05', '▲ up 1,900 %'],
  [null, '▲ up 1,900 %'],
])('the command line reads in the receipt that the data begin on %s', (dataFrom, words) => {
  const headers = new Headers({ 'X-Footfall-Receipt': `engine=duckdb; data_from=${dataFrom}` })
  const delta = { current: 20, previous: 1, change: 19, change_pct: 1_900 }
  const { rows } = deltaTable('changes', [['Events', delta, 'count']], { from: '2026-11-01', headers })
  expect(rows[0]?.trend).toBe(words)
})
