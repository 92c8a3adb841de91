import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { countEvents } from '#test/support/count-events'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
let project: string
beforeAll(async () => {
  service = await openHttpService()
  project = (await service.createProject()).name
})
afterAll(() => service.close())

async function warningsOf(
  route: Route,
  request: { query?: Record<string, string>; body?: Record<string, unknown> },
) {
  const { status, body } = await service.call(route, request)
  expect(status).toBe(200)
  return body.warnings
}

test('the error for a first date in the future names the parameter that the caller has sent', async () => {
  for (const [route, request, name] of [
    [routes.query, { body: { project, date_from: '2999-01-01' } }, 'date_from'],
    [routes.stats, { query: { project, since: '2999-01-01' } }, 'since'],
  ] as const) {
    const { status, body } = await service.call(route, request)
    expect([status, body.error]).toEqual([400, 'INVALID_SINCE'])
    expect(body.message).toMatch(new RegExp(`^The date of \`${name}\` is in the future\\.`))
  }
})

test('a read without unknown parameters has no warnings', async () => {
  expect(await warningsOf(routes.stats, { query: { project, since: '7d' } })).toBe(undefined)
  const body = { project, event: null, unknown: null, receipt: true }
  expect(await warningsOf(routes.query, { body, query: { sql: 'true' } })).toBe(undefined)
})

test.each<[string, Route, Record<string, unknown>, string[]]>([
  ['without a near name', routes.stats, { zebra: '1' }, ['Parameter "zebra" is unknown and was ignored.']],
  [
    'with other case and underscores',
    routes.query,
    { countMode: 'raw' },
    ['Field "countMode" is unknown and was ignored. Did you mean `count_mode`?'],
  ],
  [
    'with a slip',
    routes.events,
    { evnt: 'a' },
    ['Parameter "evnt" is unknown and was ignored. Did you mean `event`?'],
  ],
  [
    'dry_run, where it is not offered',
    routes.stats,
    { dry_run: 'true' },
    [
      'Parameter "dry_run" was ignored, and the read has run: GET /stats has no dry run. /query, /funnel, /paths, /retention have one.',
    ],
  ],
  [
    'with characters that do not show',
    routes.stats,
    { 'a\u202eb': '1' },
    ['Parameter "a\\u{202e}b" is unknown and was ignored.'],
  ],
  [
    'that is a secret',
    routes.stats,
    { [`aak_${'1'.repeat(32)}`]: '1' },
    ['Parameter "aak_…" is unknown and was ignored.'],
  ],
])('an unknown parameter %s is ignored, and the response says so', async (_, route, fields, expected) => {
  const request =
    route.body === undefined
      ? { query: { project, ...fields } as Record<string, string> }
      : { body: { project, ...fields } }
  expect(await warningsOf(route, request)).toEqual(expected)
})

test.each<[string, Route, Record<string, string>, string]>([
  ['a group', routes.stats, { group_by: 'day' }, 'Send `groupBy` instead.'],
  ['a first date', routes.insights, { since: '7d' }, 'Send `period` instead.'],
  ['a last date', routes.live, { until: '0d' }, 'Leave it out; POST /query takes it.'],
  ['filters', routes.pages, { filters: 'a' }, 'Send `where` instead.'],
  ['a comparison', routes.retention, { compare: 'previous' }, 'Leave it out; POST /query takes it.'],
  [
    'a date in the query string of a POST',
    routes.query,
    { date_from: '7d' },
    'Send `date_from` in the body.',
  ],
  ['an end in the query string of a POST', routes.funnel, { until: '0d' }, 'Send `until` in the body.'],
])(
  '%s that the read does not know would change the numbers, so it is refused',
  async (_, route, query, advice) => {
    const steps = [{ event: 'a' }, { event: 'b' }]
    const sent =
      route.body === undefined ? { query: { project, ...query } } : { query, body: { project, steps } }
    const { status, body } = await service.call(route, sent)
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toContain(`\`${Object.keys(query)[0]}\` would change the numbers`)
    expect(body.message).toContain(advice)
  },
)

test('a hundred unknown parameters give ten warnings', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}${'y'.repeat(50)}`, '1']))
  expect(await warningsOf(routes.stats, { query: { project, ...many } })).toHaveLength(10)
})

test('the funnel keeps its own warnings beside those of the request', async () => {
  const steps = [{ event: 'a' }, { event: 'b' }]
  const found = await warningsOf(routes.funnel, { body: { project, steps, zebra: 1 } })
  expect(found).toEqual([
    'Step 1: the event "a" did not occur in the period.',
    'Step 2: the event "b" did not occur in the period.',
    'Field "zebra" is unknown and was ignored.',
  ])
})

test.each([routes.eventsLookup, routes.journeyByBody, routes.journeyLookup, routes.journey] as Route[])(
  '$method $path refuses an empty user_id and an empty email',
  async route => {
    for (const fields of [
      { user_id: '' },
      { email: '' },
      { email: '  ' },
      { user_id: '', email: 'a@b.de' },
    ]) {
      const all = { project, ...fields } as Record<string, string>
      const request = route.body === undefined ? { query: all } : { body: all }
      const { status, body } = await service.call(route, request)
      expect([status, body.error, body.message]).toEqual([
        400,
        'MISSING_FIELDS',
        'Fields `user_id` and `email` must not be empty. Send one of them, and leave the other out.',
      ])
    }
  },
)

test.each([5, null, 'RAW', [], {}, true])(
  'count_mode=%j is refused with its own message',
  async count_mode => {
    const { status, body } = await service.call(routes.query, { body: { project, count_mode } })
    // Null counts as absent.
    if (count_mode === null) expect(status).toBe(200)
    else {
      expect([status, body.error, body.message]).toEqual([
        400,
        'INVALID_COUNT_MODE',
        'Field `count_mode` must be `session_then_user` or `raw`.',
      ])
    }
  },
)

test.each([
  [[], 'INVALID_BODY'],
  [{}, 'INVALID_BODY'],
  ['soon', 'INVALID_BODY'],
  [null, 'INVALID_FILTER_FIELD'],
])('a timestamp filter of %j is %s', async (value, code) => {
  const filters = [{ field: 'timestamp', op: 'gt', value }]
  const { status, body } = await service.call(routes.query, { body: { project, filters } })
  expect([status, body.error]).toEqual([400, code])
})

test('all sites say where the data of the account begins, and that a period begins earlier', async () => {
  const own = await openHttpService()
  const { id } = await own.createProject()
  await countEvents(own.usage, { project_id: id, day: '2026-11-10', events: 5 })
  const { body, headers } = await own.call(routes.allSites, { query: { period: '7d' } })
  expect(headers.get('X-Footfall-Receipt')).toContain('data_from=2026-11-10')
  expect(body.warnings).toEqual([
    'The period before begins on 2026-11-08, and the first event is of 2026-11-10 (`data_from`): changes against it say little.',
  ])
  expect((await own.call(routes.allSites, { query: { period: '1d' } })).body.warnings).toBe(undefined)
  await own.close()
})
