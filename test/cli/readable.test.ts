import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Command } from '#cli/command'
import { commands } from '#cli/commands/all'
import { CommandError } from '#cli/errors'
import { nearestProject } from '#cli/nearest-project'
import type { Block } from '#cli/print/blocks'
import { csvText, sheetsOf } from '#cli/print/csv'
import { terminalText } from '#cli/print/terminal'
import { builtCommandLine } from './built-cli.ts'

/** What a person sees of an answer at 80 columns, without a service. */

type Printed = { print(answer: object, more: { input: { options: object } }): Block[] }

function blocksOf(name: string, answer: object, options: object = {}): Block[] {
  const command = commands.find(each => each.name === name) as unknown as Printed
  return command.print(answer, { input: { options } })
}

const shown = (blocks: Block[]) => terminalText(blocks, { width: 80, hasColor: false })
const period = { from: '2026-11-20', to: '2026-11-27' }

type Node = {
  type: string
  value: string
  sessions: number
  conversion_rate: number
  reached: number
  children: Node[]
}
const node = (type: string, value: string, sessions: number, rate = 0, children: Node[] = []): Node => ({
  ...{ type, value, sessions, conversion_rate: rate, reached: Math.round(sessions * rate), children },
})

describe('paths', () => {
  const bounds = { max_steps: 5, entry_limit: 10, path_limit: 5, candidate_session_cap: 5_000 }
  const tree = [
    node('drop_off', '/', 400),
    node('page', '/pricing', 90, 0.5, [
      node('event', 'signup_started', 90, 0.5, [
        node('goal', 'signup', 45, 1),
        node('drop_off', '/pricing', 9),
      ]),
    ]),
  ]
  const exit_pages = [{ exit_page: '/', sessions: 410, reached: 10, drop_offs: 405 }]
  const entry = {
    ...{ entry_page: '/', sessions: 1_000, conversions: 45, conversion_rate: 0.045, reached: 120 },
    ...{ exit_pages, tree },
  }
  const answer = { project: 'demo', period, goal_event: 'signup', reached: 120, bounds, entry_paths: [entry] }

  test('leave out rare ways, join steps that everybody takes, and give no rate to an end', () => {
    expect(shown(blocksOf('paths', answer)).split('\n').slice(5)).toEqual([
      '/: 1,000 sessions, 12 % reach the goal',
      '✕ left at /  400',
      '/pricing → • signup_started  90, 50 %',
      '└ ✓ signup  45',
      '',
      'Left without the goal from: / 400',
    ])
  })

  test('say who reached the goal at any time, and how many of them after the trees', () => {
    expect(shown(blocksOf('paths', answer))).toContain(
      '120 of 1,000 sessions (12 %), 75 after the last step of the trees',
    )
  })

  test('with --all and in CSV have every way', () => {
    expect(shown(blocksOf('paths', answer, { all: true }))).toContain('└ ✕ left at /pricing  9')
    expect(sheetsOf(blocksOf('paths', answer)).flatMap(({ rows }) => rows)).toHaveLength(5)
  })
})

test('the built file imports no module of Node, because imports load parts that no command needs', async () => {
  const text = readFileSync(await builtCommandLine(), 'utf8')
  const imported = [...text.matchAll(/from ?['"]node:([\w/]+)['"]/g)].map(([, name]) => name)
  expect(imported).toEqual(['module'])
})

test('events show their page and own properties, not what the tracker adds to all', () => {
  const properties = {
    path: '/pricing',
    browser: 'Chrome',
    page: 'Pricing',
    plan: 'pro',
    seats: 3,
    gone: null,
  }
  const event = { timestamp: 0, event: 'signup', user_id: 'u-1', country: 'DE', properties }
  const answer = { project: 'demo', period, events: [event], next_before: null }
  const text = shown(blocksOf('events', answer))
  expect(text).toContain('signup  u-1   /pricing  plan=pro seats=3  DE')
  expect(text).not.toContain('Chrome')
})

test('received properties say once what the tracker adds, and the own ones of each event', () => {
  const properties = [
    ...[
      { key: 'browser', event: 'signup' },
      { key: 'plan', event: 'signup' },
    ],
    ...[
      { key: 'browser', event: 'page_view' },
      { key: 'path', event: 'page_view' },
    ],
  ]
  const blocks = blocksOf('properties-received', { project: 'demo', period, sample_size: 2, properties })
  expect(shown(blocks).split('\n').slice(2)).toEqual([
    'Events looked at      2',
    'Added by the tracker  browser, path',
    '',
    'signup     plan',
    'page_view  -',
  ])
  expect(sheetsOf(blocks)[0]?.rows).toContainEqual({ event: 'page_view', keys: 'browser, path' })
})

test('the rest of the groups of a query is told from the group that lacks the property', () => {
  const rows = [
    { 'properties.plan': null, event_count: 1_320 },
    { 'properties.plan': null, event_count: 515, other: true },
  ]
  const answer = {
    project: 'demo',
    period,
    group_by: ['properties.plan'],
    metrics: ['event_count'],
    count: 2,
  }
  const blocks = blocksOf('query', { ...answer, rows })
  expect(shown(blocks).split('\n').slice(2, 5)).toEqual([
    'properties.plan  event_count',
    '-                      1,320',
    '(other)                  515',
  ])
  expect(sheetsOf(blocks).map(csvText)).toEqual(['properties.plan,event_count,other\n,1320,\n,515,true'])
  const all = sheetsOf(blocksOf('query', { ...answer, rows: rows.slice(0, 1) }))
  expect(all.map(csvText)).toEqual(['properties.plan,event_count\n,1320'])
})

test.each([
  ['session_then_user', 'event_count (visits)'],
  ['raw', 'event_count (events)'],
  // A service of before.
  [undefined, 'event_count'],
])('the head of the column of event_count, counted by %s, is %s', (count_mode, title) => {
  const metrics = ['event_count', 'unique_users']
  const rows = [{ event: 'buy', event_count: 3, unique_users: 2 }]
  const blocks = blocksOf('query', {
    ...{ project: 'demo', period, group_by: ['event'], metrics, count: 1, count_mode, rows },
  })
  expect(
    shown(blocks)
      .split('\n')[2]
      ?.split(/\s{2,}/),
  ).toEqual(['event', title, 'unique_users'])
  // The names of CSV are those of the API.
  expect(sheetsOf(blocks).map(csvText)).toEqual(['event,event_count,unique_users\nbuy,3,2'])
})

test.each([
  [
    'list',
    'projects',
    { name: 'n'.repeat(64), allowed_origins: 'https://a.example'.repeat(9), project_token: 'aat' },
    'proj_0123456789abcdef',
  ],
  [
    'portfolios list',
    'portfolios',
    { slug: 's'.repeat(64), name: 'n'.repeat(90), members: [] },
    'pf_0123456789abcdef',
  ],
  [
    'replays list',
    'replays',
    { started_at: 1, status: 'complete', entry_page: '/p'.repeat(90) },
    `rpl_${'0'.repeat(32)}`,
  ],
])('%s keeps the id whole, because other commands take it', (command, field, row, id) => {
  const entry = { ...row, id, created_at: '2026-11-01T00:00:00Z' }
  expect(shown(blocksOf(command, { [field]: [entry], next_before: null }))).toContain(id)
})

test('decimals of a column stand below each other', () => {
  const table = { kind: 'table', name: 'rates', columns: [{ key: 'r', title: 'Rate', as: 'rate' }] } as const
  const rows = [{ r: 0.136 }, { r: 0.18 }, { r: 1 }, { r: null }]
  expect(shown([{ ...table, rows }]).split('\n')).toEqual([
    '   Rate',
    ' 13.6 %',
    ' 18.0 %',
    '100.0 %',
    '      -',
  ])
  expect(shown([{ ...table, rows: [{ r: 0.5 }, { r: 1 }] }])).toBe(' Rate\n 50 %\n100 %')
})

test('an empty list says how to begin', () => {
  expect(shown(blocksOf('portfolios list', { portfolios: [] }))).toMatch(
    /^No portfolio yet\. Create one: footfall/,
  )
  const [advice] = blocksOf('context get', { project_context: { goals: [] } }).slice(-1)
  expect(advice).toEqual({
    kind: 'advice',
    text: expect.stringContaining('footfall context set NAME --file FILE'),
  })
})

test('a portfolio that is not there gets the command that lists portfolios', async () => {
  const command = commands.find(({ name }) => name === 'portfolios get') as Command
  const given = new CommandError({
    error: 'NOT_FOUND',
    message: 'No.',
    suggested_action: 'See the projects.',
  })
  const error = await nearestProject(given, command, { args: { SLUG: 'x' }, options: {} }, {} as never)
  expect((error as CommandError).problem.suggested_action).toBe(
    'See which there are: footfall portfolios list',
  )
})

test('usage has its thousands apart and names its limit', () => {
  const usage = { total_events_this_month: 34_731, total_reads_this_month: 21, estimated_bill: 0 }
  const answer = {
    ...{ tier: 'free', entitlement_source: 'plan', usage, payment: { state: 'none', next_action: null } },
    ...{ spend_cap: { monthly_spend_cap_dollars: null } },
    tier_limits: { max_events_per_month: 100_000, max_reads_per_month: -1 },
  }
  expect(shown(blocksOf('account-usage', answer))).toMatch(/34,731 of 100,000\n.*21, no limit/)
})
