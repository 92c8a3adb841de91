import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import { routes } from '#schemas/routes'
import { SCOPES } from '#schemas/scopes'
import { countEvents } from '#test/support/count-events'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** The limits of docs/api/limits.md under the profile `hosted`, through the real chain. */
let world: HttpService
beforeAll(async () => {
  world = await openHttpService({ profile: 'hosted' })
})
afterAll(() => world.close())

const MINUTE_MS = 60_000
const DAY = '2026-11-21'

const FREE = { tier: 'free', complimentary: false } as const

async function credentialOf(accountId: string): Promise<RequestOptions> {
  const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
  const { access_token } = await world.agentSessions.issue(accountId, { ...client, scopes: [...SCOPES] })
  return { key: null, headers: { Authorization: `Bearer ${access_token}` } }
}

async function reader(plan: Partial<Account> = {}) {
  const account = await world.accounts.create({ ...FREE, email: 'reader@example.com', ...plan })
  const project = await world.createProject(account)
  const credential = await credentialOf(account.id)
  const stats = (query: Record<string, string> = {}) =>
    world.call(routes.stats, { ...credential, query: { project: project.name, ...query } })
  return { account, project, credential, stats }
}

const UPGRADE_HINT = /free plan|agent\/API read|Upgrade/i

test('a free account reads 10 times a minute, exactly, however many reads come at once', async () => {
  const { stats, credential } = await reader()
  const answers = await Promise.all(Array.from({ length: 25 }, () => stats()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body).toMatchObject({ error: 'RATE_LIMITED', reason: 'rate_limit' })
  expect(refused?.body.message).not.toMatch(UPGRADE_HINT)
  expect(refused?.headers.get('x-ratelimit-limit')).toBe('10')
  expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused?.headers.get('x-ratelimit-reset'))).toBeGreaterThan(world.now() / 1_000)
  // Clients poll these, so they are not limited.
  for (const route of [routes.readAccount, routes.readAccountUsage, routes.listProjects]) {
    expect((await world.call(route, credential)).status).toBe(200)
  }
  world.wait(Number(refused?.headers.get('retry-after')) * 1_000)
  expect((await stats()).status).toBe(200)
})

test('a failed read uses up the minute, not the month', async () => {
  const { stats, account } = await reader()
  for (let i = 0; i < 10; i++) expect((await stats({ since: 'never' })).status).toBe(400)
  expect((await stats()).status).toBe(429)
  expect((await world.usage.month(account.id, '2026-11')).reads).toBe(0)
})

test('readers of a share link use up no read of the month, and read on when it is used up', async () => {
  const { stats, account, project } = await reader()
  const key = await world.accounts.issueApiKey(account.id)
  const { body } = await world.call(routes.createShareLink, { key, id: project.id, body: {} })
  expect(body).toMatchObject({ url: expect.stringContaining('aal_') })
  const byLink = () =>
    world.call(routes.stats, {
      key: null,
      headers: { Authorization: `Bearer ${String(body.url).split('/').at(-1)}` },
      query: { project: project.name },
    })
  expect((await byLink()).status).toBe(200)
  await eventually(async () => expect((await world.usage.totals([project.id]))[0]?.reads).toBe(1))
  expect((await world.usage.month(account.id, '2026-11')).reads).toBe(0)
  for (let i = 0; i < 500; i++) await world.usage.reserveRead(account.id, DAY, 500)
  world.wait(MINUTE_MS)
  expect([(await stats()).status, (await byLink()).status]).toEqual([429, 200])
})

test('of reads at the end of the month’s cap exactly those within it succeed', async () => {
  const { stats, account, project } = await reader()
  for (let i = 0; i < 495; i++) await world.usage.reserveRead(account.id, DAY, 500)
  const answers = await Promise.all(Array.from({ length: 9 }, () => stats()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body.message).toMatch(UPGRADE_HINT)
  expect(refused?.headers.get('x-ratelimit-limit')).toBe('500')
  expect((await world.usage.month(account.id, '2026-11')).reads).toBe(500)
  expect((await world.usage.totals([project.id]))[0]?.reads).toBe(5)
})

describe('a dry run', () => {
  const dryRuns: [string, object, Record<string, string>][] = [
    ['in the body', { dry_run: true }, {}],
    ['in the body, as a text', { dry_run: 'true' }, {}],
    ['in the query string', { dry_run: null }, { dry_run: 'true' }],
  ]
  const otherReads: [string, object, Record<string, string>][] = [
    ['that is none', { dry_run: false }, { dry_run: 'true' }],
    ['in a form that is refused', { dry_run: 1 }, { dry_run: 'true' }],
  ]

  async function queries(readsOfMonth: number) {
    const { account, project, credential } = await reader()
    for (let i = 0; i < readsOfMonth; i++) await world.usage.reserveRead(account.id, DAY, 500)
    const query = (body: object, search: Record<string, string>) =>
      world.call(routes.query, { ...credential, body: { project: project.name, ...body }, query: search })
    const reads = async () => (await world.usage.month(account.id, '2026-11')).reads
    return { query, reads }
  }

  test.each(dryRuns)(
    '%s needs no read of the month, and counts toward the minute',
    async (_, body, search) => {
      const { query, reads } = await queries(500)
      const answers = []
      for (let i = 0; i < 11; i++) answers.push(await query(body, search))
      const statuses = answers.map(({ status }) => status)
      expect(statuses).toEqual([...Array(10).fill(200), 429])
      expect(answers[0]?.body).toMatchObject({ dry_run: true, estimate: expect.anything() })
      expect(answers[10]?.body.reason).toBe('rate_limit')
      expect(await reads()).toBe(500)
    },
  )

  test.each(otherReads)('%s is refused over the cap of the month', async (_, body, search) => {
    const { query } = await queries(500)
    const refused = await query(body, search)
    expect([refused.status, refused.body.reason]).toEqual([429, 'monthly_read_limit'])
  })

  test('is not counted below the cap', async () => {
    const { query, reads } = await queries(3)
    expect((await query({ dry_run: true }, {})).status).toBe(200)
    expect(await reads()).toBe(3)
  })
})

describe('a free account has two projects', () => {
  async function creator(existing: readonly string[]) {
    const { id } = await world.accounts.create({ ...FREE, email: 'creator@example.com' })
    // These projects are created without a limit, as before there were places. So they are not in the list.
    for (const name of existing) await world.projects.create({ account: { id }, name })
    const credential = await credentialOf(id)
    const create = (name: string) => world.call(routes.createProject, { ...credential, body: { name } })
    const remove = (project: string) => world.call(routes.deleteProject, { ...credential, id: project })
    const list = async () => {
      const { body } = await world.call(routes.listProjects, credential)
      return body.projects as { id: string; name: string; project_token: string }[]
    }
    return { create, remove, list }
  }

  describe.each([1, 2, 3, 4, 5])('round %i', () => {
    test.each<[string, string[], string[]]>([
      ['two names several times, beside a project', ['first'], ['X', 'X', 'X', 'Y', 'Y']],
      ['four names', [], ['a', 'b', 'c', 'd']],
    ])(
      'requests at the same time for %s create as many projects as the plan has left',
      async (_, existing, names) => {
        const { create, list } = await creator(existing)
        const answers = await Promise.all(names.map(create))
        const listed = await list()
        expect(listed).toHaveLength(2)
        for (const [i, { status, body }] of answers.entries()) {
          const project = listed.find(({ name }) => name === names[i])
          if (project === undefined) expect([status, body.error]).toEqual([403, 'PRO_REQUIRED'])
          else expect([status, body]).toEqual([body.existing ? 200 : 201, expect.objectContaining(project)])
        }
        expect(answers.filter(({ status }) => status === 201)).toHaveLength(2 - existing.length)
      },
    )
  })

  test('the name of a project is known at the limit, and a deleted project makes room', async () => {
    const { create, remove } = await creator(['first'])
    const { body: second } = await create('second')
    for (const name of ['first', 'second'])
      expect((await create(name)).body).toMatchObject({ existing: true })
    const refused = await create('third')
    expect([refused.status, refused.body.error]).toEqual([403, 'PRO_REQUIRED'])
    await remove(String(second.id))
    expect((await create('third')).status).toBe(201)
    expect((await create('fourth')).body.error).toBe('PRO_REQUIRED')
  })
})

test('reads tell the month’s events, the cap and its percentage', async () => {
  const { stats, account } = await reader()
  await countEvents(world.usage, { account_id: account.id, day: DAY, events: 12_345 })
  const { headers } = await stats()
  expect(headers.get('x-monthly-usage')).toBe('12345')
  expect(headers.get('x-monthly-limit')).toBe('100000')
  expect(headers.get('x-monthly-usage-percent')).toMatch(/^12\.3[45]$/)
  expect(headers.get('x-monthly-estimated-bill')).toBeNull()
})

test('a paying account sees its bill, and the cap that it has set', async () => {
  const { stats, account } = await reader({ tier: 'pro' })
  await countEvents(world.usage, { account_id: account.id, day: DAY, events: 20_001 })
  const open = await stats()
  expect(open.headers.get('x-monthly-estimated-bill')).toBe('3')
  expect(open.headers.get('x-monthly-limit')).toBeNull()
  await world.accounts.setSpendCap(account.id, 4)
  world.wait(6_000)
  const capped = await stats()
  expect(capped.headers.get('x-monthly-spend-cap')).toBe('4')
  expect(capped.headers.get('x-monthly-limit')).toBe('40000')
  expect(capped.headers.get('x-monthly-usage-percent')).toBe('50.00')
})

test.each<[string, Partial<Account>, number | null, number, string]>([
  ['the free cap', {}, null, 100_000, 'lifetime_event_limit'],
  ['the spend cap', { tier: 'pro' }, 5, 50_000, 'monthly_spend_cap'],
])(
  'ingestion learns of %s within a minute, and never waits for it',
  async (_, plan, dollars, cap, reason) => {
    const { account, project } = await reader(plan)
    if (dollars !== null) await world.accounts.setSpendCap(account.id, dollars)
    const track = () =>
      world.call(routes.track, { key: null, body: { token: project.project_token, event: 'signup' } })
    expect((await track()).status).toBe(202)
    await countEvents(world.usage, { account_id: account.id, day: DAY, events: cap })
    world.wait(MINUTE_MS)
    const { status, body, headers } = await eventually(async () => {
      const response = await track()
      expect(response.status).toBe(429)
      return response
    })
    expect([status, body.error, body.reason]).toEqual([429, 'RATE_LIMITED', reason])
    expect(body.monthly_event_limit).toBe(cap)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body.message).toMatch(plan.tier === 'pro' ? /spend cap/ : UPGRADE_HINT)
  },
)

test('an address starts 20 sessions in 10 minutes', async () => {
  const start = () =>
    world.call(routes.startSession, { key: null, body: { client_type: 'cli', mode: 'detached' } })
  const answers = await Promise.all(Array.from({ length: 25 }, start))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(answers.find(({ status }) => status === 429)?.body.message).not.toMatch(UPGRADE_HINT)
})

test('a free account is told how a human upgrades it, and never more', async () => {
  const { credential, account } = await reader()
  const { body } = await world.call(routes.readAccountUsage, credential)
  expect(body).toMatchObject({
    tier: 'free',
    entitlement_source: 'free',
    payment: {
      state: 'upgrade_available',
      agent_can_charge: false,
      next_action: {
        type: 'open_browser',
        url: expect.stringMatching(`/account/billing/agent-upgrade\\?account=${account.id}$`),
      },
      status: { can_retry_pro_task: false },
    },
  })
  await world.accounts.applyPlan(account.id, 'pro', 1)
  world.wait(6_000)
  const upgraded = await world.call(routes.readAccountUsage, credential)
  expect(upgraded.body).toMatchObject({
    entitlement_source: 'subscription',
    payment: { state: 'active', next_action: null, status: { can_retry_pro_task: true } },
  })
})
