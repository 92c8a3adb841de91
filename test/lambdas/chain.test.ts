import { expect, test } from 'vitest'
import type { Account } from '#core/accounts/caller'
import { ApiError, unavailable } from '#core/errors'
import type { Project } from '#core/projects/project'
import { accountChain, type ChainServices } from '#lambdas/chain'
import type { HttpRequest } from '#lambdas/http'
import { httpFunction } from '#lambdas/http-function'
import { routes } from '#schemas/routes'

const account = { id: 'acc_1' } as Account
const project = { id: 'proj_1', account_id: 'acc_1', name: 'shop', deleted_at: null } as Project

/** Report functions over one account and one project, with what they counted and logged. */
function reports(
  handler: () => Promise<unknown>,
  count = async (reads: unknown[], read: unknown[]) => void reads.push(read),
) {
  const reads: unknown[] = []
  const logged: unknown[] = []
  const services: ChainServices = {
    accounts: { byApiKey: async key => (key === 'aak_1' ? account : null) },
    projects: { resolve: async (_, name) => (name === 'shop' ? project : null), byId: async () => null },
    usage: {
      addEvents: async () => {},
      addBots: async () => {},
      addRead: (...read) => count(reads, read),
      totals: async () => ({ events: 0, reads: 0 }),
      month: async (owner, month) => ({
        events: owner === 'acc_1' && month === '2026-11' ? 42 : 0,
        reads: 0,
        days: {},
      }),
    },
    clock: { now: () => Date.UTC(2026, 10, 30, 23, 59) },
    log: (code, fields) => void logged.push({ code, ...fields }),
    baseUrl: 'https://a.example',
  }
  const chain = accountChain(services)
  const answer = chain(routes.stats)(async () => ({ status: 200, body: (await handler()) as never }))
  const call = httpFunction<'reports'>(services.log, { stats: answer, events: answer })
  const ask = (query: Record<string, string> = {}, signal?: AbortSignal) =>
    call(routes.stats, {
      method: 'GET',
      path: '/stats',
      params: {},
      query: { project: 'shop', key: 'aak_1', ...query },
      headers: {},
      body: new Uint8Array(),
      ip: null,
      ...(signal && { signal }),
    })
  return { ask, reads, logged }
}

test('a read that succeeds is counted once, for its project, its account and its UTC day', async () => {
  const { ask, reads } = reports(async () => ({ ok: 1 }))
  const { status, headers } = await ask()
  expect([status, headers['X-Monthly-Usage']]).toEqual([200, '42'])
  expect(reads).toEqual([['proj_1', 'acc_1', '2026-11-30']])
})

test.each([
  ['is refused', { since: 'never' }, async () => ({})],
  ['fails', {}, () => Promise.reject(unavailable('busy', 3))],
])('a read that %s is not counted', async (_, query, handler) => {
  const { ask, reads } = reports(handler)
  expect((await ask(query)).status).toBeGreaterThanOrEqual(400)
  expect(reads).toEqual([])
})

test('a read that cannot be counted is answered all the same', async () => {
  const { ask, logged } = reports(
    async () => ({ ok: 1 }),
    () => Promise.reject(unavailable('the disk is full', 3)),
  )
  expect((await ask()).status).toBe(200)
  expect(logged).toEqual([{ code: 'READ_NOT_COUNTED', error: expect.stringContaining('the disk is full') }])
})

test('an error of ours answers with its status, its fields and its headers', async () => {
  const error = new ApiError('UNAVAILABLE', 'busy', { retryAfter: 2.1, fields: { queue: 3, error: 'no' } })
  const { status, body, headers } = await reports(() => Promise.reject(error)).ask()
  expect(JSON.parse(String(body))).toEqual({ error: 'UNAVAILABLE', message: 'busy', queue: 3 })
  expect([status, headers['Retry-After'], headers['Access-Control-Allow-Origin']]).toEqual([503, '3', '*'])
})

test('a defect answers 500 without its text, and the log has no address with a key in it', async () => {
  const { ask, logged } = reports(() => Promise.reject(new TypeError('x is not a function')))
  const { status, body } = await ask()
  expect([status, JSON.parse(String(body))]).toEqual([
    500,
    { error: 'INTERNAL_ERROR', message: 'internal error' },
  ])
  expect(logged).toEqual([
    { code: 'REQUEST_FAILED', route: 'GET /stats', error: expect.stringContaining('x is not a function') },
  ])
  expect(JSON.stringify(logged)).not.toContain('aak_1')
})

test('work that ends because its caller has gone is not counted, and is no defect', async () => {
  const caller = new AbortController()
  const { ask, reads, logged } = reports(async () => {
    caller.abort()
    throw caller.signal.reason
  })
  await ask({}, caller.signal)
  expect([reads, logged]).toEqual([[], []])
})

test('a row of another function is a defect', async () => {
  const call = httpFunction<'reports'>(() => {}, {
    stats: () => expect.unreachable(),
    events: () => expect.unreachable(),
  })
  expect((await call(routes.health, {} as HttpRequest)).status).toBe(500)
})

test('the compiler refuses a row without an endpoint, and an answer that the row does not promise', () => {
  const never = () => expect.unreachable()
  const chain = accountChain({} as ChainServices)
  const refused = [
    // @ts-expect-error the row `events` has no endpoint
    httpFunction<'reports'>(() => {}, { stats: never }),
    // @ts-expect-error the row promises 200 only
    chain(routes.deleteProject)(async ({ project }) => ({
      status: 204,
      body: { ok: true, deleted: project.id },
    })),
    // @ts-expect-error the row binds no project
    chain(routes.listProjects)(async ({ project }) => expect.unreachable(project)),
  ]
  expect(refused).toHaveLength(3)
})
