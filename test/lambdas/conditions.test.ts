import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
let project: Project
beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
})
afterAll(() => service.close())

/** What the reads with a condition need beside it. */
const NEEDS: Record<string, Record<string, unknown>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'signup', by: 'country' },
  ...{ eventsLookup: { user_id: 'u' }, journey: { user_id: 'u' } },
  ...{ journeyByBody: { user_id: 'u' }, journeyLookup: { user_id: 'u' } },
  funnel: { steps: [{ event: 'a' }, { event: 'b' }] },
  paths: { goal_event: 'a' },
}

/** Every row that takes a condition. */
const reads = (Object.entries(routes) as [string, Route][]).filter(([, { query, body }]) => {
  const shape = ((query ?? body) as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return 'where' in shape && 'filter' in shape
})

async function ask(name: string, route: Route, fields: Record<string, unknown>) {
  const all = { project: project.name, ...NEEDS[name], ...fields }
  const query = Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  )
  const { status, body } = await service.call(route, route.body === undefined ? { query } : { body: all })
  return { status, error: body.error, message: String(body.message ?? ''), body }
}

test('all dated reads take a condition', () => {
  expect(reads.length).toBeGreaterThanOrEqual(16)
})

const NESTED = {
  or: [
    { person: { did: { event: 'purchase', at_least: 2, within: '90d' } } },
    { not: { session: { field: 'is_bounce', op: 'eq', value: true } } },
  ],
}

test.each(reads)('%s takes `where` and `filter`, and both must hold', async (name, route) => {
  const asked = await ask(name, route, { where: NESTED, filter: 'country:eq:DE' })
  expect([asked.status, asked.message]).toEqual([200, ''])
})

test.each(reads)('%s refuses a condition of another form or about an unknown field', async (name, route) => {
  for (const [fields, error] of [
    [{ where: { field: 'chanel', op: 'eq', value: 'x' } }, 'INVALID_FILTER_FIELD'],
    [{ where: { field: 'path', op: 'eq', value: '/' } }, 'INVALID_FILTER_FIELD'],
    [{ where: { field: 'properties.a.b', op: 'eq', value: '/' } }, 'INVALID_PROPERTY_KEY'],
    [{ where: { field: 'timestamp', op: 'gt', value: 'soon' } }, 'MISSING_FIELDS'],
    [{ where: { and: [] } }, 'MISSING_FIELDS'],
    [{ filter: 'country' }, 'MISSING_FIELDS'],
  ] as const) {
    const asked = await ask(name, route, fields)
    expect([asked.status, asked.error]).toEqual([400, error])
  }
})

test('a condition that would scan the events very often is refused', async () => {
  const within = (days: number) => ({ did: { event: 'a', within: `${days}d` } })
  const or = (count: number) => ({ or: Array.from({ length: count }, (_, i) => within(i + 1)) })
  expect((await ask('stats', routes.stats, { where: or(8) })).status).toBe(200)
  const { status, error, message } = await ask('stats', routes.stats, { where: or(9) })
  expect([status, error]).toEqual([400, 'QUERY_FAILED'])
  expect(message).toContain('fewer different values of `within`')
})

test('a bare name of a property is answered with the name to send', async () => {
  const { body } = await ask('stats', routes.stats, { where: { field: 'path', op: 'eq', value: '/' } })
  expect(body).toMatchObject({ suggested_field: 'properties.path' })
})

test('an operator that leaves out what lacks the field says so, wherever it stands', async () => {
  const leaf = { field: 'country', op: 'neq', value: 'DE' }
  for (const where of [
    leaf,
    { not: leaf },
    { person: { and: [leaf] } },
    { did: { event: 'a', where: leaf } },
  ]) {
    const { body } = await ask('stats', routes.stats, { where })
    expect(body.warnings).toContainEqual(expect.stringContaining('leave out what lacks the field'))
  }
  const { body } = await ask('stats', routes.stats, { where: { not: { ...leaf, op: 'eq' } } })
  expect(body.warnings ?? []).not.toContainEqual(expect.stringContaining('lacks the field'))
})

/** A condition or filter and its next larger one, which is refused. */
const BOUNDS: [what: string, leaf: (size: number) => Record<string, unknown>, most: number][] = [
  ['values of `in`', size => ({ field: 'country', op: 'in', value: Array(size).fill('DE') }), 50],
  ['values of `not_in`', size => ({ field: 'country', op: 'not_in', value: Array(size).fill('DE') }), 50],
  ['characters of `glob`', size => ({ field: 'properties.path', op: 'glob', value: 'a'.repeat(size) }), 256],
  ['stars of `glob`', size => ({ field: 'properties.path', op: 'glob', value: '*a'.repeat(size) }), 8],
  ['stars of `glob` in a row', size => ({ field: 'source', op: 'glob', value: '*'.repeat(size) }), 8],
]

test.each(BOUNDS)('%s are bounded in a condition of any read', async (_, leaf, most) => {
  for (const [name, route] of [
    ['sources', routes.sources],
    ['query', routes.query],
  ] as const) {
    expect(await ask(name, route, { where: leaf(most) })).toMatchObject({ status: 200 })
    const refused = await ask(name, route, { where: { not: { session: leaf(most + 1) } } })
    expect([refused.status, refused.error]).toEqual([400, 'INVALID_FILTER_FIELD'])
    expect(refused.message).toContain(String(most))
  }
})

test('at least one value is needed for `in`', async () => {
  const refused = await ask('sources', routes.sources, { where: { field: 'country', op: 'in', value: [] } })
  expect([refused.status, refused.error]).toEqual([400, 'INVALID_FILTER_FIELD'])
})

test('`where` and `filter` have at most 100 leaves together', async () => {
  const where = { or: Array(99).fill({ field: 'country', op: 'eq', value: 'DE' }) }
  expect((await ask('stats', routes.stats, { where, filter: 'country:eq:DE' })).status).toBe(200)
  const refused = await ask('stats', routes.stats, { where, filter: 'country:eq:DE\ncountry:eq:AT' })
  expect([refused.status, refused.error]).toEqual([400, 'MISSING_FIELDS'])
})

describe('a rate, a number of values and computed groups of /query', () => {
  const leaf = { field: 'country', op: 'eq', value: 'DE' }
  const rate = (condition: unknown) => `rate(${JSON.stringify(condition)})`

  test('are computed', async () => {
    const asked = await ask('query', routes.query, {
      metrics: [
        rate(leaf),
        `session_${rate({ did: { event: 'a' } })}`,
        'unique(plan)',
        'unique(properties.plan)',
      ],
      group_by: ['channel', 'hour', 'is_bounce', 'traits["a.b"]', 'date'],
    })
    expect([asked.status, asked.message]).toEqual([200, ''])
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a rate of no JSON', { metrics: ['rate({field})'] }, 'INVALID_METRIC'],
    ['a rate without a condition', { metrics: ['rate(country)'] }, 'INVALID_METRIC'],
    ['a rate of another form', { metrics: [rate({ all: [leaf] })] }, 'INVALID_METRIC'],
    ['a rate of 101 leaves', { metrics: [rate({ or: Array(101).fill(leaf) })] }, 'INVALID_METRIC'],
    [
      'rates of 101 leaves together',
      { metrics: [rate({ or: Array(60).fill(leaf) }), `session_${rate({ or: Array(41).fill(leaf) })}`] },
      'QUERY_FAILED',
    ],
    [
      'rates of many characters together',
      { metrics: ['a', 'b'].map(text => rate({ ...leaf, value: text.repeat(9_000) })) },
      'QUERY_FAILED',
    ],
    ['a rate that names a segment', { metrics: [rate({ segment: 'buyers' })] }, 'INVALID_METRIC'],
    [
      'a rate about an unknown field',
      { metrics: [rate({ ...leaf, field: 'path' })] },
      'INVALID_FILTER_FIELD',
    ],
    ['values of a bad key', { metrics: ['unique(a.b)'] }, 'INVALID_METRIC'],
    ['an unknown group', { group_by: ['duration'] }, 'INVALID_GROUP_BY'],
    ['a trait without a key', { group_by: ['traits.'] }, 'INVALID_GROUP_BY'],
    ['a trait of a cut text', { group_by: ['traits["\\u12"]'] }, 'INVALID_GROUP_BY'],
    [
      'five groups, one of them a trait',
      { group_by: ['channel', 'source', 'hour', 'weekday', 'traits.a'] },
      'QUERY_FAILED',
    ],
    [
      'five computed groups',
      { group_by: ['channel', 'source', 'hour', 'weekday', 'entry_page'] },
      'QUERY_FAILED',
    ],
  ])('are refused with %s', async (_, fields, error) => {
    const refused = await ask('query', routes.query, fields)
    expect([refused.status, refused.error]).toEqual([400, error])
  })
})

describe('a trait', () => {
  test('has one spelling in the answer', async () => {
    const asked = await ask('query', routes.query, { group_by: ['traits["plan"]'] })
    expect([asked.status, asked.body.group_by, asked.body.rows]).toEqual([200, ['traits.plan'], []])
    const converted = await ask('conversion', routes.conversion, { by: 'traits["plan"]' })
    expect([converted.status, converted.body.by]).toEqual([200, 'traits.plan'])
    const steps = { breakdown: 'traits["a.b"]' }
    expect((await ask('funnel', routes.funnel, steps)).status).toBe(200)
  })

  test('and a field of the session are filters of a query', async () => {
    const filters = [
      { field: 'traits["plan"]', op: 'eq', value: 'x' },
      { field: 'channel', op: 'eq', value: 'ai' },
      { field: 'is_new', op: 'exists' },
    ]
    const asked = await ask('query', routes.query, { filters })
    expect([asked.status, asked.body.rows]).toEqual([200, [{ event_count: 0 }]])
    expect(asked.body.warnings).toContainEqual(expect.stringContaining('never "ai"'))
    const ofNoOp = [filters[0], { field: 'traits.plan', op: 'like', value: 'x' }]
    const refused = await ask('query', routes.query, { filters: ofNoOp })
    expect([refused.status, refused.message.includes('filters[1].op')]).toEqual([400, true])
    const ofNoKey = await ask('query', routes.query, { filters: [{ field: 'traits[', op: 'eq', value: 1 }] })
    expect([ofNoKey.status, ofNoKey.body.error]).toEqual([400, 'INVALID_PROPERTY_KEY'])
  })

  test.each<[string, keyof typeof routes, Record<string, unknown>, string]>([
    ['breakdown', 'breakdown', { property: 'traits.plan' }, 'POST /query groups by it'],
    [
      'a filter of a step',
      'funnel',
      { steps: [{ event: 'a', filters: [{ field: 'traits.plan', op: 'eq', value: 'x' }] }, { event: 'b' }] },
      'in `where`',
    ],
  ])('in %s is refused with what to send', async (_, name, fields, says) => {
    const refused = await ask(name, routes[name], fields)
    expect([refused.status, refused.message.includes(says)]).toEqual([400, true])
  })
})

test.each<[string, unknown, string[]]>([
  ['a channel that there is not', { field: 'channel', op: 'in', value: ['direct', 'ai'] }, ['never "ai"']],
  [
    'a country by its name',
    { person: { field: 'country', op: 'neq', value: 'Germany' } },
    ['never "Germany"'],
  ],
  [
    'both, and more than once',
    { or: ['x', 'y'].flatMap(value => ['channel', 'country'].map(field => ({ field, op: 'eq', value }))) },
    ['`channel` is never "x"', '`country` is never "x"'],
  ],
  ['a part of a channel', { field: 'channel', op: 'contains', value: 'paid' }, []],
  [
    'values that there are',
    {
      and: [
        { field: 'channel', op: 'eq', value: 'sms' },
        { field: 'country', op: 'eq', value: 'DE' },
      ],
    },
    [],
  ],
])('a condition about %s gives the right warnings', async (_, where, expected) => {
  const { status, body } = await ask('stats', routes.stats, { where })
  const warnings = ((body.warnings ?? []) as string[]).filter(text => text.includes('is never'))
  expect([status, warnings]).toEqual([200, expected.map(text => expect.stringContaining(text))])
})

test.each(['stats', 'retention', 'query'] as const)(
  'an unknown field of %s is named, with what to send',
  async name => {
    const refused = await ask(name, routes[name], { where: { field: 'plan', op: 'eq', value: 'pro' } })
    expect([refused.status, refused.error, refused.body.suggested_field]).toEqual([
      400,
      'INVALID_FILTER_FIELD',
      'properties.plan',
    ])
    expect(refused.message).toContain('For "plan" send `properties.plan`')
    expect(refused.message).toContain('`traits.plan`')
  },
)
