import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passesFilter, toStreamFilter } from '#core/live/filter'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/** A bare name is that of a field of the event, `properties.<name>` is the property (U90). */

/** The value of the field of the first event, and of the property of this name. */
const OWN = { event: 'view', user_id: 'ann', session_id: 's1', country: 'DE' }
const OF_PROPERTY = {
  ...{ event: 'gala', user_id: 'customer-7', session_id: 'course-3', country: 'Atlantis' },
  ...{ source: 'spring', first_source: 'well', entry_page: 'cover', date: '1999-12-31', timestamp: 'noon' },
}
const TEXTS = ['event', 'user_id', 'session_id', 'country'] as const
const OTHERS = ['date', 'timestamp'] as const

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const { event, user_id, session_id, country } = OWN
  const properties = { ...OF_PROPERTY, utm_source: 'news', first_utm_source: 'mail', path: '/home' }
  const events = [
    { event, user_id, session_id, properties, timestamp: NOW - 60_000 },
    { event: 'buy', user_id, session_id, properties, timestamp: NOW - 30_000 },
  ]
  built = await folder.build({ epochs: [[[{ ...recordOf(project, events), country }]], []], compacted: 1 })
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function ask(route: Route, fields: Record<string, unknown>) {
  const all = { project: project.name, ...fields }
  const { status, body } = await service.call(
    route,
    route.body === undefined ? { query: all as Record<string, string> } : { body: all },
  )
  // biome-ignore lint/suspicious/noExplicitAny: the body of any report.
  return { status, ...body } as { status: number; [field: string]: any }
}

const valuesOf = (body: { [field: string]: { value: string }[] }) => body.values?.map(({ value }) => value)
const step = (property: string, value: string) => ({
  event: 'view',
  filters: [{ property, op: 'eq', value }],
})

describe.each(TEXTS)('the name %s', name => {
  const property = `properties.${name}`

  test('is that of the event in /breakdown, and with the prefix that of the property', async () => {
    const own = await ask(routes.breakdown, { property: name, event: 'view' })
    expect([own.property, valuesOf(own)]).toEqual([name, [OWN[name]]])
    const other = await ask(routes.breakdown, { property, event: 'view' })
    expect([other.property, valuesOf(other)]).toEqual([property, [OF_PROPERTY[name]]])
  })

  test('is that of the event in /conversion, and with the prefix that of the property', async () => {
    const asked = { goal: 'buy', from: 'view' }
    expect(valuesOf(await ask(routes.conversion, { ...asked, by: name }))).toEqual([OWN[name]])
    expect(valuesOf(await ask(routes.conversion, { ...asked, by: property }))).toEqual([OF_PROPERTY[name]])
  })

  test('is that of the event in groups of /funnel, and with the prefix that of the property', async () => {
    const steps = [{ event: 'view' }, { event: 'buy' }]
    const groupsBy = async (breakdown: string) =>
      valuesOf({ values: (await ask(routes.funnel, { steps, breakdown })).breakdowns })
    expect(await groupsBy(name)).toEqual([OWN[name]])
    expect(await groupsBy(property)).toEqual([OF_PROPERTY[name]])
  })

  test('with the prefix is the property in a step of /funnel', async () => {
    const usersOf = async (named: string, value: string) => {
      const body = await ask(routes.funnel, { steps: [step(named, value), { event: 'buy' }] })
      return body.steps.map(({ users }: { users: number }) => users)
    }
    expect(await usersOf(property, OF_PROPERTY[name])).toEqual([1, 1])
    expect(await usersOf(property, OWN[name])).toEqual([0, 0])
    if (name === 'country') expect(await usersOf(name, OWN[name])).toEqual([1, 1])
    else {
      const { status, error, message } = await ask(routes.funnel, {
        steps: [step(name, 'x'), { event: 'buy' }],
      })
      expect([status, error]).toEqual([400, 'INVALID_PROPERTY_KEY'])
      expect(message).toContain(`Send \`${property}\``)
    }
  })

  test('is that of the event in /query and /events, and with the prefix that of the property', async () => {
    for (const [field, value] of [
      [name, OWN[name]],
      [property, OF_PROPERTY[name]],
    ] as const) {
      const filters = [{ field, op: 'eq', value }]
      const { rows } = await ask(routes.query, { group_by: [field], filters, metrics: ['unique_users'] })
      expect(rows).toEqual([{ [field]: value, unique_users: 1 }])
      const { events } = await ask(routes.events, { fields: field, event: 'view' })
      expect(events).toEqual([{ [field]: value }])
    }
  })

  test('is that of the event in /stream, and with the prefix that of the property', () => {
    const event = {
      ...{ id: '1', event_id: null, credentialed: false, timestamp: NOW, received_at: NOW, seq: 1, ...OWN },
      properties: OF_PROPERTY,
    }
    const passes = (filter: string) => passesFilter(toStreamFilter({ filter }), event as never)
    expect([passes(`${name}:${OWN[name]}`), passes(`${property}:${OF_PROPERTY[name]}`)]).toEqual([true, true])
    expect([passes(`${name}:${OF_PROPERTY[name]}`), passes(`${property}:${OWN[name]}`)]).toEqual([
      false,
      false,
    ])
  })
})

test.each(['source', 'first_source', 'entry_page'] as const)(
  '/conversion reads its own %s, and with the prefix the property',
  async name => {
    const own = { source: 'news', first_source: 'mail', entry_page: '/home' }
    expect(valuesOf(await ask(routes.conversion, { goal: 'buy', by: name }))).toEqual([own[name]])
    const by = `properties.${name}`
    expect(valuesOf(await ask(routes.conversion, { goal: 'buy', by }))).toEqual([OF_PROPERTY[name]])
    expect(valuesOf(await ask(routes.breakdown, { property: name }))).toEqual([OF_PROPERTY[name]])
  },
)

test.each(OTHERS)(
  '%s is refused where it makes no groups, and with the prefix it is the property',
  async name => {
    for (const [route, asked] of [
      [routes.breakdown, (property: string) => ({ property })],
      [routes.conversion, (by: string) => ({ goal: 'buy', by })],
    ] as const) {
      const { status, error, message } = await ask(route, asked(name))
      expect([status, error]).toEqual([400, 'INVALID_PROPERTY_KEY'])
      expect(message).toContain(`Send \`properties.${name}\``)
      expect(valuesOf(await ask(route, asked(`properties.${name}`)))).toEqual([OF_PROPERTY[name]])
    }
  },
)

test('an empty answer names the values of the property, not those of the event', async () => {
  const filters = [{ field: 'properties.country', op: 'eq', value: 'Atlantes' }]
  const { warnings } = await ask(routes.query, { filters, metrics: ['unique_users'] })
  expect(warnings).toContain(
    'The value `Atlantes` does not occur in `properties.country` in the range. Did you mean `Atlantis`?',
  )
  const funnel = await ask(routes.funnel, { steps: [step('country', 'DF'), { event: 'buy' }] })
  expect(funnel.warnings.join(' ')).toContain('The value `DF` does not occur in `country`')
})

test('a trait that nobody has is one group of everybody, and a warning says so', async () => {
  const says = expect.arrayContaining([expect.stringContaining('Nobody in the answer has `traits.plan`')])
  const queried = await ask(routes.query, { group_by: ['traits.plan'], count_mode: 'raw' })
  expect(queried.rows).toEqual([{ 'traits.plan': null, event_count: 2 }])
  const converted = await ask(routes.conversion, { by: 'traits.plan', goal: 'buy' })
  expect(converted.missing).toMatchObject({ users: 1, converted: 1 })
  const steps = [{ event: 'view' }, { event: 'buy' }]
  const funnel = await ask(routes.funnel, { steps, breakdown: 'traits.plan' })
  expect(funnel.breakdowns).toMatchObject([{ value: null }])
  expect([queried.warnings, converted.warnings, funnel.warnings]).toEqual([says, says, says])
})
