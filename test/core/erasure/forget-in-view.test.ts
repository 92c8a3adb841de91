import { expect, test } from 'vitest'
import { forgetInView } from '#core/erasure/forget-in-view'
import { namedIds } from '#core/erasure/without-ids'
import { queryOf } from '#dashboard/saved'
import { parseAddress } from '#dashboard/url'

const IDS = namedIds(['c3', 'ada@example.com', 'pro'])

/** A view as the dashboard saves it. */
function saved(path: string, name = 'A view') {
  return { name, query: queryOf(parseAddress(new URL(`https://footfall.example/app/p/shop${path}`))) }
}

test.each([
  ['a filter by the person', '/overview?f=user_id:eq:c3'],
  ['a filter beside others', '/pages?f=country:eq:DE&f=user_id:eq:c3&range=7d'],
  ['a part of an id that is the whole one', '/events?f=user_id:contains:c3'],
  ['the page of the person', '/people?user=c3'],
  ['a property that has the id', '/events?f=properties.owner:eq:ada%40example.com'],
  ['a property in quotes that has the id', '/events?f=properties%5B%22a:b%22%5D:eq:ada%40example.com'],
  ['a property key with the id', '/events?f=properties%5B%22of%20ada%40example.com%22%5D:eq:yes'],
  ['a path with the id', '/pages?f=properties.path:eq:/u/ada%40example.com/orders'],
  [
    'a condition of a step of the funnel',
    '/funnel?step=signup&step=pay&where=2:properties.by:eq:ada%40example.com',
  ],
])('a saved view that asks for the erased person goes: %s', (_, path) => {
  expect(forgetInView(saved(path), IDS)).toBeNull()
})

test.each([
  ['/pages?f=country:eq:DE&f=user_id:neq:c3&range=7d', '/pages?f=country:eq:DE&range=7d'],
  ['/funnel?step=a&where=1:properties.by:neq:ada%40example.com', '/funnel?step=a'],
])('a condition that leaves the person out goes alone: %s', (path, rest) => {
  expect(forgetInView(saved(path), IDS)).toEqual(saved(rest))
})

test.each([
  ['another person', saved('/people?user=c33')],
  [
    'a value that is an id of somebody, of a field that is not one',
    saved('/overview?f=properties.plan:eq:pro'),
  ],
  ['a longer address', saved('/events?f=properties.owner:eq:xada%40example.com')],
  ['nobody', saved('/overview')],
  ['an empty query', { name: 'A view', query: '' }],
  ['a query that is no query', { name: 'A view', query: '%%%&=&f=&f=::&where=c3' }],
])('a saved view stays as it is that names %s', (_, view) => {
  expect(forgetInView(view, IDS)).toBe(view)
})

test('the name of a view that stays loses the id', () => {
  const named = (name: string) => forgetInView(saved('/overview', name), IDS)?.name
  expect(named('What ada@example.com sees')).toBe('What erased sees')
  expect(named('c3')).toBe('erased')
  expect(named('Plan pro and c3')).toBe('Plan pro and c3')
})
