import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactLists } from '#core/reports/run/compact-lists'
import { propertySettings } from '#test/support/depth'

test('a list of objects has the names once, then the values in their order', () => {
  const timeSeries = [
    { bucket: '2026-11-01', total: 3 },
    { bucket: '2026-11-02', total: 4 },
  ]
  expect(compactLists({ project: 'demo', timeSeries, previous: { timeSeries } })).toEqual({
    project: 'demo',
    timeSeries: [
      ['bucket', 'total'],
      ['2026-11-01', 3],
      ['2026-11-02', 4],
    ],
    previous: {
      timeSeries: [
        ['bucket', 'total'],
        ['2026-11-01', 3],
        ['2026-11-02', 4],
      ],
    },
  })
})

test('a row without a name of another row has null', () => {
  const rows = [
    { plan: 'pro', count: 1 },
    { plan: null, count: 2, other: true },
  ]
  expect(compactLists({ rows }).rows).toEqual([
    ['plan', 'count', 'other'],
    ['pro', 1, null],
    [null, 2, true],
  ])
})

test('a list in a row is compact too', () => {
  const tree = [{ value: '/', children: [{ value: '/a', children: [] }] }]
  expect(compactLists({ tree }).tree).toEqual([
    ['value', 'children'],
    [
      '/',
      [
        ['value', 'children'],
        ['/a', []],
      ],
    ],
  ])
})

test('lists without objects stay as they are', () => {
  const body = { values: [1, 2], names: ['a'], nothing: [], mixed: [{ a: 1 }, 2], at: null }
  expect(compactLists(body)).toEqual(body)
})

test('what visitors have sent stays as it is', () => {
  const properties = { items: [{ id: 1 }, { id: 2 }] }
  const rows = [
    ['event', 'properties'],
    ['buy', properties],
  ]
  expect(compactLists({ events: [{ event: 'buy', properties }] })).toEqual({ events: rows })
  expect(compactLists({ recent_events: [{ event: 'buy', properties }] })).toEqual({ recent_events: rows })
})

test('every list can be read back', () => {
  const row = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
    minKeys: 1,
  })
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), rows => {
      const [names = [], ...values] = compactLists({ rows }).rows as unknown[][]
      const readBack = values.map(cells =>
        Object.fromEntries(names.map((name, i) => [name, cells[i]]).filter(([, cell]) => cell !== null)),
      )
      const withoutNulls = rows.map(each =>
        Object.fromEntries(Object.entries(each).filter(([, cell]) => cell !== null)),
      )
      expect(readBack).toEqual(withoutNulls)
    }),
    propertySettings(50),
  )
})
