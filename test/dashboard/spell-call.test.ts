import { execFileSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { CallCommand, Command, Input } from '#cli/command'
import { commands } from '#cli/commands/all'
import { createProgram } from '#cli/program'
import { type Call, call } from '#dashboard/api'
import { asCommand, asCurl } from '#dashboard/spell-call'
import { REPORT_PLACES } from '#schemas/report-places'

/** A call of the dashboard as a command of `footfall`: the command line reads the same call from it. */

const HOSTILE = `it's "$(touch /tmp/owned)" \`id\``
const project = HOSTILE
const dated = { since: '29d', tz: 'Europe/Berlin' }
const filters = [
  { field: 'country', op: 'eq', value: 'DE' },
  { field: 'properties.path', op: 'neq', value: HOSTILE },
] as const

const calls: Call[] = [
  call('GET /stats', { project, ...dated, groupBy: 'day', compare: 'previous' }),
  call('POST /query', {
    ...{ project, tz: 'UTC', count_mode: 'raw', date_from: '29d', date_to: '2026-11-20', limit: 50 },
    ...{ metrics: ['unique_users', 'event_count'], group_by: ['date', 'properties.path'] },
    ...{ order_by: 'date', order: 'asc', compare: 'previous', filters: [...filters] },
  }),
  call('GET /breakdown', { project, ...dated, property: 'path', event: HOSTILE, limit: 20 }),
  call('GET /pages', { project, ...dated, type: 'exit', limit: 20 }),
  call('POST /funnel', {
    ...{ project, ...dated, steps: [{ event: 'page_view' }, { event: HOSTILE }], people_of_step: 2 },
    people_dropped: true,
    ...{ conversion_window_hours: 24, count_by: 'session_id', breakdown: 'country', breakdown_limit: 5 },
  }),
  call('GET /retention', {
    ...{ project, tz: 'UTC', period: 'week', cohorts: 8, event: 'signup', returning_event: 'page_view' },
    ...{ people_of_cohort: '2026-11-02', people_of_offset: 1 },
  }),
  call('POST /paths', {
    ...{
      project,
      since: '30d',
      tz: 'UTC',
      goal_event: HOSTILE,
      max_steps: 5,
      entry_limit: 5,
      path_limit: 10,
    },
  }),
  call('GET /heatmap', { project, ...dated }),
  call('GET /sessions/distribution', { project, ...dated }),
  call('GET /account/all-sites', { period: '30d', limit: 20, tz: 'UTC' }),
  call('GET /live', { project, window: 300 }),
  call('GET /experiments/{id}', {}, { id: 'exp_1' }),
  call('GET /bot-traffic', { project, period: '30d', limit: 50, tz: 'UTC' }),
  call('GET /account/bot-traffic', { period: '30d', limit: 50, tz: 'UTC' }),
  call('GET /properties', { project, ...dated }),
  call('GET /properties/received', { project, ...dated }),
  call('POST /events', { project, ...dated, event: HOSTILE, user_id: HOSTILE, limit: 20 }),
  call('POST /journey', { project, user_id: HOSTILE }),
  call('GET /conversion', { project, ...dated, goal: HOSTILE, by: 'country', min_users: 2 }),
  call('GET /sources', { project, ...dated, by: 'channel', goal: HOSTILE, limit: 20 }),
  call('GET /sessions', { project, ...dated, user_id: HOSTILE, is_bounce: '1', limit: 20 }),
  call('GET /insights', { project, period: '30d', tz: 'UTC' }),
]

/** The words that a shell gives to the program. */
function wordsOf(line: string): string[] {
  const script = `set -- ${line}; printf '%s\\0' "$@"`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(1, -1)
}

async function readByCommandLine(line: string): Promise<{ command: Command; input: Input }> {
  const found: { command: Command; input: Input }[] = []
  const run = async (command: Command, input: Input) => void found.push({ command, input })
  const program = createProgram(commands, '0.0.0', new PassThrough(), { run, printHelp() {} })
  await program.parseAsync(wordsOf(line), { from: 'user' })
  expect(found.length).toBe(1)
  return found[0] as { command: Command; input: Input }
}

test('every report with a command has a case here', () => {
  const spelled = Object.entries(REPORT_PLACES).flatMap(([endpoint, { command }]) =>
    command === null ? [] : endpoint,
  )
  expect(calls.map(({ endpoint }) => endpoint)).toEqual(expect.arrayContaining(spelled))
})

test.each(
  calls.filter(({ endpoint }) => endpoint !== 'GET /live').map(each => [each.endpoint, each] as const),
)('%s: the command line reads the same call', async (_, each) => {
  const { command, input } = await readByCommandLine(asCommand(each) ?? '')
  const read = (command as CallCommand).call(input) as {
    endpoint: string
    path?: Record<string, string>
    query?: object
    body?: object
  }
  const path = each.endpoint.split(' ')[1]?.replace('{id}', read.path?.id ?? '')
  expect([read.endpoint, path]).toEqual([each.endpoint, each.path])
  expect({ ...read.query, ...read.body }).toMatchObject(each.values)
})

test('GET /live: the command line has the same project and window', async () => {
  const each = calls.find(({ endpoint }) => endpoint === 'GET /live') as Call
  const { command, input } = await readByCommandLine(asCommand(each) ?? '')
  expect(command.name).toBe('live')
  expect([input.args.NAME, input.options.window]).toEqual([project, 300])
})

test('as curl, a shell gets the address and the body as they are', () => {
  const [stats, query] = calls as [Call, Call]
  const address = wordsOf(asCurl(stats, 'https://stats.example')).at(-1) ?? ''
  expect(new URL(address).searchParams.get('project')).toBe(project)
  const words = wordsOf(asCurl(query, 'https://stats.example'))
  expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual(query.values)
})
