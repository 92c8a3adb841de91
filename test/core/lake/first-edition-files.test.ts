import { expect, test } from 'vitest'
import { planSegments } from '#core/lake/first-edition-files'

const cold = (date: string, from: number, until: number, size = 10) => ({
  key: `cold/date=${date}/bucket=7/${from}-${until}.parquet`,
  size,
})
const warm = (epoch: number, bucket = 7, size = 10) => ({
  key: `warm/epoch=${epoch}/bucket=${bucket}/events.parquet`,
  size,
})
const WATERMARKS = { cold: 5, warm: 12 }

test('neighbours become one segment up to the largest size, in the order of their epochs', () => {
  const objects = [warm(10), warm(9), warm(5), cold('2026-11-02', 1, 5), cold('2026-11-01', 1, 5)]
  const segments = planSegments(objects, WATERMARKS, 30).get(7)
  expect(segments).toEqual([
    {
      from: 1,
      until: 6,
      bytes: 30,
      parts: [[cold('2026-11-01', 1, 5).key, cold('2026-11-02', 1, 5).key, warm(5).key]],
    },
    { from: 9, until: 11, bytes: 20, parts: [[warm(9).key, warm(10).key]] },
  ])
})

test('a range of epochs that is larger than a segment becomes a segment of several parts', () => {
  const objects = [
    cold('2026-11-01', 1, 5, 20),
    cold('2026-11-02', 1, 5, 15),
    cold('2026-11-03', 1, 5, 10),
    warm(5),
  ]
  const [large, small] = planSegments(objects, WATERMARKS, 30).get(7) ?? []
  expect(large).toMatchObject({ from: 1, until: 5, bytes: 45 })
  expect(large?.parts.map(keys => keys.length)).toEqual([1, 2])
  expect(small).toMatchObject({ from: 5, until: 6 })
})

test('superseded files and files of compactions that had not ended are not used', () => {
  const objects = [warm(4), cold('2026-11-01', 5, 9), warm(5), warm(12), { key: 'hot/epoch=12/x', size: 1 }]
  expect(planSegments(objects, WATERMARKS, 30).get(7)).toEqual([
    { from: 5, until: 6, bytes: 10, parts: [[warm(5).key]] },
  ])
})

test('each bucket has segments of its own', () => {
  const plans = planSegments([warm(5, 7), warm(6, 8)], WATERMARKS, 30)
  expect([...plans.keys()].toSorted()).toEqual([7, 8])
})
