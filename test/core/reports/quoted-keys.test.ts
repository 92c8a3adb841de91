import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsedFilters } from '#cli/filters'
import { passesFilter, toStreamFilter } from '#core/live/filter'
import type { Project } from '#core/projects/project'
import { parseAddress, printAddress } from '#dashboard/url'
import { stepsOf, withSteps } from '#dashboard/views/funnel/steps'
import { fieldOfKey, keyOf, nameOfKey } from '#schemas/property-names'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/** `properties["a.b"]` names the property of any key (U87). */

/** Keys that SQL, a path of JSON, an address or a list could read as something else. */
const KEYS = [
  ...[
    'a.b',
    'plan-type',
    'two words',
    'é–😀',
    'a[0]',
    'a:b',
    'a,b;c:d',
    "o'brien",
    'say "hi"',
    'back\\slash',
  ],
  ...['*', '', '?', '~1/', '\\"', 'tab\tline\n', 'nul\u0000', '\u2028', '"]["plan', '$["plan"]'],
  ...["'; DROP TABLE events; --", '__proto__', 'x'.repeat(129), 'properties.plan', 'properties["plan"]'],
]

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project

/** Every key has a value of its own. */
const propertiesOf = (at: number) => ({
  ...Object.fromEntries(KEYS.map((key, i) => [key, `v${i}`])),
  ...{ plan: 'pro', amount: 3, 'paid.amount': at, country: 'Atlantis', 'user-id': 'somebody' },
})

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const events = ['view', 'buy'].map((event, i) => ({
    ...{ event, user_id: 'ann', session_id: 's1', timestamp: NOW - 60_000 + i },
    // JSON, because the literal of an object would make `__proto__` its prototype.
    properties: Object.assign(Object.create(null), propertiesOf(i + 1)),
  }))
  built = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 1 })
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function ask(route: Route, fields: Record<string, unknown>, headers?: Record<string, string>) {
  const all = { project: project.name, ...fields }
  const { status, body } = await service.call(route, {
    ...(route.body === undefined ? { query: all as Record<string, string> } : { body: all }),
    ...(headers !== undefined && { headers }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the body of any report.
  return { status, ...body } as { status: number; [field: string]: any }
}

const valuesOf = (list: { value: string }[]) => list.map(({ value }) => value)

describe.each(KEYS.map((key, i) => [fieldOfKey(key), key, `v${i}`] as const))('%s', (field, key, value) => {
  test('is read back as its key', () => {
    expect(keyOf(field)).toBe(key)
  })

  test('is a group, a filter and a metric of /query', async () => {
    const body = await ask(routes.query, {
      ...{
        metrics: ['event_count', `unique(${field})`, `sum(${field})`, `p50(${field})`],
        count_mode: 'raw',
      },
      ...{ group_by: [field], filters: [{ field, op: 'eq', value }] },
    })
    expect(body.rows).toEqual([
      {
        ...{ [field]: value, event_count: 2 },
        ...{ [`unique(${field})`]: 1, [`sum(${field})`]: null, [`p50(${field})`]: null },
      },
    ])
    const none = await ask(routes.query, { filters: [{ field, op: 'neq', value }] })
    expect(none.rows).toEqual([{ event_count: 0 }])
  })

  test('is a field of /events', async () => {
    const { events } = await ask(routes.events, { fields: `event, ${field} ,plan`, event: 'view' })
    expect(events).toEqual([{ event: 'view', [field]: value, plan: 'pro' }])
  })

  test('is a condition as JSON, as text and in a segment', async () => {
    const counts = async (asked: Record<string, unknown>) =>
      (await ask(routes.stats, asked)).totals.total_events
    expect(await counts({ filter: `${field}:eq:${value}` })).toBe(2)
    expect(await counts({ filter: `${field}:eq:other` })).toBe(0)
    expect(await counts({ where: JSON.stringify({ not: { field, op: 'exists' } }) })).toBe(0)
    const stored = await service.call(routes.putSegment, {
      ...{ id: project.id, part: 'quoted', body: { where: { field, op: 'prefix', value: 'v' } } },
    })
    expect(stored.status).toBeLessThan(300)
    expect(await counts({ filter: 'segment:eq:quoted' })).toBe(2)
  })

  test('is a breakdown, a group of /conversion and of /funnel, and a filter of a step', async () => {
    expect(valuesOf((await ask(routes.breakdown, { property: field })).values)).toEqual([value])
    const converted = await ask(routes.conversion, { goal: 'buy', from: 'view', by: field })
    expect(converted.values).toEqual([{ value, users: 1, converted: 1, rate: 1 }])
    const steps = [{ event: 'view', filters: [{ property: field, op: 'eq', value }] }, { event: 'buy' }]
    const funnel = await ask(routes.funnel, { steps, breakdown: field })
    expect(funnel.breakdowns).toMatchObject([{ value, steps: [{ users: 1 }, { users: 1 }] }])
  })

  test('chooses people of /retention, and passes in a stream', async () => {
    const { users_analyzed } = await ask(routes.retention, { filter: `${field}:eq:${value}` })
    expect(users_analyzed).toBe(1)
    const event = { event: 'view', properties: JSON.parse(JSON.stringify(propertiesOf(1))) }
    const passes = (asked: string) => passesFilter(toStreamFilter({ filter: asked }), event as never)
    expect([passes(`${field}:${value};plan:pro`), passes(`${field}:no`)]).toEqual([true, false])
  })

  test('is the same after an address of the dashboard, or the command line, was written and read', () => {
    const filter = { field, op: 'eq' as const, value }
    const base = parseAddress(new URL('http://x/app/p/shop/funnel'))
    const opened = (address: typeof base) => parseAddress(new URL(printAddress(address), 'http://x'))
    expect(opened({ ...base, filters: [filter] }).filters).toEqual([filter])
    const steps = [{ event: 'view', filters: [{ property: field, op: 'eq' as const, value }] }]
    expect(stepsOf(opened(withSteps(base, steps)))).toEqual(steps)
    expect(parsedFilters([`${field}=${value}`], 'field')).toEqual([filter])
  })
})

test('the lists of keys have them as requests name them', async () => {
  const { property_keys } = await ask(routes.properties, {})
  expect(property_keys.toSorted()).toEqual([...Object.keys(propertiesOf(1))].map(nameOfKey).toSorted())
  const received = await ask(routes.receivedProperties, {})
  expect(received.properties.map(({ key }: { key: string }) => key)).toContain('properties["plan-type"]')
})

test('the numbers of a key in quotes are those of its values', async () => {
  const metrics = ['sum', 'avg', 'max'].map(name => `${name}(properties["paid.amount"])`)
  expect((await ask(routes.query, { metrics })).rows).toEqual([
    { [metrics[0] ?? '']: 3, [metrics[1] ?? '']: 1.5, [metrics[2] ?? '']: 2 },
  ])
})

test('a plain key in quotes is the same property, and an answer calls it by its plain name', async () => {
  const body = await ask(routes.query, { group_by: ['properties["plan"]', 'properties.plan'] })
  expect(body.group_by).toEqual(['properties.plan'])
  expect(body.rows[0]['properties.plan']).toBe('pro')
  const broken = await ask(routes.breakdown, { property: 'properties["country"]' })
  expect([broken.property, valuesOf(broken.values)]).toEqual(['properties.country', ['Atlantis']])
})

test.each([
  ...['properties["a', 'properties[a]', "properties['a']", 'properties["a"]["b"]', 'properties["a"].b'],
  ...['properties["a"b"]', 'properties["\\x"]', 'properties["\\ud800"]', 'properties[]'],
  ...['properties["a\nb"]', 'properties ["a"]', 'properties["a"] ', 'properties.a-b', 'properties[1]'],
  `properties["${'x'.repeat(8_193)}"]`,
])('%s is refused as a field', async field => {
  const codes = await Promise.all([
    ask(routes.query, { group_by: [field] }),
    ask(routes.query, { metrics: [`sum(${field})`] }),
    ask(routes.query, { filters: [{ field, op: 'eq', value: 1 }] }),
    ask(routes.breakdown, { property: field }),
    ask(routes.conversion, { goal: 'buy', by: field }),
    ask(routes.stats, { where: JSON.stringify({ field, op: 'exists' }) }),
  ])
  expect(codes.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400])
})

test('an unknown field is answered by the name of its property', async () => {
  const { error, suggested_field } = await ask(routes.query, {
    filters: [{ field: 'plan-type', op: 'eq', value: 'x' }],
  })
  expect([error, suggested_field]).toEqual(['INVALID_FILTER_FIELD', 'properties["plan-type"]'])
})

describe('a share link', () => {
  let headers: Record<string, string>
  beforeAll(async () => {
    const created = await service.call(routes.createShareLink, { id: project.id, body: {} })
    headers = { Authorization: `Bearer ${String(created.body.url).split('/').at(-1)}` }
  })

  test.each([
    [routes.query, { group_by: ['user_id', 'properties["a,b"]'] }],
    [routes.query, { group_by: ['properties["a.b"]', 'properties["plan"]'] }],
    [
      routes.query,
      { group_by: ['properties["a.b"]'], filters: [{ field: 'user_id', op: 'eq', value: 'ann' }] },
    ],
    [routes.query, { metrics: ['min(properties["paid.amount"])'] }],
    [routes.query, { metrics: ['unique(properties["a.b"])'] }],
    [routes.breakdown, { property: 'properties["x"],user_id' }],
    [
      routes.query,
      { filters: KEYS.slice(0, 4).map(key => ({ field: fieldOfKey(key), op: 'eq', value: 'x' })) },
    ],
    [routes.query, { filters: [{ field: 'properties["a.b"]', op: 'exists', value: true }] }],
    [routes.stats, { filter: 'properties["a.b"]:eq:v0' }],
  ] as const)('is refused in quotes what it is refused without: %#', async (route, asked) => {
    expect((await ask(route, asked, headers)).status).toBe(403)
  })

  test('shows no group of few people, however its field is spelled', async () => {
    for (const field of [
      'properties.plan',
      'properties["plan"]',
      'properties["a.b"]',
      'properties["a,b;c:d"]',
    ]) {
      const { status, rows } = await ask(routes.query, { group_by: [field] }, headers)
      const named = rows.filter(({ other }: { other?: true }) => other !== true)
      expect([status, named]).toEqual([200, []])
      const { values } = await ask(routes.breakdown, { property: field }, headers)
      expect(values).toEqual([])
      const filters = [{ field, op: 'neq', value: 'x' }]
      expect((await ask(routes.query, { filters }, headers)).rows).toEqual([{ event_count: 0 }])
    }
  })
})
