import { expect, test } from 'vitest'
import { forgetInSegment } from '#core/erasure/forget-in-segment'
import { namedIds } from '#core/erasure/without-ids'
import type { Condition } from '#schemas/conditions'

const IDS = namedIds(['c3', 'ada@example.com', 'pro', '104823'])

function segment(where: Condition, title: string | null = null) {
  return { name: 'buyers', title, where, updated_at: 1 }
}

test.each<[string, Condition, Condition]>([
  [
    'the id of the person',
    { field: 'user_id', op: 'eq', value: 'c3' },
    { field: 'user_id', op: 'eq', value: 'erased' },
  ],
  [
    'one of a list',
    { field: 'user_id', op: 'not_in', value: ['c3', 'c4'] },
    { field: 'user_id', op: 'not_in', value: ['erased', 'c4'] },
  ],
  [
    'a number that is the id',
    { field: 'properties.customer', op: 'eq', value: 104823 },
    { field: 'properties.customer', op: 'eq', value: 'erased' },
  ],
  [
    'a property key with the id, in quotes',
    { field: 'properties["of \\u0061da@example.com:1"]', op: 'eq', value: 'yes' },
    { field: 'properties["of erased:1"]', op: 'eq', value: 'yes' },
  ],
  [
    'a trait key with the id, in quotes',
    { field: 'traits["of ada@example.com"]', op: 'exists' },
    { field: 'traits["of erased"]', op: 'exists' },
  ],
  [
    'a path with the id, deep inside',
    { or: [{ person: { not: { field: 'properties.path', op: 'glob', value: '/u/ada@example.com/**' } } }] },
    { or: [{ person: { not: { field: 'properties.path', op: 'glob', value: '/u/erased/**' } } }] },
  ],
  [
    'the condition of `did`',
    {
      session: {
        did: { event: 'pay', at_least: 2, where: { and: [{ field: 'user_id', op: 'eq', value: 'c3' }] } },
      },
    },
    {
      session: {
        did: { event: 'pay', at_least: 2, where: { and: [{ field: 'user_id', op: 'eq', value: 'erased' }] } },
      },
    },
  ],
])('`erased` stands in the place of %s', (_, where, rest) => {
  expect(forgetInSegment(segment(where), IDS)).toEqual(segment(rest))
})

test('an erased id is taken out of the title of a segment, also a short id that is the whole title', () => {
  const where: Condition = { field: 'country', op: 'eq', value: 'DE' }
  expect(forgetInSegment(segment(where, 'Like ada@example.com'), IDS)?.title).toBe('Like erased')
  expect(forgetInSegment(segment(where, 'pro'), IDS)?.title).toBe('erased')
})

test('a segment with an id in its name goes', () => {
  const where: Condition = { field: 'country', op: 'eq', value: 'DE' }
  expect(forgetInSegment({ ...segment(where), name: 'u.104823' }, IDS)).toEqual({
    ...segment(where),
    name: 'u.104823',
  })
  expect(forgetInSegment({ ...segment(where), name: '104823' }, IDS)).toBeNull()
})

test.each<Condition>([
  { field: 'user_id', op: 'eq', value: 'c33' },
  { field: 'properties.plan', op: 'in', value: ['pro', 'free'] },
  { not: { field: 'is_bounce', op: 'eq', value: true } },
  { did: { event: 'ada@example.com' } },
])('a segment that names somebody else or nobody stays as it is', where => {
  const given = segment(where, 'Buyers')
  expect(forgetInSegment(given, IDS)).toBe(given)
})
