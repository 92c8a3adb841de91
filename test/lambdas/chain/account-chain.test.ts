import { expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import type { AuditEvent } from '#core/accounts/audit'
import { unavailable } from '#core/errors'
import { type LimitState, type Limits, noLimits } from '#core/limits/limit-state'
import { type Profile, profiles } from '#core/plans/profile'
import { type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import type { HttpRequest } from '#lambdas/http/http'
import type { Limit, Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { testAccount, testProject } from '#test/support/account-fixtures'

const project = testProject()

type World = {
  tier?: Account['tier']
  limits?: Pick<Limits, 'check'>
  handler?: () => Promise<unknown>
  addRead?: () => Promise<void>
  route?: Route
  profile?: Profile
  /** The plan that the account has got since its credential was cached. */
  tierNow?: Account['tier']
}

/** An endpoint of a report over one account and one project, with what it counts and logs. */
function reportEndpoint({
  tier = 'free',
  limits = noLimits,
  handler,
  addRead,
  route = routes.stats,
  profile = profiles.own,
  tierNow = tier,
}: World = {}) {
  const reads: unknown[] = []
  const plansRead: string[] = []
  const logged: unknown[] = []
  const audited: AuditEvent[] = []
  const services: AccountChainServices = {
    accounts: {
      byApiKey: async key => (key === 'aak_1' ? testAccount({ tier }) : null),
      byId: async id => {
        plansRead.push(id)
        return testAccount({ tier: tierNow })
      },
    },
    agentSessions: { byAccessToken: async () => null },
    shareLinks: { byToken: async () => null },
    browserSessions: { byToken: async () => null },
    demo: { project: async () => null },
    audit: {
      record: async event => void audited.push(event),
      recordReport: async event => void audited.push(event),
    },
    profile,
    projects: {
      resolve: async (_, name) => (name === 'shop' ? project : null),
      byId: async () => null,
      list: async () => [project],
    },
    usage: {
      addRead: async (...read) => {
        await addRead?.()
        reads.push(read)
      },
      month: async (owner, month) => ({
        events: owner === 'acc_1' && month === '2026-11' ? 42 : 0,
        reads: 0,
        days: {},
      }),
    },
    limits,
    clock: { now: () => Date.UTC(2026, 10, 30, 23, 59) },
    log: (code, fields) => void logged.push({ code, ...fields }),
    baseUrl: 'https://a.example',
  }
  const endpoint = accountChain(services)(route)(
    async () =>
      ({
        status: 200,
        body: (await handler?.()) ?? {},
      }) as never,
  )
  const send = async (query: Record<string, string> = {}, request: Partial<HttpRequest> = {}) => {
    const { status, headers, body } = await endpoint({
      method: 'GET',
      path: '/stats',
      params: {},
      query: { project: 'shop', key: 'aak_1', ...query },
      headers: {},
      body: new Uint8Array(),
      ip: null,
      ...request,
    })
    return { status, headers, body: JSON.parse(String(body)) }
  }
  return { send, reads, logged, audited, plansRead }
}

test('a read that succeeds is counted once, for its project, its account and its UTC day', async () => {
  const { send, reads } = reportEndpoint()
  const { status, headers } = await send()
  expect([status, headers['X-Monthly-Usage']]).toEqual([200, '42'])
  expect(reads).toEqual([['proj_1', 'acc_1', '2026-11-30']])
})

test.each([
  ['is refused', { since: 'never' }, async () => ({})],
  ['fails', {}, () => Promise.reject(unavailable('busy', 3))],
])('a read that %s is not counted', async (_, query, handler) => {
  const { send, reads } = reportEndpoint({ handler })
  const { status, headers } = await send(query)
  expect(status).toBeGreaterThanOrEqual(400)
  expect([reads, headers['X-Monthly-Usage']]).toEqual([[], undefined])
})

test('a dry run is not counted, and still has the usage of the month', async () => {
  const { send, reads } = reportEndpoint({ route: routes.retention, tier: 'pro' })
  const { status, headers } = await send({ dry_run: 'true' })
  expect([status, headers['X-Monthly-Usage'], reads]).toEqual([200, '42', []])
})

test('a read with an option that is not `true` or `false` is refused', async () => {
  const { send } = reportEndpoint()
  expect(await send({ receipt: '1' })).toMatchObject({
    status: 400,
    body: { error: 'MISSING_FIELDS', message: 'Parameter `receipt` must be `true` or `false`.' },
  })
})

test('the stack of a failure names the row of a handler without a name', async () => {
  const { send, logged } = reportEndpoint({ handler: () => Promise.reject(new Error('wrong')) })
  expect((await send()).status).toBe(500)
  expect(logged).toEqual([expect.objectContaining({ error: expect.stringContaining('at GET /stats (') })])
})

test('a read that cannot be counted gets its response all the same', async () => {
  const { send, logged } = reportEndpoint({
    addRead: () => Promise.reject(unavailable('the disk is full', 3)),
  })
  expect((await send()).status).toBe(200)
  expect(logged).toEqual([{ code: 'READ_NOT_COUNTED', error: expect.stringContaining('the disk is full') }])
})

test('a read whose caller has gone is not counted, and is not logged as a failure', async () => {
  const caller = new AbortController()
  const { send, reads, logged } = reportEndpoint({
    handler: async () => {
      caller.abort()
      throw caller.signal.reason
    },
  })
  await send({}, { signal: caller.signal })
  expect([reads, logged]).toEqual([[], []])
})

const proRow: Route = { ...routes.stats, tier: 'pro' }

test('a Pro route refuses a free account with PRO_REQUIRED and accepts a Pro account', async () => {
  const free = await reportEndpoint({ route: proRow }).send()
  expect([free.status, free.body.error]).toEqual([403, 'PRO_REQUIRED'])
  expect((await reportEndpoint({ route: proRow, tier: 'pro' }).send()).status).toBe(200)
})

/** Limits of two requests, which count what they are asked. */
function twoRequests() {
  const checked: (readonly Limit[])[] = []
  const check = async (_: unknown, limits: readonly Limit[]): Promise<LimitState> => {
    checked.push(limits)
    const remaining = 2 - checked.length
    const state = { limit: 2, remaining: Math.max(0, remaining), resetsAt: 1_795_000_000_500 }
    if (remaining >= 0) return state
    const message = 'Your plan allows 2 reads a minute. Wait, then try again.'
    return { ...state, exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter: 17.2 } }
  }
  return { checked, limits: { check } }
}

test('where accounts pay, a free account has Pro from the call after its payment on, and an account with Pro costs no read', async () => {
  const profile = profiles.hosted
  const route = { ...routes.stats, tier: 'pro' } as const
  const paid = reportEndpoint({ route, profile, tierNow: 'pro' })
  expect((await paid.send()).status).toBe(200)
  expect(paid.plansRead).toEqual(['acc_1'])
  const unpaid = await reportEndpoint({ route, profile }).send()
  expect([unpaid.status, unpaid.body.error]).toEqual([403, 'PRO_REQUIRED'])
  const pro = reportEndpoint({ route, profile, tier: 'pro' })
  expect((await pro.send()).status).toBe(200)
  const own = reportEndpoint({ tierNow: 'pro' })
  expect((await own.send()).status).toBe(200)
  expect([pro.plansRead, own.plansRead]).toEqual([[], []])
})

test('a request over its limit is refused with Retry-After and the state of the limit', async () => {
  const { send, reads } = reportEndpoint(twoRequests())
  const responses = [await send(), await send(), await send()]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(responses[2]).toMatchObject({
    headers: {
      'Retry-After': '18',
      'X-RateLimit-Limit': '2',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1795000001',
    },
    body: {
      error: 'RATE_LIMITED',
      message: 'Your plan allows 2 reads a minute. Wait, then try again.',
      reason: 'rate_limit',
    },
  })
  expect(reads).toHaveLength(2)
})

test.each([
  ['succeeds', {}, 200],
  ['is refused after that check', { since: 'never' }, 400],
])('a request within its limit that %s shows the state of the limit', async (_, query, status) => {
  const response = await reportEndpoint(twoRequests()).send(query)
  expect([response.status, response.headers['X-RateLimit-Remaining']]).toEqual([status, '1'])
  expect(response.headers['Retry-After']).toBeUndefined()
})

test('each limit of a row is checked, and a dry run asks for no read of the month', async () => {
  const { checked, limits } = twoRequests()
  const endpoint = reportEndpoint({ limits, route: routes.retention, tier: 'pro' })
  await endpoint.send()
  await endpoint.send({ dry_run: 'true' })
  expect(checked).toEqual([['reads_per_minute', 'reads_per_month'], ['reads_per_minute']])
})

test('a route without a limit is not counted toward one', async () => {
  const { limits: _, ...unlimited } = routes.stats
  const { checked, limits } = twoRequests()
  const { headers } = await reportEndpoint({ limits, route: unlimited }).send()
  expect([checked, headers['X-RateLimit-Limit']]).toEqual([[], undefined])
})

test('without limits no header of a limit is sent', async () => {
  expect(Object.keys((await reportEndpoint().send()).headers).join()).not.toContain('RateLimit')
})

test('each check runs before the next one in the order of R8', async () => {
  const exhausted = twoRequests()
  exhausted.checked.push([], [])
  const body = routes.createProject.body
  const row: Route = { ...routes.stats, method: 'POST', body, tier: 'pro' }
  const json = (text: string) => Buffer.from(text)
  // Each request mends the problem of the one before it.
  const bad = { project: '', since: 'never', key: 'aak_2' }
  const requests: [World, Record<string, string>, Uint8Array][] = [
    [{}, bad, json('{')],
    [{}, bad, json('{}')],
    [{}, { ...bad, key: 'aak_1' }, json('{}')],
    [{ tier: 'pro' }, { ...bad, key: 'aak_1' }, json('{}')],
    [{ tier: 'pro', limits: noLimits }, { ...bad, key: 'aak_1' }, json('{}')],
    [{ tier: 'pro', limits: noLimits }, { ...bad, key: 'aak_1', project: 'nowhere' }, json('{}')],
    [{ tier: 'pro', limits: noLimits }, { ...bad, key: 'aak_1', project: 'shop' }, json('{}')],
    [{ tier: 'pro', limits: noLimits }, { key: 'aak_1', project: 'shop' }, json('{"name":"x"}')],
  ]
  const codes = []
  for (const [world, query, bytes] of requests) {
    const { send } = reportEndpoint({ limits: exhausted.limits, route: row, ...world })
    const { status, body } = await send(query, { body: bytes })
    codes.push(status === 200 ? 'OK' : body.error)
  }
  expect(codes).toEqual([
    'INVALID_BODY',
    'AUTH_REQUIRED',
    'PRO_REQUIRED',
    'RATE_LIMITED',
    'PROJECT_REQUIRED',
    'NOT_FOUND',
    'INVALID_SINCE',
    'OK',
  ])
  // A request that is refused before the limit does not use it up.
  expect(exhausted.checked).toHaveLength(3)
})

test('the compiler refuses a response that the row does not promise, and a project that it does not bind', () => {
  const chain = accountChain({} as AccountChainServices)
  const endpoints = [
    // @ts-expect-error the row promises 200 only
    chain(routes.deleteProject)(async ({ project }) => ({
      status: 204,
      body: { ok: true, deleted: project.id },
    })),
    // @ts-expect-error the row binds no project
    chain(routes.listProjects)(async ({ project }) => expect.unreachable(project)),
    // @ts-expect-error a row with a schema takes a body, not a page
    chain(routes.listProjects)(async () => ({ status: 200, headers: {}, body: '<!doctype html>' })),
  ]
  expect(endpoints).toHaveLength(3)
})
