import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Address,
  AUDIENCES,
  COMPARISONS,
  FILTER_OPS,
  FILTER_SETS,
  MAX_FILTERS,
  parseAddress,
  printAddress,
  RANGE_LABELS,
  withFilter,
  withOwn,
} from '#dashboard/url'
import { repeats, seed } from '#test/support/depth'

const read = (text: string) => parseAddress(new URL(text, 'https://a.example'))

const date = fc
  .integer({ min: 0, max: 4_000 })
  .map(days => new Date(days * 86_400_000).toISOString().slice(0, 10))
const pair = fc.tuple(date, date).map(([a, b]) => (a <= b ? { from: a, to: b } : { from: b, to: a }))
const range = fc.oneof(
  fc.constantFrom(...RANGE_LABELS).map(label => ({ label })),
  pair,
)
const leaf = fc.record({
  field: fc.oneof(
    fc.constantFrom('event', 'country', 'user_id', 'session_id'),
    fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/).map(key => `properties.${key}`),
  ),
  op: fc.constantFrom(...FILTER_OPS),
  value: fc.string({ unit: 'grapheme', maxLength: 40 }).filter(text => text.isWellFormed()),
})
const filter = fc.oneof(
  leaf,
  fc.tuple(leaf, fc.constantFrom(...FILTER_SETS)).map(([each, of]) => ({ ...each, of })),
  fc.record({
    field: fc.constant('did'),
    op: fc.constantFrom('eq' as const, 'neq' as const),
    value: fc.string({ minLength: 1, maxLength: 40 }).filter(text => text.isWellFormed()),
  }),
  fc.record({
    field: fc.constant('segment'),
    op: fc.constantFrom('eq' as const, 'neq' as const),
    value: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
  }),
)
const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/).filter(text => !/^\.+$/.test(text))
const view = fc.stringMatching(/^[a-z][a-z-]{0,12}$/).filter(text => !['demo', 'p', 'assets'].includes(text))
const place = fc.oneof(
  fc.record({ area: fc.constant('demo' as const), project: fc.constant(null), view }),
  fc.record({ area: fc.constant('account' as const), project: name, view }),
  fc.record({ area: fc.constant('account' as const), project: fc.constant(null), view }),
)
const own = fc.dictionary(
  fc
    .stringMatching(/^[a-z][a-z0-9_]{0,10}$/)
    .filter(text => !/^(range|from|to|compare|tz|who|f|project)$/.test(text)),
  fc.array(
    fc.string({ maxLength: 20 }).filter(text => text.isWellFormed()),
    { minLength: 1, maxLength: 3 },
  ),
  { maxKeys: 4 },
)
const address: fc.Arbitrary<Address> = fc
  .record({
    range,
    comparison: fc.oneof(fc.constantFrom(...COMPARISONS), pair),
    tz: fc.constantFrom(null, 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'),
    audience: fc.constantFrom(...AUDIENCES),
    filters: fc.array(filter, { maxLength: 5 }),
    own,
  })
  .chain(state => place.map(where => ({ ...state, ...where })))

test('every address is read again as it was written', () => {
  fc.assert(
    fc.property(address, each => {
      expect(read(printAddress(each))).toEqual(each)
    }),
    { numRuns: repeats(200), seed },
  )
})

test('any text is an address, and the address that it means is written in one way', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (path, query) => {
      const url = new URL('https://a.example/app')
      url.pathname = `/app/${path}`
      url.search = query
      const once = printAddress(parseAddress(url))
      expect(printAddress(read(once))).toBe(once)
    }),
    { numRuns: repeats(200), seed },
  )
})

test.each([
  ['/app', { area: 'account', project: null, view: 'sites' }],
  ['/app/usage', { area: 'account', project: null, view: 'usage' }],
  ['/app/p/my.site', { area: 'account', project: 'my.site', view: 'overview' }],
  ['/app/p/demo/paths', { area: 'account', project: 'demo', view: 'paths' }],
  ['/app/demo', { area: 'demo', project: null, view: 'overview' }],
  ['/app/demo/paths', { area: 'demo', project: null, view: 'paths' }],
  ['/app?project=shop', { area: 'account', project: 'shop', view: 'overview' }],
])('%s is the place that it says', (path, expected) => {
  expect(read(path)).toMatchObject(expected)
})

test.each([
  ['range=3d', { range: { label: '30d' } }],
  ['from=2026-02-30&to=2026-03-01', { range: { label: '30d' } }],
  ['from=2026-03-02&to=2026-03-01', { range: { label: '30d' } }],
  ['tz=Nowhere/Else&who=cats&compare=never', { tz: null, audience: 'people', comparison: 'previous' }],
  ['compare=2026-03-02..2026-03-01', { comparison: 'previous' }],
  ['compare=2026-03-01', { comparison: 'previous' }],
  ['f=properties.a b:eq:1&f=country:like:DE&f=country', { filters: [] }],
  ['f=did:gt:a&f=did:eq:&f=session.did:eq:a&f=segment:eq:a b&f=device.country:eq:DE', { filters: [] }],
  [`f=country:eq:${'x'.repeat(501)}`, { filters: [] }],
  ['__proto__=1&constructor=2&Bad=3', { own: { constructor: ['2'] } }],
])('a part that breaks a rule has its default: %s', (query, expected) => {
  expect(read(`/app/p/a?${query}`)).toMatchObject(expected)
})

test('an address has at most 20 filters and 60 values of its view', () => {
  const many = Array.from({ length: 100 }, (_, i) => `f=country:eq:${i}&step=${i}`).join('&')
  const { filters, own: values } = read(`/app/p/a?${many}`)
  expect([filters.length, values.step?.length]).toEqual([MAX_FILTERS, 60])
})

test('a filter is added once, beside others of its field, and values of a view are set and taken away', () => {
  const base = read('/app/p/a?f=country:neq:DE')
  const added = withFilter(base, { field: 'country', op: 'neq', value: 'FR' })
  expect(withFilter(added, { field: 'country', op: 'neq', value: 'FR' })).toBe(added)
  expect(printAddress(added)).toBe('/app/p/a?f=country%3Aneq%3ADE&f=country%3Aneq%3AFR')
  const set = withOwn(base, { step: ['a', 'b'] })
  expect(set.own).toEqual({ step: ['a', 'b'] })
  expect(withOwn(set, { step: [] }).own).toEqual({})
})
