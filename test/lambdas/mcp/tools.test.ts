import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { journeys } from '#lambdas/mcp/tools/journeys'
import { query } from '#lambdas/mcp/tools/query'
import { FORTY_VISITS, textOf, useMcpProject } from '#test/support/mcp-service'

/** What every tool answers, and what it answers to wrong arguments. */

const { service, call, named, refusal } = useMcpProject(FORTY_VISITS)

const STEPS = [{ event: 'page_view' }, { event: 'signup_completed' }]

test('an answer to wrong arguments names five of them, however many there are', async () => {
  const args = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 1]))
  const text = await refusal('overview', { ...args, project: 1, since: 2 })
  expect(text.match(/Argument/g)?.length).toBeLessThanOrEqual(7)
  expect(text).not.toMatch(/k5\b/)
})

const questions: [name: string, args: () => Record<string, unknown>, summary: RegExp, totals: object][] = [
  ['overview', () => ({}), /^The account has 1 project/, { projects: 1 }],
  ['overview', () => named(), /2 event names and 2 property keys/, { event_names: 2 }],
  ['query', () => named(), /^40 people, 50 events, 40 sessions/, { total_events: 50 }],
  [
    'query',
    () =>
      named({
        metrics: ['event_count', 'unique_users'],
        filters: [{ field: 'event', op: 'eq', value: 'signup_completed' }],
      }),
    /^event_count = 10, unique_users = 10/,
    { event_count: 10 },
  ],
  [
    'query',
    () =>
      named({ group_by: ['properties.plan'], filters: [{ field: 'event', op: 'eq', value: 'page_view' }] }),
    /^2 groups from .*; in all event_count = 40, unique_users = 40\./,
    { groups: 2, event_count: 40, unique_users: 40 },
  ],
  [
    'query',
    // A limit cuts rows, and a person may be in several groups.
    () => named({ metrics: ['unique_users', 'session_count'], group_by: ['event'], limit: 1 }),
    /^2 groups from .*; in all unique_users = 40, session_count = 40\./,
    { groups: 2, unique_users: 40, session_count: 40 },
  ],
  ['query', () => named({ report: 'pages' }), /began on 7 pages/, {}],
  ['query', () => named({ report: 'sessions' }), /^40 sessions/, {}],
  ['query', () => named({ report: 'durations' }), /median/, {}],
  ['query', () => named({ report: 'hours' }), /busiest hour/, {}],
  ['query', () => named({ report: 'bots', since: '7d' }), /^0 requests of bots/, { requests: 0 }],
  ['query', () => named({ report: 'live' }), /people/, { active_visitors: 0 }],
  [
    'query',
    () => ({ report: 'all_projects', since: '7d' }),
    /^50 events in 1 active project of 1/,
    { total_events: 50 },
  ],
  ['query', () => named({ report: 'experiments' }), /^0 experiments/, {}],
  [
    'journeys',
    () => named({ kind: 'funnel', steps: STEPS }),
    /^10 of 40 people pass all 2 steps \(25\.0%\)/,
    { entered: 40, finished: 10 },
  ],
  [
    'journeys',
    () => named({ kind: 'paths', goal: 'signup_completed' }),
    /^10 of 40 sessions/,
    { reached: 10 },
  ],
  ['journeys', () => named({ kind: 'retention' }), /40 people in 1 cohort/, { users_analyzed: 40 }],
  [
    'journeys',
    () => named({ kind: 'conversion', goal: 'signup_completed', by: 'plan' }),
    /^10 of 40 people/,
    { converted: 10 },
  ],
  ['journeys', () => named({ kind: 'sources' }), /^40 visits by channel/, { sessions: 40 }],
  ['people', () => named(), /^40 people/, { people: 40 }],
  [
    'people',
    () => named({ steps: STEPS, step: 1, dropped: true }),
    /^30 people passed step 1 and not step 2/,
    { people: 30 },
  ],
  ['people', () => named({ cohort: '2026-11-16' }), /^40 people are in the cohort of/, { people: 40 }],
  [
    'people',
    () => named({ cohort: '2026-11-20', period: 'day', offset: 1, dropped: true }),
    /^24 people did not come back 1 day later, of the cohort of 2026-11-20 \(24 people\)/,
    { people: 24, cohort: 24 },
  ],
  ['people', () => named({ user_id: 'u3' }), /^2 events of 1 person/, { events: 2 }],
  ['people', () => named({ session_id: 's3' }), /^2 events of the session/, { events: 2 }],
  ['changes', () => named(), /^People 0 → 40, events 0 → 50/, {}],
  ['check', () => named(), /No event has arrived|last event/, { bot_requests_7d: 0 }],
]

describe.each(questions)('%s %s', (name, args, summary, totals) => {
  test('says the number, who was counted and what is next, as text and as data', async () => {
    const result = await call(name, args())
    expect(result.isError, textOf(result)).toBeFalsy()
    const lines = textOf(result).split('\n')
    expect(lines[0]).toMatch(summary)
    expect(lines[1]).toMatch(/^Counted: ./)
    expect(lines.at(-1)).toMatch(/^Next: ./)
    const data = result.structuredContent as Record<string, unknown>
    expect(data).toMatchObject({ summary: lines[0], totals: { ...totals } })
    const isOfLake = !['overview {}', 'query experiments'].includes(
      `${name} ${args().report ?? JSON.stringify(args())}`,
    )
    expect(lines.some(line => line.startsWith('Receipt: '))).toBe(isOfLake)
    expect(countTokens(textOf(result))).toBeLessThanOrEqual(1_500)
  })
})

test('every tool that reads is asked, in each of its kinds', () => {
  expect(new Set(questions.map(([name]) => name)).size).toBe(6)
  const kinds = journeys.input.shape.kind as z.ZodEnum
  const reports = query.input.shape.report as z.ZodOptional<z.ZodEnum>
  const asked = questions.map(([name, args]) => `${name} ${args().kind ?? args().report}`)
  // `query` takes totals or metrics where it is asked for no report.
  const all = [
    ...kinds.options.map(kind => `journeys ${kind}`),
    ...reports.unwrap().options.map(report => `query ${report}`),
  ]
  expect(all.filter(kind => !asked.includes(kind))).toEqual(['query totals', 'query metrics'])
})

test('the rest of the groups is told from the group that lacks the property, also in the period before', async () => {
  const project = await service.createProject()
  const plans = [undefined, undefined, undefined, 'free', 'free', 'pro']
  const events = [0, 1].flatMap(day =>
    plans.map((plan, i) => ({
      event: 'page_view',
      user: `u${i}`,
      at: 3_600_000 + day * 86_400_000,
      properties: { plan },
    })),
  )
  await service.fill([
    [project, events],
    [service.project, FORTY_VISITS],
  ])
  const result = await call('query', {
    ...{ project: project.name, group_by: ['properties.plan'], since: '0d', compare: true, limit: 1 },
  })
  const columns = ['properties.plan', 'event_count', 'unique_users', 'other']
  const rows = [
    [null, 3, 3, null],
    [null, 3, null, true],
  ]
  expect(result.structuredContent).toMatchObject({
    counted: expect.stringContaining('the row with other=true holds the groups that are not shown'),
    tables: [
      { columns, rows },
      { columns, rows },
    ],
  })
  expect(textOf(result)).toContain('|null|3|null|true')
})

describe('a long answer', () => {
  test.each([500, 1_000, 3_000])('keeps totals and says what is cut within %i tokens', async max_tokens => {
    const many = await service.createProject()
    const events = Array.from({ length: 400 }, (_, i) => ({
      event: `event_${i}_${'x'.repeat(i % 40)}`,
      user: `visitor-${i}`,
    }))
    await service.fill([
      [many, events],
      [service.project, []],
    ])
    const result = await call('query', {
      project: many.name,
      group_by: ['event', 'user_id'],
      limit: 400,
      max_tokens,
    })
    const text = textOf(result)
    expect(countTokens(text)).toBeLessThanOrEqual(max_tokens)
    const { tables, totals } = result.structuredContent as {
      tables: { rows: unknown[]; total_rows: number }[]
      totals: object
    }
    const shown = text.split('\n').filter(line => line.startsWith('|event_')).length
    expect(shown).toBeGreaterThan(0)
    expect(tables.map(({ rows, total_rows }) => [rows.length, total_rows])).toEqual([[shown, 400]])
    expect(totals).toEqual({ groups: 400, event_count: 400, unique_users: 400 })
    expect(text).toContain(`Cut: rows has 400 rows, ${shown} are here; a larger max_tokens shows more.`)
  })
})

describe('a wrong argument', () => {
  test.each<[string, string, () => Record<string, unknown>, RegExp]>([
    [
      'an unknown project',
      'query',
      () => ({ project: `${service.project.name}x` }),
      /^NOT_FOUND(.|\n)*Did you mean p-/,
    ],
    [
      'a project that is like none',
      'check',
      () => ({ project: 'zzz' }),
      /^NOT_FOUND(.|\n)*The projects are p-/,
    ],
    [
      'an unknown project to remove',
      'remove',
      () => ({ what: 'project', id: `${service.project.name}x` }),
      /^NOT_FOUND(.|\n)*overview\(\) lists its projects\. Did you mean p-/,
    ],
    ['too few tokens', 'query', () => named({ max_tokens: 10 }), /'max_tokens' must be at least 500\./],
    ['no values', 'manage', () => ({ action: 'create_project' }), /'values' must be an object\./],
    [
      'a split by another name',
      'journeys',
      () => named({ kind: 'funnel', breakdown: 'x' }),
      /Did you mean 'by'/,
    ],
    ['no project', 'query', () => ({}), /^PROJECT_REQUIRED/],
    [
      'a name with a typing error',
      'changes',
      () => named({ sinse: '7d' }),
      /^INVALID_ARGUMENTS(.|\n)*Did you mean 'since'/,
    ],
    ['a name of another service', 'query', () => named({ start_date: '2026-11-01' }), /Did you mean 'since'/],
    [
      'an unknown kind',
      'journeys',
      () => named({ kind: 'cohort' }),
      /^INVALID_ARGUMENTS(.|\n)*must be one of funnel, paths, retention, conversion/,
    ],
    [
      'an unknown metric',
      'query',
      () => named({ metrics: ['visitors'] }),
      /^INVALID_METRIC(.|\n)*unique_users/,
    ],
    ['a bad range', 'query', () => named({ since: 'yesterday' }), /^INVALID_SINCE(.|\n)*7d/],
    [
      'one step',
      'journeys',
      () => named({ kind: 'funnel', steps: [{ event: 'a' }] }),
      /^INVALID_FUNNEL_STEPS/,
    ],
    ['no goal', 'journeys', () => named({ kind: 'conversion' }), /^MISSING_FIELDS(.|\n)*goal/],
    [
      'no such cohort',
      'people',
      () => named({ cohort: '2026-11-17' }),
      /^INVALID_ARGUMENTS(.|\n)*2026-11-16/,
    ],
    ['an offset alone', 'people', () => named({ offset: 1 }), /^MISSING_FIELDS(.|\n)*cohort/],
    ['too few tokens', 'overview', () => ({ max_tokens: 1 }), /^INVALID_ARGUMENTS(.|\n)*max_tokens/],
    [
      'an argument of the wrong type',
      'query',
      () => named({ metrics: 5 }),
      /^INVALID_ARGUMENTS(.|\n)*metrics/,
    ],
    ['a kind that is missing', 'journeys', () => named(), /^MISSING_FIELDS(.|\n)*kind/],
    [
      'an argument that the report does not read',
      'query',
      () => named({ report: 'hours', limit: 5 }),
      /^INVALID_ARGUMENTS(.|\n)*'limit'/,
    ],
    [
      'a filter without a value',
      'people',
      () => named({ filters: [{ field: 'event', op: 'eq' }] }),
      /^MISSING_FIELDS(.|\n)*filters\.0\.value/,
    ],
    [
      'an unknown value of an action',
      'manage',
      () => named({ action: 'update_project', values: { nme: 'x' } }),
      /^INVALID_ARGUMENTS(.|\n)*Did you mean 'name'/,
    ],
    [
      'an unknown experiment',
      'query',
      () => ({ report: 'experiments', experiment: 'exp_0' }),
      /^EXPERIMENT_NOT_FOUND/,
    ],
    [
      'a range of all projects that is no label',
      'query',
      () => ({ report: 'all_projects', since: '3d' }),
      /^INVALID_ARGUMENTS(.|\n)*Argument 'since' must be one of '1d'/,
    ],
    [
      'a bad last day of metrics',
      'query',
      () => named({ metrics: ['event_count'], until: 'x' }),
      /^INVALID_SINCE(.|\n)*Argument 'until' must be a number of days/,
    ],
    ['no such date of a grid', 'people', () => named({ cohort: '2026-11-24' }), /dates as 'cohort': 2026/],
    [
      'a step that the funnel has not',
      'people',
      () => named({ steps: STEPS, step: 3 }),
      /^INVALID_ARGUMENTS(.|\n)*Send 'step' from 1 to 2/,
    ],
    ['an unknown field to look through', 'changes', () => named({ by: ['planet'] }), /'by'/],
    [
      'a funnel with a bad window',
      'journeys',
      () => named({ kind: 'funnel', steps: STEPS, window_hours: 0 }),
      /Argument 'window_hours'/,
    ],
    [
      'a change of no experiment',
      'manage',
      () => ({ action: 'update_experiment', values: { status: 'paused' } }),
      /^MISSING_FIELDS(.|\n)*Send its id as 'experiment': query\(project, report="experiments"\) lists/,
    ],
    [
      'a change of an unknown experiment',
      'manage',
      () => ({ action: 'update_experiment', values: { experiment: 'exp_0', status: 'paused' } }),
      /^EXPERIMENT_NOT_FOUND(.|\n)*query\(project, report="experiments"\) lists those/,
    ],
    [
      'a change of no portfolio',
      'manage',
      () => ({ action: 'update_portfolio', values: { name: 'x' } }),
      /^MISSING_FIELDS(.|\n)*Send its id as 'portfolio': the slug works too\./,
    ],
  ])('is refused with what is right: %s', async (_, name, args, message) => {
    const said = await refusal(name, args())
    expect(said).toMatch(message)
    expect(said).not.toMatch(/[A-Z]{3,} \/|Field|Parameter/)
  })

  test('an unknown portfolio gets the slugs that exist', async () => {
    const create = { action: 'create_portfolio', values: { slug: 'shops', name: 'Shops', projects: [] } }
    expect((await call('manage', create)).isError).toBeFalsy()
    const update = { action: 'update_portfolio', values: { portfolio: 'zzz', name: 'x' } }
    for (const [name, args] of [
      ['manage', update],
      ['remove', { what: 'portfolio', id: 'zzz' }],
    ] as const) {
      const said = await refusal(name, args)
      expect(said).toContain('The portfolios are shops.')
      expect(said).not.toContain('GET /')
    }
  })

  test('an event that does not occur gets the nearest name', async () => {
    await service.fill([[service.project, [{ event: 'signup_completed' }]]])
    const filters = [{ field: 'event', op: 'eq', value: 'sign_up' }]
    expect(textOf(await call('query', named({ metrics: ['event_count'], filters })))).toContain(
      "Did you mean 'signup_completed'",
    )
  })

  test('null counts as absent', async () => {
    expect((await call('query', named({ since: null, filters: null }))).isError).toBeFalsy()
  })
})

test('none of these calls was logged as a failure', () => {
  expect(service.logged).toEqual([])
})

describe('check', () => {
  type Data = {
    summary: string
    totals: Record<string, unknown>
    tables: { name: string; rows: unknown[][] }[]
  }
  const check = async (args: object = {}) => (await call('check', named(args))).structuredContent as Data

  beforeAll(() => service.fill([[service.project, FORTY_VISITS]]))

  test.each(['UTC', 'Europe/Berlin', 'Pacific/Kiritimati'])(
    'counts the events of today as query does, in %s',
    async tz => {
      const today = { report: 'totals', since: '0d', tz }
      const asked = (await call('query', named(today))).structuredContent as Data
      const { totals, summary } = await check({ tz })
      expect(totals.events_today).toBe(asked.totals.total_events)
      expect(summary).toContain(tz)
    },
  )

  test('says the dates of its tables, and shows no token', async () => {
    const { tables } = await check({ since: '3d' })
    const names = tables.map(({ name }) => name)
    expect(names).toContain('events that arrive, 2026-11-18 to 2026-11-21')
    expect(names.find(name => name.startsWith('bots'))).toMatch(/\d{4}-\d\d-\d\d to /)
    expect(JSON.stringify(tables)).not.toContain(service.project.project_token)
  })
})

test('changes says where the period before is cut, and advises no limit, which it has not', async () => {
  const text = textOf(await call('changes', named()))
  expect(text.split('\n')[0]).toContain('whose last day ends at 2026-11-13T12:00:00.000Z')
  const { totals, tables } = (await call('changes', named())).structuredContent as {
    totals: Record<string, number>
    tables: { name: string; rows: unknown[][] }[]
  }
  const sums = tables.find(({ name }) => name === 'all rows of each field')
  // Every event has one value of each field, so the rows of each field add up to the totals.
  expect(sums?.rows).toHaveLength(4)
  for (const [, current, previous] of sums?.rows ?? [])
    expect([current, previous]).toEqual([totals.events, totals.events_before])
  const before = await call('changes', named({ by: ['properties.path', 'user_id'] }))
  expect(textOf(before)).not.toContain('larger limit')
})

test('a receipt says whether a limit has cut the answer', async () => {
  // Other tests have filled the lake with something else.
  await service.fill([[service.project, FORTY_VISITS]])
  const of = async (args: object) => {
    const result = await call('query', named({ report: 'sessions', ...args }))
    const { receipt } = result.structuredContent as { receipt: { exact: boolean; cut: boolean } }
    return [/Receipt: ([^;]+);/.exec(textOf(result))?.[1], receipt.exact, receipt.cut]
  }
  expect(await of({})).toEqual(['exact', true, false])
  const cut = 'exact for what is shown, a limit left out the rest'
  expect(await of({ limit: 3 })).toEqual([cut, false, true])
})

test.each([
  ['manage', { action: 'create_project', values: { name: 'x' } }, 'projects:write'],
  ['manage', { action: 'create_experiment', values: {} }, 'experiments:write'],
  ['manage', { action: 'send_feedback', values: {} }, 'feedback:write'],
  ['remove', { what: 'experiment', id: 'exp_0' }, 'experiments:write'],
])('%s %o of an API key is refused with the scope', async (name, args, scope) => {
  const byKey = await service.connect({ token: await service.newKey() })
  const said = await refusal(name, args, byKey)
  expect(said.split('\n')[0]).toMatch(/^FORBIDDEN: Ask the human to sign in/)
  expect(said.split('\n')[0]).toContain(scope)
})
