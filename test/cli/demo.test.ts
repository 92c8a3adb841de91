import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { widthOf } from '#cli/print/width'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import {
  builtCommandLine,
  createRunner,
  installedCommand,
  type Result,
  type Runner,
  runProcess,
} from './built-cli.ts'

/** The built file in a pipe, against the demo of a running service. */

let service: Service
let run: Runner
const configDir = newFolder()

beforeAll(async () => {
  service = await startService({ seed: true })
  run = await createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: configDir, COLUMNS: '80' })
})
afterAll(cleanUp)

/** Runs a line in a shell that finds `footfall`, as after an installation. */
async function shell(line: string): Promise<Result> {
  const env = {
    PATH: `${await installedCommand()}:${process.env.PATH}`,
    ...{ HOME: newFolder(), AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), COLUMNS: '80' },
  }
  return runProcess('bash', ['-c', line], env)
}

const results = new Map<string, Promise<Result>>()

/** Each example runs once. */
function resultOf(example: string): Promise<Result> {
  const known = results.get(example) ?? shell(`footfall ${example}`)
  results.set(example, known)
  return known
}

const reads = commands.filter(({ example, group }) => example.startsWith('--demo ') && group !== 'Tools')

test('every command of the service has an example on the demo', () => {
  const without = commands.filter(({ effect, group }) => effect === undefined && group !== 'Tools')
  expect(without.filter(command => !reads.includes(command)).map(({ name }) => name)).toEqual([])
})

/** Demo sessions have no portfolios and no right to read replays, which the answers say. */
const REFUSED = [
  'portfolios get',
  ...['settings', 'list', 'get', 'open', 'usage'].map(name => `replays ${name}`),
]

test.each(commands.map(({ name, example }) => [name, example] as const))(
  'the help of %s ends with an example that a shell runs as it stands',
  async (name, example) => {
    const help = await run([...name.split(' '), '--help'])
    expect(help.stdout.trimEnd().split('\n').at(-1)).toBe(`  footfall ${example}`)
    const { code, stderr } = await resultOf(example)
    expect({ code, stderr }).toEqual({
      ...{ code: REFUSED.includes(name) ? 1 : 0, stderr: expect.not.stringMatching(/\n {4}at |bug/) },
    })
  },
)

const answered = reads.filter(({ name }) => !REFUSED.includes(name))

describe.each(answered.map(({ name, example }) => [name, example] as const))(
  'the example of %s',
  (name, example) => {
    test('prints a result that fits a terminal of 80 columns', async () => {
      const { code, stdout, stderr } = await resultOf(example)
      // The service may add sentences to a result, as about a range that is longer than the data.
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/\n {4}at |bug/) })
      expect(stdout.split('\n').filter(line => widthOf(line) > 80)).toEqual([])
      expect(stdout).not.toContain('\u001b')
      expect(stdout).not.toMatch(/undefined|NaN|\[object/)
      if (!['live', 'portfolios list', 'upgrade-link'].includes(name))
        expect(stdout.trim().split('\n').length).toBeGreaterThan(1)
    })
  },
)

test('tables and pictures fit 40 columns, and are whole at 200', async () => {
  for (const command of ['sessions demo --limit 3', 'heatmap demo']) {
    for (const width of [40, 200]) {
      const { code, stdout } = await run(['--demo', ...command.split(' ')], { COLUMNS: String(width) })
      expect({ code, command, wide: stdout.split('\n').filter(line => widthOf(line) > width) }).toEqual({
        code: 0,
        command,
        wide: [],
      })
      if (width === 200) expect(stdout).not.toContain('too narrow')
    }
  }
})

test('--json is the raw response, --fields a part of it, and --csv a table with raw values', async () => {
  const [json, part, csv, other] = await Promise.all([
    run(['--demo', 'stats', 'demo', '--json']),
    run(['stats', 'demo', '--demo', '--json', '--fields', 'totals.total_events,events.event']),
    run(['--demo', 'stats', 'demo', '--csv']),
    run(['--demo', 'stats', 'demo', '--csv', '--table', 'events', '--fields', 'count,event']),
  ])
  const stats = JSON.parse(json.stdout)
  expect(JSON.parse(part.stdout)).toEqual({
    totals: { total_events: stats.totals.total_events },
    events: stats.events.map(({ event }: { event: string }) => ({ event })),
  })
  expect(csv.stdout.split('\n')[1]).toBe(`${stats.timeSeries[0].bucket},${stats.timeSeries[0].total_events}`)
  expect(other.stdout.split('\n').slice(0, 2)).toEqual([
    'count,event',
    `${stats.events[0].count},${stats.events[0].event}`,
  ])
})

test('the people behind a step and a cell are a table', async () => {
  const funnel = ['funnel', 'demo', '--steps', 'page_view,signup', '--people-of', '2']
  const { cohorts } = JSON.parse((await run(['--demo', 'retention', 'demo', '--json'])).stdout)
  const [{ date, retained }] = cohorts
  const cell = ['retention', 'demo', '--people-of', date, '--people-offset', '1']
  const [passed, returned, dropped, shown] = await Promise.all([
    run(['--demo', ...funnel, '--csv', '--table', 'people']),
    run(['--demo', ...cell, '--csv', '--table', 'people']),
    run(['--demo', ...cell, '--people-dropped', '--json']),
    run(['--demo', ...cell]),
  ])
  expect(passed.stdout).toMatch(/^id,at\n\S+,\d{13}\n/)
  expect(returned.stdout.trim().split('\n')).toHaveLength(1 + Math.min(retained[1], 1_000))
  expect(JSON.parse(dropped.stdout).people).toHaveLength(Math.min(retained[0] - retained[1], 1_000))
  expect(shown.stdout).toContain('People, the latest first')
})

test('the demo reads and writes no configuration, and changes nothing', async () => {
  const elsewhere = `${configDir}/none`
  await run(['--demo', 'list'], { AA_CONFIG_DIR: elsewhere })
  expect(existsSync(elsewhere)).toBe(false)
  expect(readdirSync(configDir)).toEqual([])
})

const problems: [
  case_: string,
  args: string[],
  problem: Record<string, unknown>,
  env?: Record<string, string>,
][] = [
  [
    'nobody signed in',
    ['stats', 'demo'],
    { error: 'AUTH_REQUIRED', suggested_action: expect.stringContaining('footfall login') },
  ],
  [
    'an experiment that does not exist',
    ['--demo', 'experiments', 'get', 'exp_no'],
    { error: 'EXPERIMENT_NOT_FOUND' },
  ],
  [
    'a bad date',
    ['--demo', 'stats', 'demo', '--since', 'x'],
    { error: 'INVALID_SINCE', suggested_action: expect.stringContaining('--since 7d') },
  ],
  [
    'a command with a typo',
    ['stast', 'demo'],
    { error: 'USAGE', message: expect.stringContaining('Did you mean stats?') },
  ],
  [
    'an option with a typo',
    ['stats', 'demo', '--dayz', '3'],
    { error: 'USAGE', message: expect.stringContaining('--days') },
  ],
  [
    'the first word of two',
    ['experiments'],
    { error: 'USAGE', suggested_action: expect.stringContaining('footfall experiments list') },
  ],
  [
    'a second word with a typo',
    ['experiments', 'lst'],
    { error: 'USAGE', message: expect.stringContaining('list?') },
  ],
  [
    'help for a command with a typo',
    ['help', 'statz'],
    { error: 'USAGE', suggested_action: expect.stringContaining('footfall help stats') },
  ],
  ['a missing argument', ['stats'], { error: 'USAGE' }],
  ['a number that is none', ['stats', 'demo', '--days', 'many'], { error: 'USAGE' }],
  ['no steps', ['--demo', 'funnel', 'demo'], { error: 'USAGE', message: 'The steps are missing.' }],
  [
    'two sources of steps',
    ['--demo', 'funnel', 'demo', '--steps', 'a,b', '--from-context'],
    { error: 'USAGE' },
  ],
  ['a field that is not there', ['--demo', 'list', '--fields', 'nope'], { error: 'USAGE' }],
  [
    'a service that is down',
    ['--demo', 'list'],
    { error: 'UNREACHABLE', retryable: true },
    { AA_BASE_URL: 'http://127.0.0.1:9' },
  ],
  ['an address that is none', ['--demo', 'list', '--base-url', 'file:///etc/passwd'], { error: 'USAGE' }],
]

test.each(problems)(
  '%s is one object on stderr with what to do, and exit code 1',
  async (_, args, problem, env) => {
    const { code, stdout, stderr } = await run([...args, '--json'], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({
      error: expect.any(String),
      message: expect.any(String),
      suggested_action: expect.any(String),
      retryable: false,
      ...problem,
    })
  },
)

test('without --json an error is two sentences', async () => {
  const { code, stderr } = await run(['stats', 'demo'])
  expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 2 })
})

test('help is text or data, and complete', async () => {
  const [help, data, one] = await Promise.all([
    run(['--help']),
    run(['help', '--json']),
    run(['help', 'experiments', 'get']),
  ])
  for (const { name } of commands) expect(help.stdout).toContain(name.split(' ')[0])
  expect(JSON.parse(data.stdout).commands.map(({ name }: { name: string }) => name)).toEqual(
    commands.map(({ name }) => name),
  )
  expect(one.stdout).toContain('footfall --demo experiments get exp_demo_signup_cta')
  expect([help.code, data.code, one.code]).toEqual([0, 0, 0])
})

/** Answers every request with the body. */
async function withServer<T>(status: number, body: string, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

test.each([
  [
    'an older service',
    200,
    '{"ok":true,"agent_session":{"access_token":"x"},"projects":[]}',
    'UNEXPECTED_ANSWER',
  ],
  ['a page', 200, '<html>', 'UNEXPECTED_ANSWER'],
  ['a plan that lacks it', 403, '{"error":"PRO_REQUIRED","message":"no"}', 'PRO_REQUIRED'],
  ['a server with words of its own', 418, '{"error":"\\u001b[2J","message":"\\u202ehi"}', '\\u{1b}[2J'],
])('%s is a sentence, not a stack', async (_, status, body, error) => {
  const { code, stderr } = await withServer(status, body, url =>
    run(['--demo', 'stats', 'demo', '--json', '--base-url', url]),
  )
  expect(code).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({ error, suggested_action: expect.any(String) })
  expect(stderr).not.toContain('\u202e')
})

test.each([
  ['a plan that lacks it', 403, { error: 'PRO_REQUIRED', message: 'Pro only.' }],
  ['a cap of the free plan', 429, { error: 'RATE_LIMITED', message: 'The free plan has 100 reads.' }],
])('%s names the command that asks a human to upgrade', async (_, status, body) => {
  const { code, stderr } = await withServer(status, JSON.stringify(body), url =>
    run(['--demo', 'stats', 'demo', '--json', '--base-url', url]),
  )
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({
    ...{ code: 1, retryable: false },
    suggested_action: expect.stringContaining('footfall upgrade-link'),
  })
})

test('a warning of the service is said once', async () => {
  const { stdout, stderr } = await run(['--demo', 'funnel', 'demo', '--steps', 'page_view,sign_up'])
  expect(stdout).not.toContain('did not occur')
  expect(stderr.match(/"sign_up" did not occur/g)).toHaveLength(1)
})

test('a reader that ends early, such as `head`, is no error', async () => {
  const file = await builtCommandLine()
  const script = 'set -o pipefail; "$0" "$1" --demo paths demo --goal signup | head -1; echo $?'
  const env = { PATH: process.env.PATH as string, AA_BASE_URL: service.baseUrl }
  const { stdout, stderr } = await runProcess('bash', ['-c', script, process.execPath, file], env)
  expect({ lines: stdout.trim().split('\n').length, code: stdout.trim().at(-1), stderr }).toEqual({
    ...{ lines: 2, code: '0', stderr: expect.not.stringContaining('EPIPE') },
  })
})
