import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { createRunner, type Runner } from './built-cli.ts'
import { signIn } from './sign-in.ts'

/** What the built file says when something is wrong, in a pipe. */

let service: Service
let run: Runner

beforeAll(async () => {
  service = await startService({ env: { DEV_APPROVE: 'true' } })
  run = await createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), COLUMNS: '80' })
  await signIn(run, service)
})
afterAll(cleanUp)

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
