import { expect, test } from 'vitest'
import { conditionOf, parsedFilters } from '#cli/filters'

/** The forms of `--filter`. */
test.each<[string, unknown]>([
  ['country=DE', { field: 'country', op: 'eq', value: 'DE' }],
  ['properties.url=a:b', { field: 'properties.url', op: 'eq', value: 'a:b' }],
  ['traits["a.b"]!=x', { field: 'traits["a.b"]', op: 'neq', value: 'x' }],
  ['country:eq:DE', { field: 'country', op: 'eq', value: 'DE' }],
  ['properties["a:b"]:eq:c:d', { field: 'properties["a:b"]', op: 'eq', value: 'c:d' }],
  ['country:in:DE,AT', { field: 'country', op: 'in', value: ['DE', 'AT'] }],
  ['traits.plan:exists', { field: 'traits.plan', op: 'exists', value: true }],
  ['traits.plan:exists:false', { field: 'traits.plan', op: 'exists', value: false }],
  ['segment:eq:buyers', { segment: 'buyers' }],
  ['{"field":"event","op":"eq","value":"a"}', { field: 'event', op: 'eq', value: 'a' }],
])('--filter %s is read', (text, expected) => {
  expect(parsedFilters([text], 'field')).toEqual([expected])
  expect(JSON.parse(conditionOf({ filter: [text] }) ?? '')).toEqual(expected)
})

test.each(['country', ':eq:DE', 'country:', '{'])('--filter %s is refused with the forms', text => {
  expect(() => parsedFilters([text], 'field')).toThrow('A filter cannot be read.')
})
