import { describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { FORTY_VISITS, type Given, textOf, useMcpProject } from '#test/support/mcp-service'

/** That an answer has what was asked for, without words that tell nothing. */

/** A hundred steps of one person, a minute apart: `s1` is the newest. */
const STEPS_OF_ONE = Array.from(
  { length: 100 },
  (_, i): Given => ({ event: `s${i + 1}`, user: 'one', session: 'of-one', at: 20 * 86_400_000 + i * 60_000 }),
)

const { call, named, refusal, service } = useMcpProject([...FORTY_VISITS, ...STEPS_OF_ONE])

const STEPS = [{ event: 'page_view' }, { event: 'signup_completed' }]

describe('an argument that the chosen report does not read', () => {
  test.each<[string, string, Record<string, unknown>, RegExp]>([
    [
      'groups of totals',
      'query',
      { report: 'totals', group_by: ['event'] },
      /Leave out 'group_by': .*report=totals takes only/,
    ],
    [
      'a goal of a funnel',
      'journeys',
      { kind: 'funnel', steps: STEPS, goal: 'x' },
      /Leave out 'goal': .*kind=funnel takes only/,
    ],
    [
      'filters of a person',
      'people',
      { user_id: 'u3', filters: [] },
      /Leave out 'filters': .*user_id or email takes only/,
    ],
  ])('%s is refused, and says what it takes', async (_, name, args, message) => {
    const text = await refusal(name, named(args))
    expect(text).toMatch(message)
    expect(text).toMatch(/takes only .*since/)
  })
})

test('a category of bots is that of GET /bot-traffic, and no other report takes it', async () => {
  expect(textOf(await call('query', named({ report: 'bots', category: 'ai_agent' })))).toMatch(
    /^0 requests of the kind ai_agent, before that 0/,
  )
  expect(await refusal('query', named({ report: 'bots', category: 'robots' }))).toContain('ai_agent')
  expect(await refusal('query', named({ category: 'ai_agent' }))).toMatch(/Leave out 'category'/)
})

test('a limit of pages says that there are more, and one of people behind a step is kept', async () => {
  const pages = textOf(await call('query', named({ report: 'pages', limit: 3 })))
  expect(pages).toMatch(/^The 3 most frequent entry pages and 3 exit pages of \d+ in both lists/)
  const people = await call('people', named({ steps: STEPS, step: 1, limit: 3 }))
  const { tables } = people.structuredContent as { tables: { rows: unknown[]; total_rows: number }[] }
  expect([tables[0]?.rows.length, tables[0]?.total_rows]).toEqual([3, 40])
  expect(textOf(people)).toContain('3 are here; a larger limit shows more.')
})

test('a week of hours is a grid of days, whole within the tokens of an answer', async () => {
  const result = await call('query', named({ report: 'hours' }))
  const { tables } = result.structuredContent as { tables: { columns: string[]; rows: unknown[][] }[] }
  expect(tables[0]?.columns.slice(0, 3)).toEqual(['day', '0', '1'])
  const events = tables[0]?.rows.flatMap(row => row.slice(1) as number[]) ?? []
  expect(events.reduce((sum, number) => sum + number, 0)).toBe(50)
  expect(textOf(result)).not.toContain('Cut:')
})

test('check says once what the tracker adds, and the own properties of each event', async () => {
  const { structuredContent } = await call('check', named({ since: '7d' }))
  const { tables } = structuredContent as { tables: { name: string; rows: unknown[][] }[] }
  const rowsOf = (name: string) => tables.find(table => table.name.startsWith(name))?.rows
  expect(rowsOf('properties that the tracker adds')).toEqual([['path']])
  expect(rowsOf('events that arrive')?.map(row => row[3])).toEqual(expect.arrayContaining(['plan', '']))
})

test('check says which origin was refused, and what to add', async () => {
  const { project } = service
  const changed = { allowed_origins: 'https://apex.example' }
  await service.call(routes.updateProject, { id: project.id, body: changed })
  const headers = { origin: 'https://www.apex.example' }
  await service.call(routes.track, { key: null, headers, body: { token: project.project_token, event: 'a' } })
  const result = await call('check', named())
  const { tables } = result.structuredContent as { tables: { name: string; rows: unknown[][] }[] }
  const refused = tables.find(({ name }) => name.startsWith('events that were not stored'))
  const fix = expect.stringContaining('add https://www.apex.example to allowed_origins')
  expect(refused?.rows).toEqual([['origin', 1, expect.any(String), 'https://www.apex.example', fix]])
  expect(textOf(result)).toContain('add https://www.apex.example to allowed_origins')
})

test.each([
  ['true', { oldest_first: true }, ['s100', 's99'], 'events, oldest first'],
  ['false', { oldest_first: false }, ['s1', 's2'], 'events, newest first'],
  ['absent', {}, ['s1', 's2'], 'events, newest first'],
])(
  'with oldest_first %s the first rows are those of the word, also when the answer is cut',
  async (_, order, first, name) => {
    const asked = { user_id: 'one', since: '30d', fields: ['event', 'timestamp'], ...order }
    for (const extra of [{}, { limit: 50 }, { max_tokens: 700 }]) {
      const { structuredContent } = await call('people', named({ ...asked, ...extra }))
      const { tables } = structuredContent as { tables: { name: string; rows: string[][] }[] }
      const events = tables[0]?.rows.map(([event]) => event) ?? []
      expect([tables[0]?.name, events.slice(0, 2)]).toEqual([name, first])
      if ('max_tokens' in extra) expect(events.length).toBeLessThan(50)
    }
  },
)

test('a percentage above 999 against a time before the data is new', async () => {
  // Of the 30 days before the data there is nothing but the first of the hundred steps.
  const asked = { since: '2026-11-02' }
  const { structuredContent } = await call('query', named({ ...asked, report: 'totals', compare: true }))
  const { tables } = structuredContent as { tables: { rows: unknown[][] }[] }
  expect(tables[0]?.rows.map(row => row.at(-1))).toContain('new')
})

test('a time of day is refused by whole days, in the words of the tools, and counted by metrics', async () => {
  const asked = { since: '2026-11-02T10:00:00Z' }
  const said = await refusal('query', named({ ...asked, report: 'totals' }))
  expect(said).toContain("This request counts whole dates, and 'since' has a time of day.")
  expect(said).toContain('query(report="metrics")')
  expect(textOf(await call('query', named({ ...asked, metrics: ['event_count'] })))).toMatch(
    /event_count = \d/,
  )
})

test('a last day and a condition hold for every reader', async () => {
  const where = { person: { field: 'user_id', op: 'in', value: ['u3', 'u4'] } }
  const question = { since: '2026-11-01', where }
  const totalsOf = async (name: string, args: Record<string, unknown>) =>
    ((await call(name, named({ ...question, ...args }))).structuredContent as { totals: object }).totals
  expect(await totalsOf('query', {})).toMatchObject({ unique_users: 2 })
  expect(await totalsOf('query', { metrics: ['unique_users'] })).toEqual({ unique_users: 2 })
  expect(await totalsOf('people', {})).toEqual({ people: 2 })
  expect(await totalsOf('journeys', { kind: 'funnel', steps: STEPS })).toMatchObject({ entered: 2 })
  expect(await totalsOf('journeys', { kind: 'retention' })).toMatchObject({ users_analyzed: 2 })
  expect(await totalsOf('query', { until: '2026-11-01' })).toMatchObject({ unique_users: 0 })
})

test('nobody of an id is a sentence with what to call', async () => {
  const text = textOf(await call('people', named({ user_id: 'nobody' })))
  expect(text).toMatch(/^No person with this id has events(.|\n)*\nNext: people\(project\)/)
})

test('a cohort grid without people has no empty table', async () => {
  const { structuredContent } = await call('journeys', named({ kind: 'retention', event: 'never' }))
  const { tables } = structuredContent as { tables: { rows: unknown[] }[] }
  expect(tables.flatMap(({ rows }) => rows)).toEqual([])
})
