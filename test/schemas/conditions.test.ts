import { expect, test } from 'vitest'
import { faultOf, filter, MAX_LEAVES, where } from '#schemas/conditions'

const leaf = { field: 'country', op: 'eq', value: 'DE' }
const nested = (levels: number): unknown => (levels === 1 ? leaf : { not: nested(levels - 1) })

test.each([
  leaf,
  nested(5),
  { and: [leaf, { or: [leaf, { session: leaf }] }, { person: leaf }] },
  { did: { event: 'purchase' } },
  { did: { event: 'purchase', at_least: 2, within: '90d', where: { not: leaf } } },
  { field: 'country', op: 'exists' },
  { or: Array.from({ length: MAX_LEAVES }, () => leaf) },
])('%j is a condition', condition => {
  expect(faultOf(condition)).toBeNull()
})

test.each([
  [null, '`where` is no condition'],
  [[leaf], 'is no condition'],
  ['country', 'is no condition'],
  [{}, 'is no condition'],
  [{ nor: [leaf] }, 'is no condition'],
  [{ and: [leaf], or: [leaf] }, 'is no condition'],
  [{ ...leaf, and: [leaf] }, 'is no condition'],
  [{ and: [] }, 'must be a list of conditions, at least one'],
  [{ and: leaf }, 'must be a list of conditions'],
  [{ not: [leaf] }, '`where.not` is no condition'],
  [{ and: [leaf, 5] }, '`where.and[1]` is no condition'],
  [{ field: '', op: 'eq', value: 1 }, '`where.field` is missing'],
  [{ op: 'eq', value: 1 }, '`where.field` is missing'],
  [{ field: 'country', op: 'is', value: 1 }, '`where.op` must be one of eq, neq'],
  [{ did: 'purchase' }, '`where.did` must be an object'],
  [{ did: { event: '' } }, '`where.did.event` must be an event name'],
  [{ did: { event: 'x'.repeat(257) } }, '`where.did.event` must be an event name'],
  [{ did: { event: 'a', at_least: 0 } }, '`where.did.at_least` must be a whole number'],
  [{ did: { event: 'a', within: '90' } }, '`where.did.within` must be a number of days'],
  [{ did: { event: 'a', within: '3651d' } }, '`where.did.within` must be a number of days'],
  [{ did: { event: 'a', times: 2 } }, 'has only `event`'],
  [nested(6), 'more than 5 conditions inside each other'],
  [{ or: Array.from({ length: MAX_LEAVES + 1 }, () => leaf) }, 'more than 100 conditions'],
])('%j is none, and the message says where and what to send', (condition, message) => {
  expect(faultOf(condition)).toContain(message)
  expect(faultOf(condition)).toMatch(/\.$/)
})

test('a hostile depth or width is refused before anything walks it', () => {
  const deep = JSON.parse(`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)
  expect(faultOf(deep)).toContain('more than 5')
  const wide = { and: Array.from({ length: 200_000 }, () => ({ and: [leaf] })) }
  expect(faultOf(wide)).toContain('more than 100')
})

test('a condition may be sent as the text of its JSON, as a query string has it', () => {
  expect(where.parse(JSON.stringify({ not: leaf }))).toEqual({ not: leaf })
  for (const text of ['', 'country', '{', '['.repeat(10_000), `"${'x'.repeat(20_000)}"`])
    expect(where.safeParse(text).success).toBe(false)
})

test.each<[string | string[], unknown]>([
  ['country:eq:DE', [leaf]],
  [
    'properties.url:prefix:https://a.example/b',
    [{ field: 'properties.url', op: 'prefix', value: 'https://a.example/b' }],
  ],
  ['country:in:DE,FR', [{ field: 'country', op: 'in', value: ['DE', 'FR'] }]],
  ['country:exists', [{ field: 'country', op: 'exists', value: true }]],
  ['country:exists:false', [{ field: 'country', op: 'exists', value: false }]],
  ['country:eq:', [{ field: 'country', op: 'eq', value: '' }]],
  [
    ['country:eq:DE', 'event:neq:a'],
    [leaf, { field: 'event', op: 'neq', value: 'a' }],
  ],
  ['country:eq:DE\nevent:neq:a', [leaf, { field: 'event', op: 'neq', value: 'a' }]],
])('the filter %j', (text, leaves) => {
  expect(filter.parse(text)).toEqual(leaves)
})

test.each(['', 'country', 'country=DE', 'country:is:DE', 'country:eq', ':eq:DE', 5, [5], {}])(
  'the filter %j is refused with its form',
  text => {
    const result = filter.safeParse(text)
    expect(result.error?.issues[0]?.message).toMatch(/must be `field:op:value`/)
  },
)
