import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_EVENTS } from '#core/demo/demo-records'
import { eventually } from '#test/support/eventually'
import { readmeStats } from '#test/support/readme-stats'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { readJson, statsTotals } from '#test/support/service-reads'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

type Stats = { totals: { total_events: number; unique_users: number }; events: { event: string }[] }

const dataDir = newFolder()
let service: Service
beforeAll(async () => {
  service = await startService({ dataDir, seed: true })
})
afterAll(cleanUp)

/** Runs a printed command in a shell, as a new user does. */
async function runInShell(command: string): Promise<Stats> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command])
  return JSON.parse(stdout)
}

function printedCurlCommand(): string {
  const line = /^ *(curl .*)$/m.exec(service.output())?.[1]
  if (line === undefined) throw new Error(`The output has no curl command:\n${service.output()}`)
  return line
}

test('the first start prints what it creates and a first command', () => {
  expect(service.output()).toMatch(/^account .*owner account.*API key/m)
  // What holds the pages of strangers on this machine is one of the lines of find-fence.ts.
  expect(service.output().match(/^browser +Website analyses .*$/gm)).toHaveLength(1)
  expect(service.output()).toMatch(new RegExp(`^demo .*${DEMO_EVENTS} events`, 'm'))
  expect(service.output()).toContain(`${service.baseUrl}/demo/`)
  expect(service.output()).not.toContain(service.credentials.api_key)
})

test('the credentials file is complete, and only its owner can read it', () => {
  expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
  expect(service.credentials).toEqual({
    base_url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    account_id: expect.stringMatching(/^acc_/),
    api_key: expect.stringMatching(/^aak_/),
    project: 'demo',
    project_token: expect.stringMatching(/^aat_[0-9a-f]{48}$/),
  })
})

test('the key is also alone in a file, so that the printed command needs only `cat`', () => {
  const path = join(dataDir, 'api-key')
  expect(readFileSync(path, 'utf8')).toBe(`${service.credentials.api_key}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(printedCurlCommand()).toContain(`$(cat '${path}')`)
})

test('the printed curl command returns a month of traffic', async () => {
  const { totals, events } = await runInShell(await eventually(printedCurlCommand))
  expect(totals.total_events).toBe(DEMO_EVENTS)
  expect(totals).toEqual(readmeStats().totals)
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['page_view', 'signup_started', 'signup']),
  )
})

test('a demo session reads the seeded project under any name, and writes nothing', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared, not used
  const send = async (method: string, path: string, token?: string): Promise<any> => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(method === 'POST' && { body: JSON.stringify({ name: 'mine' }) }),
    })
    return response.json()
  }
  const session = await send('POST', '/demo/session')
  expect(session).toMatchObject({ ok: true, mode: 'demo', projects: [{ name: 'demo' }] })
  const { access_token } = session.agent_session
  const { totals } = await send('GET', '/stats?project=anything&since=30d', access_token)
  expect(totals.total_events).toBe(DEMO_EVENTS)
  const { status, results } = await send('GET', '/experiments/exp_demo_signup_cta', access_token)
  expect([status, results.sufficient_data]).toEqual(['active', true])
  expect(results.probability_best.start_free).toBeGreaterThan(0.9)
  expect(results.decision).toBe('ship:start_free')
  expect((await send('POST', '/projects', access_token)).error).toBe('FORBIDDEN')
  expect((await send('DELETE', '/projects/demo', access_token)).error).toBe('FORBIDDEN')
})

test('the demo page has the tracker with the project’s token', async () => {
  const response = await fetch(`${service.baseUrl}/demo/`)
  expect(response.status).toBe(200)
  const html = await response.text()
  expect(html).toContain('/tracker.js')
  expect(html).toContain(service.credentials.project_token)
})

test('an acknowledged event is in the stats', async () => {
  const before = await statsTotals(service)
  const response = await fetch(`${service.baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify({
      token: service.credentials.project_token,
      event: 'page_view',
      user_id: 'newcomer',
    }),
    headers: { 'User-Agent': HUMAN_USER_AGENT },
  })
  expect(response.status).toBe(202)
  await eventually(async () =>
    expect(await statsTotals(service)).toEqual({
      total_events: before.total_events + 1,
      unique_users: before.unique_users + 1,
    }),
  )
})

test('a restart on another port keeps all data, creates nothing again and updates the credentials file', async () => {
  const { credentials } = service
  expect(await service.stop()).toBe(0)
  expect(service.output()).toContain('"code":"STOPPED"')
  service = await startService({ dataDir, seed: true })
  expect(service.credentials).toEqual({ ...credentials, base_url: service.baseUrl })
  expect(service.output()).not.toMatch(/^(account|demo) /m)
  const { totals } = await runInShell(await eventually(printedCurlCommand))
  expect(totals.total_events).toBe(DEMO_EVENTS + 1)
  expect(await readJson<{ projects: unknown[] }>(service, '/projects')).toMatchObject({
    projects: [{ name: 'demo' }],
  })
})
