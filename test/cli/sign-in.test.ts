import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder } from '#test/support/service-process'
import { builtCommandLine, createProcessRunner, type Result, type Runner, runProcess } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { createRunner } from './world.ts'

/**
 * The session of the command line, through a server that counts the requests. POST /dev/approve stands for
 * the human's click.
 */

let service: DemoService
let front: Server
let address: string
let run: Runner
/** The same in a process of its own, for what other processes see: locks and signals. */
let runApart: Runner
const configDir = newFolder()
const configPath = join(configDir, 'config.json')
const counts = new Map<string, number>()
/** true: polls get the answer that they get after a denial. */
let isDenied = false
/** By path: the number of the request that is answered with 503. */
const failsAt = new Map<string, number>()

beforeAll(async () => {
  service = await demoService()
  front = createServer(async (request, response) => {
    const { pathname } = new URL(request.url as string, service.baseUrl)
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1)
    if (pathname === '/agent-sessions/poll' && isDenied) {
      const denial = JSON.stringify({ error: 'AUTH_REQUEST_REVOKED', message: 'The human denied it.' })
      return response.writeHead(410, { 'Content-Type': 'application/json' }).end(denial)
    }
    if (counts.get(pathname) === failsAt.get(pathname)) return response.writeHead(503).end()
    const sent = await text(request).catch(() => null)
    // An interrupted command is gone before its request is read.
    if (sent === null) return
    const { authorization = '' } = request.headers
    const answer = await fetch(service.baseUrl + request.url, {
      method: request.method as string,
      headers: { 'Content-Type': 'application/json', ...(authorization !== '' && { authorization }) },
      ...(sent !== '' && { body: sent }),
    })
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  // A browser that follows the address of the human: it approves, and goes where it is sent.
  const browser = join(newFolder(), 'browser.mjs')
  writeFileSync(browser, BROWSER, { mode: 0o755 })
  const env = {
    AA_BASE_URL: address,
    AA_CONFIG_DIR: configDir,
    AA_OPEN_COMMAND: browser,
    AA_AUTH_POLL_INTERVAL_MS: '50',
    SECRET_FILE: join(service.dataDir, 'dev-approve-secret'),
    SERVICE: service.baseUrl,
  }
  run = createRunner(env)
  runApart = await createProcessRunner(env)
})
afterAll(async () => {
  front.close()
  await cleanUp()
})

const BROWSER = `#!${process.execPath}
import { readFileSync } from 'node:fs'
const secret = readFileSync(process.env.SECRET_FILE, 'utf8').trim()
const auth_request_id = process.argv[2].split('/').at(-1)
const body = JSON.stringify({ secret, auth_request_id, email: 'owner@localhost' })
const answer = await fetch(process.env.SERVICE + '/dev/approve', { method: 'POST', body })
const { redirect_url } = await answer.json()
if (redirect_url !== null) await fetch(redirect_url)
`

const config = () => JSON.parse(readFileSync(configPath, 'utf8'))

function expectNoSecrets(...results: Result[]) {
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toMatch(/aa[a-su-z]_[0-9a-f]{16}/)
}

/** What the human does on another machine. */
async function approve(auth_request_id: string): Promise<string> {
  const secret = readFileSync(join(service.dataDir, 'dev-approve-secret'), 'utf8').trim()
  const body = JSON.stringify({ secret, auth_request_id, email: 'owner@localhost' })
  const response = await fetch(`${service.baseUrl}/dev/approve`, { method: 'POST', body })
  return ((await response.json()) as { exchange_code: string }).exchange_code
}

test('login opens a page, receives the code on 127.0.0.1, and stores the session for the owner of the file alone', async () => {
  const result = await run(['login', '--json'])
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('must show the code') })
  expect(JSON.parse(result.stdout)).toMatchObject({
    ok: true,
    base_url: address,
    account: { email: 'owner@localhost' },
  })
  expect(statSync(configPath).mode & 0o777).toBe(0o600)
  expectNoSecrets(result)
  const [who, status] = await Promise.all([run(['whoami']), run(['auth', 'status', '--json'])])
  expect(who.stdout).toMatch(/owner@localhost[\s\S]*Session until/)
  expect(JSON.parse(status.stdout)).toMatchObject({ signed_in: true, base_url: address })
  expectNoSecrets(who, status)
})

/** Replaces the access token of the session by one that is not valid. Returns the session of before. */
function ageToken(digit: string) {
  const before = config()
  const session = before.sessions[address]
  const sessions = { [address]: { ...session, access_token: `aas_${digit.repeat(64)}` } }
  writeFileSync(configPath, JSON.stringify({ ...before, sessions }))
  return session
}

test('ten commands at once with an old token refresh it once, and none breaks the session', async () => {
  const session = ageToken('0')
  counts.delete('/agent-sessions/refresh')
  const results = await Promise.all(Array.from({ length: 10 }, () => runApart(['list', '--json'])))
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array(10).fill({ code: 0, stderr: '' }),
  )
  expect(counts.get('/agent-sessions/refresh')).toBe(1)
  const fresh = config().sessions[address]
  expect(fresh).toMatchObject({ id: session.id, account: session.account })
  expect(fresh.refresh_token).not.toBe(session.refresh_token)
  expect((await run(['list'])).code).toBe(0)
})

test('a lock of a process that died is taken over', async () => {
  ageToken('1')
  writeFileSync(join(configDir, 'config.lock'), '999999999.dead')
  expect(await runApart(['list'])).toMatchObject({ code: 0, stderr: '' })
})

test('a detached login prints the page and ends; login --wait goes on with it', async () => {
  const started = await run(['login', '--detached', '--json'])
  const { auth_request_id, authorize_url, approval_code, next } = JSON.parse(started.stdout)
  expect({ code: started.code, authorize_url, approval_code, next }).toEqual({
    ...{
      code: 0,
      authorize_url: expect.stringContaining(auth_request_id),
      approval_code: expect.stringMatching(/^[A-Z2-9]{8}$/),
    },
    next: 'footfall login --wait',
  })
  expectNoSecrets(started)
  const waiting = run(['login', '--wait', '--json'])
  await approve(auth_request_id)
  const finished = await waiting
  expect(finished.code).toBe(0)
  expectNoSecrets(finished)
  expect(config().pending).toEqual({})
})

test.each(['--wait', '--poll'])(
  'login --detached %s begins anew, shows the page, and waits',
  async option => {
    const earlier = JSON.parse((await run(['login', '--detached', '--json'])).stdout).auth_request_id
    const waiting = run(['login', '--detached', option, '--json'])
    const pendingId = () => config().pending[address]?.auth_request_id
    await eventually(() => expect(pendingId()).not.toBe(earlier))
    await approve(pendingId())
    const { code, stdout, stderr } = await waiting
    expect({ code, ok: JSON.parse(stdout).ok }).toEqual({ code: 0, ok: true })
    expect(stderr).toContain('A human opens this page.')
    expect(config().pending).toEqual({})
  },
)

test('a detached login names the command that takes the finish code of the human', async () => {
  const { auth_request_id, finish_with_code } = JSON.parse(
    (await run(['login', '--detached', '--json'])).stdout,
  )
  expect(finish_with_code).toBe(`footfall login --auth-request ${auth_request_id} --exchange-code -`)
  expect((await run(['login', '--detached'])).stdout).toContain('--exchange-code -')
})

test('login --wait goes on after a service that was away for a moment', async () => {
  const { auth_request_id } = JSON.parse((await run(['login', '--detached', '--json'])).stdout)
  await approve(auth_request_id)
  counts.delete('/agent-sessions/poll')
  failsAt.set('/agent-sessions/poll', 1)
  const result = await run(['login', '--wait'])
  failsAt.clear()
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('The wait goes on.') })
  expect(counts.get('/agent-sessions/poll')).toBe(2)
})

test('login --wait shows the page and the code of a sign-in that an earlier command began', async () => {
  const { approval_code, authorize_url } = JSON.parse((await run(['login', '--detached', '--json'])).stdout)
  const { stderr } = await run(['login', '--wait'], { AA_AUTH_TIMEOUT_MS: '0' })
  expect(stderr).toContain(`the code ${approval_code}.\n${authorize_url}\n`)
})

test('after a denial login --wait begins another sign-in', async () => {
  await run(['login', '--detached'])
  isDenied = true
  const denied = await run(['login', '--wait', '--json'])
  isDenied = false
  expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('AUTH_REQUEST_REVOKED') })
  expect(config().pending).toEqual({})
})

test('a sign-in that the service does not know any more is forgotten', async () => {
  await run(['login', '--detached'])
  const before = config()
  const pending = { [address]: { ...before.pending[address], auth_request_id: 'asr_gone' } }
  writeFileSync(configPath, JSON.stringify({ ...before, pending }))
  expect((await run(['login', '--wait'])).code).toBe(1)
  expect(config().pending).toEqual({})
})

test('the finish code of the human finishes a login, and a second time it is a success, because the session works', async () => {
  const { auth_request_id } = JSON.parse((await run(['login', '--detached', '--json'])).stdout)
  const code = await approve(auth_request_id)
  const args = ['login', '--auth-request', auth_request_id, '--exchange-code', code]
  expect((await run(args)).code).toBe(0)
  expect((await run(args)).code).toBe(0)
})

test('an interrupted wait ends with 130 and changes nothing', async () => {
  await run(['login', '--detached'])
  const before = config()
  const file = await builtCommandLine()
  const env = {
    PATH: process.env.PATH as string,
    AA_BASE_URL: address,
    AA_CONFIG_DIR: configDir,
    AA_AUTH_POLL_INTERVAL_MS: '20',
  }
  counts.delete('/agent-sessions/poll')
  const child = spawn(process.execPath, [file, 'login', '--wait'], { env, stdio: 'ignore' })
  const ended = new Promise(resolve => child.on('close', resolve))
  await eventually(() => expect([...counts.keys()]).toContain('/agent-sessions/poll'))
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(config()).toEqual(before)
})

test.each([
  ['options that exclude each other', ['login', '--wait', '--poll'], {}],
  ['a wait with a finish code', ['login', '--detached', '--auth-request', 'x', '--exchange-code', 'y'], {}],
  ['half of a finish code', ['login', '--auth-request', 'x'], {}],
  ['a store of another name', ['login'], { AA_CREDENTIAL_STORE: 'cloud' }],
])('%s are refused without a call', async (_, args, env) => {
  counts.clear()
  const { code, stderr } = await run([...args, '--json'], env)
  expect({ code, error: JSON.parse(stderr).error, calls: counts.size }).toEqual({
    code: 1,
    error: 'USAGE',
    calls: 0,
  })
})

test.each([
  ['a folder below a file', 'ENOTDIR', []],
  ['a disk that takes no byte', 'EFBIG', ['bash', '-c', 'ulimit -f 0; exec "$0" "$@"']],
])('a login into %s is refused before a human approves, and leaves no lock', async (_, code, limit) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  const target = limit.length === 0 ? join(folder, 'file', 'below') : folder
  counts.clear()
  const [program = '', ...args] = [...limit, process.execPath, await builtCommandLine()]
  const env = { PATH: process.env.PATH as string, AA_BASE_URL: address, AA_CREDENTIAL_STORE: 'file' }
  const result = await runProcess(program, [...args, 'login', '--config-dir', target, '--json'], env)
  expect({ code: result.code, calls: counts.size, ...JSON.parse(result.stderr) }).toMatchObject({
    ...{ code: 1, calls: 0, error: 'CONFIG_UNWRITABLE' },
    message: expect.stringMatching(new RegExp(`${target}.*${code}`)),
    suggested_action: expect.stringContaining('--config-dir'),
  })
  expect(readdirSync(folder)).toEqual(['file'])
})

test('a session that is over is a sentence with the command that begins a new one, and stays in the file', async () => {
  const before = config()
  const dead = { access_token: `aas_${'2'.repeat(64)}`, refresh_token: `aar_${'3'.repeat(64)}` }
  const sessions = { [address]: { ...before.sessions[address], ...dead } }
  writeFileSync(configPath, JSON.stringify({ ...before, sessions }))
  const { code, stdout, stderr } = await run(['stats', 'demo', '--json'])
  expect({ code, stdout, ...JSON.parse(stderr) }).toMatchObject({
    ...{ code: 1, stdout: '', error: 'AUTH_REQUIRED', retryable: false },
    suggested_action: expect.stringContaining('footfall login'),
  })
  expect(config().sessions).toEqual(sessions)
  writeFileSync(configPath, JSON.stringify(before))
})

test('the demo does not read who is signed in', async () => {
  const { stdout } = await run(['--demo', 'auth', 'status', '--json'])
  expect(JSON.parse(stdout).signed_in).toBe(false)
})

test('logout ends the session at the service, and keeps the rest of the file; again it says so', async () => {
  const { access_token } = config().sessions[address]
  expect(await run(['logout', '--json'])).toMatchObject({
    code: 0,
    stdout: '{"ok":true,"was_signed_in":true}\n',
  })
  const response = await fetch(`${service.baseUrl}/account`, {
    headers: { Authorization: `Bearer ${access_token}` },
  })
  expect(response.status).toBe(401)
  expect(config()).toMatchObject({ base_url: address, sessions: {} })
  expect(await run(['logout'])).toMatchObject({ code: 0, stdout: 'You were not signed in.\n' })
  expect(await run(['list', '--json'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('AUTH_REQUIRED'),
  })
})

test('a project is created, changed and deleted; a dry run sends nothing, and nothing is deleted without --confirm', async () => {
  expect(await run(['login'])).toMatchObject({ code: 0 })
  counts.clear()
  const dry = await run(['create', 'boutique', '--domain', 'https://boutique.example', '--dry-run', '--json'])
  expect(JSON.parse(dry.stdout).request).toEqual({
    endpoint: 'POST /projects',
    body: { name: 'boutique', allowed_origins: 'https://boutique.example' },
  })
  const refused = await run(['delete', 'boutique', '--json'])
  expect({ code: refused.code, error: JSON.parse(refused.stderr).error }).toEqual({
    code: 1,
    error: 'CONFIRMATION_REQUIRED',
  })
  expect(counts.size).toBe(0)
  const created = await run(['create', 'boutique', '--domain', 'https://boutique.example'])
  expect(created).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: expect.stringMatching(/<script defer src="http:.*data-project="boutique".*<\/script>/),
  })
  expect(
    await run(['update', 'boutique', '--origins', '*', '--timezone', 'Pacific/Kiritimati']),
  ).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Time zone +Pacific\/Kiritimati/),
  })
  const shop = JSON.parse((await run(['project', 'boutique', '--json'])).stdout)
  expect(shop).toMatchObject({ allowed_origins: '*', timezone: 'Pacific/Kiritimati' })
  expect((await run(['stats', 'boutique'])).stdout).toContain('(Pacific/Kiritimati)')
  expect(await run(['update', 'boutique', '--timezone', ''])).toMatchObject({ code: 0 })
  expect(JSON.parse((await run(['project', 'boutique', '--json'])).stdout).timezone).toBe(null)
  expect(await run(['delete', 'boutique', '--confirm', '--json'])).toMatchObject({
    code: 0,
    stdout: `{"ok":true,"deleted":"${shop.id}"}\n`,
  })
})

test('a project name with a typo gets the name that was meant', async () => {
  await run(['create', 'bakery', '--domain', '*'])
  const { code, stderr } = await run(['stats', 'bakrey', '--json'])
  expect({ code, action: JSON.parse(stderr).suggested_action }).toEqual({
    ...{ code: 1, action: 'Did you mean bakery? footfall list has all projects.' },
  })
})

test('an experiment is created, paused, resumed, completed and deleted, and feedback arrives', async () => {
  const created = await run([
    'experiments',
    'create',
    'demo',
    '--name',
    'cta',
    '--variants',
    'a,b',
    '--goal',
    'signup',
    '--weights',
    '30,70',
    '--smallest-effect',
    '0.1',
    '--planned-size',
    '900',
    '--json',
  ])
  const { id, variants, ...made } = JSON.parse(created.stdout)
  expect(made).toMatchObject({ smallest_effect: 0.1, planned_size: 900, ended_at: null })
  const shown = (await run(['experiments', 'get', id])).stdout
  expect(shown).toMatch(/Started \(UTC\) +\d[\s\S]*Planned size +900[\s\S]*Decision +keep_running/)
  expect(shown).toContain('every variant has 900 users')
  expect(variants).toEqual([
    { key: 'a', weight: 30 },
    { key: 'b', weight: 70 },
  ])
  for (const [verb, status] of [
    ['pause', 'paused'],
    ['resume', 'active'],
    ['complete', 'completed'],
  ] as const) {
    expect(JSON.parse((await run(['experiments', verb, id, '--json'])).stdout).status).toBe(status)
  }
  expect(await run(['experiments', 'delete', id, '--confirm'])).toMatchObject({ code: 0 })
  expect(await run(['feedback', '--message', 'All good'])).toMatchObject({ code: 0 })
})

test('a context is replaced and shown, and a portfolio is created, changed and deleted', async () => {
  const file = join(newFolder(), 'context.json')
  writeFileSync(file, JSON.stringify({ goals: ['More signups'], activation_events: ['signup'] }))
  const set = await run(['context', 'set', 'bakery', '--file', file])
  expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/More signups[\s\S]*signup/) })
  const asText = await run(['context', 'set', 'bakery', '--file', '{"goals":["Fewer bounces"]}'])
  expect(asText).toMatchObject({ code: 0, stdout: expect.stringContaining('Fewer bounces') })
  writeFileSync(file, 'no JSON')
  expect(await run(['context', 'set', 'bakery', '--file', file])).toMatchObject({ code: 1, stdout: '' })
  const created = await run(['portfolios', 'create', 'bakers', '--name', 'Acme', '--projects', 'bakery'])
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/bakers[\s\S]*bakery/) })
  expect(await run(['portfolios', 'update', 'bakers', '--name', 'Acme 2'])).toMatchObject({ code: 0 })
  expect((await run(['portfolios', 'get', 'bakers'])).stdout).toContain('Acme 2')
  expect(await run(['portfolios', 'delete', 'bakers', '--confirm'])).toMatchObject({ code: 0 })
})

test('the demo refuses what changes something before any call', async () => {
  counts.clear()
  const { code, stderr } = await run(['--demo', 'create', 'x', '--domain', '*', '--json'])
  expect({ code, error: JSON.parse(stderr).error, calls: counts.size }).toEqual({
    code: 1,
    error: 'FORBIDDEN',
    calls: 0,
  })
})
