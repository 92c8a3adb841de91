import { expect, test } from 'vitest'
import { filterWords } from '#dashboard/shell/filter-words'
import { readFilter } from '#dashboard/url'

test.each([
  ['country:eq:DE', 'Country is Germany'],
  ['properties.plan:neq:', 'plan is not (empty)'],
  ['did:eq:purchase', 'Visitors who did purchase'],
  ['did:neq:page_view', 'Visitors who did not do Page view'],
  ['session.event:eq:search', 'Sessions with search'],
  ['session.event:neq:search', 'Sessions with an event where Event is not search'],
  ['session.properties.path:eq:/pricing', 'Sessions with an event where Path is /pricing'],
  ['person.country:neq:FR', 'Visitors with an event where Country is not France'],
  ['segment:eq:buyers', 'Segment Bought twice'],
  ['segment:neq:others', 'Not in the segment others'],
  ['did:eq:a\u202eb', 'Visitors who did a\\u{202e}b'],
])('%s is: %s', (text, words) => {
  const [filter] = readFilter(text)
  expect(filter && filterWords(filter, [{ name: 'buyers', title: 'Bought twice' }])).toBe(words)
})
