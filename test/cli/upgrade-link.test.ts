import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type * as z from 'zod'
import { accountUsage } from '#schemas/account'
import { newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { createRunner, skippingClock } from './world.ts'

/** A service with payments needs a payment provider, so a server plays its answers here. */

type Usage = z.infer<typeof accountUsage>
type Payment = Usage['payment']

const ACTION = {
  type: 'open_browser',
  url: 'https://footfall.example/upgrade?account=acc_1',
  reason: 'Pro',
} as const
const states: Record<string, Partial<Payment>> = {
  upgrade_available: { state: 'upgrade_available', next_action: ACTION },
  active: { state: 'active', status: { can_retry_pro_task: true } },
  setup_required: { state: 'setup_required' },
  away: {},
  unreachable: {},
  hostile: { state: 'upgrade_available', next_action: { ...ACTION, url: 'javascript:alert(1)' } },
}

let server: Server
let run: Runner
/** The states that the service answers with; the last one again and again. */
let answers: (keyof typeof states)[] = []

function usageOf(payment: Partial<Payment> = {}): Usage {
  return accountUsage.parse({
    ...{ version: 1, tier: 'free', entitlement_source: 'free' },
    usage: { total_events_this_month: 1, total_reads_this_month: 1, estimated_bill: 0 },
    spend_cap: { monthly_spend_cap_dollars: null },
    tier_limits: {
      ...{ max_events_per_month: 1, max_projects: 1, max_reads_per_month: 1 },
      ...{ retention_days: 1, rate_limit_rpm: 1, max_full_scans_per_month: 1 },
    },
    payment: {
      ...{ version: 1, state: 'checkout_pending', agent_can_charge: false, next_action: null },
      pricing: { currency: 'USD', events_per_unit: 1, unit_price_cents: 1 },
      polling: { endpoint: '/account/usage', interval_seconds: 5, max_wait_seconds: 900 },
      status: { can_retry_pro_task: false },
      ...payment,
    },
  })
}

beforeAll(async () => {
  server = createServer((_, response) => {
    const state = (answers.length > 1 ? answers.shift() : answers[0]) as string
    if (state === 'away') return response.writeHead(503).end()
    if (state === 'unreachable') return response.destroy()
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(usageOf(states[state])))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configDir = newFolder()
  const later = Date.now() + 3_600_000
  const session = {
    ...{ id: 'ses_1', access_token: `aas_${'1'.repeat(64)}`, refresh_token: `aar_${'2'.repeat(64)}` },
    ...{ access_expires_at: later, refresh_expires_at: later, scopes: [] },
    account: { id: 'acc_1', email: 'a@example.com', code_host_login: null, idp_name: null, tier: 'free' },
  }
  writeFileSync(
    join(configDir, 'config.json'),
    JSON.stringify({ version: 1, base_url: address, sessions: { [address]: session } }),
    {
      mode: 0o600,
    },
  )
  // Fifteen minutes of asking every five seconds.
  run = createRunner({ AA_BASE_URL: address, AA_CONFIG_DIR: configDir }, { clock: skippingClock() })
})
afterAll(() => server.close())

test('--detached prints the link for the human and ends', async () => {
  answers = ['upgrade_available']
  const { code, stdout } = await run(['upgrade-link', '--detached'])
  expect([code, stdout]).toEqual([0, expect.stringContaining(ACTION.url)])
  const { stdout: json } = await run(['upgrade-link', '--detached', '--json'])
  expect(JSON.parse(json).payment.next_action).toEqual(ACTION)
})

test('--wait names the link, and ends when the account has Pro', async () => {
  answers = ['upgrade_available', 'upgrade_available', 'upgrade_available', 'active']
  const { code, stdout, stderr } = await run(['upgrade-link', '--wait'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('has Pro')])
  expect(stderr).toContain(ACTION.url)
})

test('--wait goes on after a service that was away for a while, and says so', async () => {
  answers = ['upgrade_available', 'away', 'unreachable', 'upgrade_available', 'away', 'active']
  const { code, stdout, stderr } = await run(['upgrade-link', '--wait'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('has Pro')])
  expect(stderr.match(/The wait goes on\./g)).toHaveLength(3)
})

test('--wait ends with an error when nobody upgrades in time', async () => {
  answers = ['upgrade_available']
  const { code, stderr } = await run(['upgrade-link', '--wait', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stderr.trim().split('\n').at(-1) as string)).toMatchObject({
    error: 'TIMEOUT',
    retryable: true,
  })
})

test.each([
  ['a service without payments', ['setup_required'], ['--detached'], 'NO_PAYMENTS'],
  ['a link that is no web page', ['hostile'], ['--detached'], 'UNEXPECTED_ANSWER'],
  ['neither option', ['active'], [], 'USAGE'],
  ['both options', ['active'], ['--detached', '--wait'], 'USAGE'],
])('%s is an error that says what to do', async (_, given, options, error) => {
  answers = given
  const { code, stderr } = await run(['upgrade-link', ...options, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({ error, suggested_action: expect.stringMatching(/\w/) })
})
