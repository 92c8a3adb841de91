import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodes } from '#schemas/errors'
import { cleanUp, newFolder } from '#test/support/service-process'
import { builtCommandLine, type Runner, runProcess } from './built-cli.ts'
import { demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { withServer } from './with-server.ts'
import { createRunner } from './world.ts'

/** What the command line says when something is wrong, in a pipe. */

let run: Runner

beforeAll(async () => {
  const service = await demoService()
  run = createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), COLUMNS: '80' })
  await signIn(run, service)
  await run(['portfolios', 'create', 'there', '--name', 'There'])
})
afterAll(cleanUp)

/** Lists inside each other, as many as fit into one argument. */
const DEEP = '['.repeat(60_000) + ']'.repeat(60_000)

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
    { AA_CONFIG_DIR: newFolder() },
  ],
  ['an experiment that does not exist', ['experiments', 'get', 'exp_no'], { error: 'EXPERIMENT_NOT_FOUND' }],
  [
    'a bad date',
    ['stats', 'demo', '--since', 'x'],
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
  [
    'a missing argument',
    ['stats'],
    { error: 'USAGE', suggested_action: expect.stringContaining('footfall --demo stats demo --days 14') },
  ],
  [
    'a missing option after options of the parser',
    ['--config-dir', 'x', 'experiments', 'create', 'shop'],
    { error: 'USAGE', suggested_action: expect.stringContaining('footfall experiments create --help') },
  ],
  [
    'a command with a typo before the name of another command',
    ['stat', 'demo'],
    { error: 'USAGE', suggested_action: 'See footfall --help.' },
  ],
  ['no command', [], { error: 'USAGE', suggested_action: 'See footfall --help.' }],
  [
    'a portfolio of a project that is not there',
    ['portfolios', 'create', 'nowhere', '--name', 'A', '--projects', 'nosuch'],
    { error: 'NOT_FOUND', suggested_action: 'See the projects: footfall list' },
  ],
  [
    'replays of a project that is not there',
    ['replays', 'delete', '--all', '--confirm', 'delete_replay_data', '--project', 'nosuch'],
    { error: 'NOT_FOUND', suggested_action: 'See the projects: footfall list' },
  ],
  [
    'a portfolio that is there already',
    ['portfolios', 'create', 'there', '--name', 'Again'],
    { error: 'SLUG_EXISTS', suggested_action: expect.stringContaining('footfall portfolios update SLUG') },
  ],
  [
    'an option whose field has another name',
    ['query', 'demo', '--from', 'x'],
    {
      message: expect.stringContaining('Option `--from`'),
      suggested_action: expect.stringContaining('--since 7d'),
    },
  ],
  [
    'a portfolio that is not there',
    ['portfolios', 'get', 'nosuch'],
    { error: 'NOT_FOUND', suggested_action: expect.stringContaining('footfall portfolios list') },
  ],
  [
    'an analysis that is not there',
    ['scan', '--resume', 'scan_nosuch'],
    { error: 'NOT_FOUND', suggested_action: expect.stringContaining('footfall scan URL') },
  ],
  [
    'a filter that is too deep',
    ['query', 'demo', '--filter', DEEP],
    { error: 'USAGE', message: 'A filter cannot be read.' },
  ],
  [
    'steps that are too deep',
    ['funnel', 'demo', '--steps-json', DEEP],
    { error: 'USAGE', message: 'The steps cannot be read.' },
  ],
  [
    'a context that is too deep',
    ['context', 'set', 'demo', '--file', `{"goals":${DEEP}}`],
    { error: 'USAGE' },
  ],
  ['a number that is none', ['stats', 'demo', '--days', 'many'], { error: 'USAGE' }],
  ['no steps', ['funnel', 'demo'], { error: 'USAGE', message: 'The steps are missing.' }],
  ['two sources of steps', ['funnel', 'demo', '--steps', 'a,b', '--from-context'], { error: 'USAGE' }],
  ['a field that is not there', ['list', '--fields', 'nope'], { error: 'USAGE' }],
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
  const { code, stderr } = await run(['stats', 'nothing'])
  expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 2 })
})

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

test.each([
  ['a limit of requests', 429, 'RATE_LIMITED'],
  ['a service that is busy', 503, 'UNAVAILABLE'],
] as const)('%s names the seconds of Retry-After, which the caller cannot see', async (_, status, error) => {
  const body = JSON.stringify({ error, message: errorCodes[error].hint })
  const ask = (headers: Record<string, string>) =>
    withServer(
      ...([status, body] as const),
      url => run(['--demo', 'stats', 'demo', '--json', '--base-url', url]),
      headers,
    )
  const { stderr } = await ask({ 'Retry-After': '12' })
  expect(JSON.parse(stderr)).toMatchObject({
    ...{ error, suggested_action: 'Try again in 12 s.', retryable: true, retry_after_seconds: 12 },
    message: expect.stringContaining('again in 12 s.'),
  })
  expect((await ask({})).stderr).not.toContain('Retry-After')
})

test('after an error page of a proxy, the user reads that they should try again later', async () => {
  const { stderr } = await withServer(502, '<html>Bad gateway</html>', url =>
    run(['--demo', 'stats', 'demo', '--json', '--base-url', url]),
  )
  expect(JSON.parse(stderr)).toMatchObject({
    ...{ error: 'HTTP_502', retryable: true },
    suggested_action: expect.stringContaining('Try again later.'),
  })
})

test('the error for a project of another portfolio names the option --move', async () => {
  await run(['create', 'member', '--domain', '*'])
  const create = (slug: string) =>
    run(['portfolios', 'create', slug, '--name', 'A', '--projects', 'member', '--json'])
  await create('first')
  expect(JSON.parse((await create('second')).stderr)).toMatchObject({
    error: 'PROJECT_IN_PORTFOLIO',
    suggested_action: expect.stringContaining('--move'),
  })
})

test('an answer that is cut off is reported as a broken answer, not as a missing service', async () => {
  const { code, stderr } = await withServer(
    ...([200, '{"ok":'] as const),
    url => run(['--demo', 'list', '--json', '--base-url', url]),
    { 'Content-Length': '1000', Connection: 'close' },
  )
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({
    ...{ code: 1, error: 'UNEXPECTED_ANSWER', retryable: true },
    message: expect.stringContaining('cut off'),
  })
})

test.each(['http://stats.example.com', 'http://localhost.example.com', 'http://192.168.1.5:8787'])(
  'no request goes to %s, which is plain http to another machine',
  async address => {
    const named = await run(['list', '--json', '--base-url', address])
    const fromEnvironment = await run(['list', '--json'], { AA_BASE_URL: address })
    for (const { code, stderr } of [named, fromEnvironment]) {
      expect({ code, ...JSON.parse(stderr) }).toMatchObject({
        ...{ code: 1, error: 'INSECURE_ADDRESS', retryable: false },
        suggested_action: expect.stringContaining('--insecure'),
      })
    }
  },
)

test.runIf(existsSync('/dev/full'))('a result that cannot be written is a problem on stderr', async () => {
  const command = [
    '-c',
    '"$0" "$@" > /dev/full',
    process.execPath,
    await builtCommandLine(),
    'demo',
    '--json',
  ]
  const { code, stderr } = await runProcess('bash', command, { PATH: process.env.PATH as string })
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({
    ...{ code: 1, error: 'OUTPUT_UNWRITABLE' },
    message: expect.stringContaining('ENOSPC'),
  })
})
