import { expect, test } from 'vitest'
import { conditionToStore, nameFor, type Segment, withSegment } from '#dashboard/segments'
import { parseAddress } from '#dashboard/url'

/** Filters of an address as segments of the project. */

const read = (query: string) => parseAddress(new URL(`https://a.example/app/p/shop?${query}`))
const buyers: Segment = {
  ...{ name: 'buyers', title: 'Buyers', updated_at: 1, etag: '"1"' },
  where: { did: { event: 'purchase' } },
}

test('the filters of an address are the condition of a segment, with that of a named one in its place', () => {
  expect(conditionToStore(read('f=country:eq:DE'), [])).toEqual({ field: 'country', op: 'eq', value: 'DE' })
  expect(conditionToStore(read('f=session.event:eq:search&f=segment:neq:buyers'), [buyers])).toEqual({
    and: [{ session: { field: 'event', op: 'eq', value: 'search' } }, { not: buyers.where }],
  })
})

test('without filters, or with a segment that is not known, there is nothing to store', () => {
  expect(conditionToStore(read(''), [buyers])).toBeUndefined()
  expect(conditionToStore(read('f=segment:eq:buyers'), [])).toBeUndefined()
})

test.each([
  ['Bought twice', 'bought-twice'],
  ['Buyers', 'buyers-2'],
  ['東京', 'segment'],
])('the name of the segment %s is %s', (title, name) => {
  expect(nameFor(title, [buyers])).toBe(name)
})

test('a name that is too long for a number is cut', () => {
  const long = 'x'.repeat(64)
  expect(nameFor(long, [{ name: long }])).toBe(`${'x'.repeat(62)}-2`)
})

test('choosing another segment replaces the chosen one and keeps the other filters', () => {
  const address = read('f=segment:eq:buyers&f=country:eq:DE')
  expect(withSegment(address, 'new').filters.map(({ value }) => value)).toEqual(['DE', 'new'])
  expect(withSegment(address, null).filters.map(({ value }) => value)).toEqual(['DE'])
})
