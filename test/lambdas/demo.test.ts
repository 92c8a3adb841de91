import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { QueryEngine } from '#core/ports'
import { routes } from '#schemas/routes'
import { openEventStream } from '#test/support/event-stream-client'
import { eventually } from '#test/support/eventually'
import {
  DEV_APPROVE_SECRET,
  type HttpService,
  openHttpService,
  type RequestOptions,
} from '#test/support/http-service'

/**
 * What is open to everybody: the demo (U65), and what must not be, POST /dev/approve
 * (docs/api/agent-sessions.md).
 */

let service: HttpService
let statements = 0
/** Waits before each statement of the engine. */
let slow: Promise<void> = Promise.resolve()
const engine: QueryEngine = {
  async rows() {
    statements++
    await slow
    return []
  },
}
beforeAll(async () => {
  service = await openHttpService({
    streams: { maxMs: Number.POSITIVE_INFINITY, heartbeatMs: 3_600_000 },
    limits: 'open_streams=2',
    reading: { engine },
  })
  await service.demo.setProject(await service.createProject())
})
afterAll(() => service.close())
beforeEach(() => {
  service.wait(120_000)
  statements = 0
  slow = Promise.resolve()
})

async function demoSession(): Promise<RequestOptions & { headers: Record<string, string> }> {
  const { access_token } = await service.agentSessions.issueDemo((await service.demo.account()).id)
  return { key: null, headers: { Authorization: `Bearer ${access_token}` } }
}

const stats = (session: RequestOptions, query: Record<string, string> = {}) =>
  service.call(routes.stats, { ...session, query: { project: 'demo', ...query } })

describe('the demo', () => {
  test('has one project, in the list and in the count of the account', async () => {
    const session = await demoSession()
    const { body: list } = await service.call(routes.listProjects, session)
    const { body: account } = await service.call(routes.readAccount, session)
    expect([(list.projects as unknown[]).length, account.projects_count]).toEqual([1, 1])
  })

  test('is read 60 times a minute by a session, and another session reads on', async () => {
    const [one, two] = [await demoSession(), await demoSession()]
    for (let i = 0; i < 60; i++) expect((await stats(one)).status).toBe(200)
    const refused = await stats(one)
    expect([refused.status, refused.body.error, refused.body.reason]).toEqual([
      429,
      'RATE_LIMITED',
      'rate_limit',
    ])
    expect(refused.body.message).not.toMatch(/free plan|agent\/API read|Upgrade/i)
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60')
    expect((await stats(two)).status).toBe(200)
    service.wait(Number(refused.headers.get('retry-after')) * 1_000)
    expect((await stats(one)).status).toBe(200)
  })

  test('is read 600 times a minute by all sessions of a network', async () => {
    const sessions = await Promise.all(Array.from({ length: 11 }, demoSession))
    const answers = await Promise.all(
      sessions.flatMap(session => Array.from({ length: 60 }, async () => (await stats(session)).status)),
    )
    expect(answers.filter(status => status === 200)).toHaveLength(600)
    expect(answers.filter(status => status === 429)).toHaveLength(60)
  })

  test('runs the same question of ten sessions once, and another question by itself', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, demoSession))
    await stats(sessions[0] as RequestOptions, { since: '3d' })
    const alone = statements
    service.wait(2_000)
    const { promise, resolve } = Promise.withResolvers<void>()
    slow = promise
    statements = 0
    const running = sessions.map(session => stats(session))
    // Another caller of the same project runs by itself.
    const owners = service.call(routes.stats, {
      query: { project: (await service.demo.project())?.id ?? '' },
    })
    const other = stats(sessions[0] as RequestOptions, { since: '1d' })
    resolve()
    const answers = await Promise.all(running)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    for (const { status, headers } of answers) {
      expect(status).toBe(200)
      expect(headers.get('x-footfall-receipt')).toMatch(/rows=/)
      expect(headers.get('x-ratelimit-limit')).toBe('60')
    }
    expect([(await owners).status, (await other).status]).toEqual([200, 200])
    expect(statements).toBe(3 * alone)
    expect((await other).text).not.toBe(answers[0]?.text)
  })

  test('answers a question again that was answered in the same minute without another run', async () => {
    const [one, two] = [await demoSession(), await demoSession()]
    service.wait(60_000 - (service.now() % 60_000))
    const first = await stats(one)
    const runs = statements
    service.wait(59_000)
    expect((await stats(two)).text).toBe(first.text)
    expect(statements).toBe(runs)
    service.wait(1_000)
    await stats(two)
    expect(statements).toBe(2 * runs)
  })

  test('keeps no failed answer', async () => {
    const one = await demoSession()
    slow = Promise.reject(new Error('The engine has failed.'))
    slow.catch(() => {})
    expect((await stats(one, { since: '9d' })).status).toBe(500)
    slow = Promise.resolve()
    expect((await stats(one, { since: '9d' })).status).toBe(200)
    service.logged.length = 0
  })

  test('gives each session streams of its own', async () => {
    const [one, two] = [await demoSession(), await demoSession()]
    const open = (session: typeof one) => openEventStream(service, '/stream?project=demo', session.headers)
    const first = [open(one), open(one)]
    await Promise.all(first.map(client => client.waitFor(1)))
    const refused = await service.call(routes.stream, one)
    expect([refused.status, refused.body.error]).toEqual([429, 'STREAM_LIMIT'])
    const second = open(two)
    await second.waitFor(1)
    expect(second.status()).toBe(200)
    for (const client of [...first, second]) client.close()
  })
})

describe('the open streams of the demo', () => {
  /** Opens a stream of a new session. Returns its status, and the message of a refusal. */
  async function openNew(of: HttpService) {
    const { access_token } = await of.agentSessions.issueDemo((await of.demo.account()).id)
    const client = openEventStream(of, '/stream?project=demo', { Authorization: `Bearer ${access_token}` })
    await eventually(() => expect(client.status()).toBeGreaterThan(0), { everyMs: 10 })
    return client
  }

  test.each([
    ['of one network', 'guest_network_streams=3', '3 open streams for the demo sessions of your network'],
    ['of all together', 'guest_streams=3', '3 open streams for all demo sessions together'],
  ])('%s are bounded, whatever number of sessions has them', async (_, limits, message) => {
    const own = await openHttpService({ streams: { maxMs: Number.POSITIVE_INFINITY }, limits })
    await own.demo.setProject(await own.createProject())
    const open = []
    for (let i = 0; i < 3; i++) open.push(await openNew(own))
    expect(open.map(client => client.status())).toEqual([200, 200, 200])
    const { access_token } = await own.agentSessions.issueDemo((await own.demo.account()).id)
    const session = { key: null, headers: { Authorization: `Bearer ${access_token}` } }
    const refused = await own.call(routes.stream, session)
    expect([refused.status, refused.body.error]).toEqual([429, 'STREAM_LIMIT'])
    expect(refused.body.message).toContain(message)
    expect(refused.body.message).toContain('read GET /live with `after`')
    expect(refused.headers.get('retry-after')).toBe('30')
    // A refused stream leaves no place behind, and an account has places of its own.
    const owners = openEventStream(own, '/stream', { 'X-API-Key': own.key })
    await owners.waitFor(1)
    open[0]?.close()
    await eventually(async () => {
      const next = await openNew(own)
      expect(next.status()).toBe(200)
      open.push(next)
    })
    for (const client of [owners, ...open]) client.close()
    await own.close()
  })
})

describe('POST /dev/approve', () => {
  async function approve(headers: Record<string, string>, secret = DEV_APPROVE_SECRET) {
    const { request } = await service.authRequests.start({
      client_type: 'cli',
      mode: 'detached',
      scopes: ['analytics:read'],
    })
    const body = { secret, auth_request_id: request.id, email: 'dev@example.com' }
    const { status, body: answer } = await service.call(routes.devApprove, { key: null, headers, body })
    return { status, error: answer.error, now: (await service.authRequests.get(request.id))?.status }
  }
  test('approves with the secret', async () => {
    expect(await approve({})).toMatchObject({ status: 200, now: 'approved' })
  })

  test.each<[what: string, headers: Record<string, string>, secret: string, status: number, error: string]>([
    ['without the secret', {}, '', 400, 'MISSING_FIELDS'],
    ['with another secret', {}, `aad_${'00'.repeat(32)}`, 401, 'AUTH_REQUIRED'],
    ['from a page in a browser', { Origin: 'http://localhost:8787' }, DEV_APPROVE_SECRET, 403, 'FORBIDDEN'],
    ['through a proxy', { 'X-Forwarded-For': '127.0.0.1' }, DEV_APPROVE_SECRET, 404, 'NOT_FOUND'],
    [
      'through a proxy of the newer kind',
      { Forwarded: 'for=127.0.0.1' },
      DEV_APPROVE_SECRET,
      404,
      'NOT_FOUND',
    ],
  ])('does nothing %s', async (_what, headers, secret, status, error) => {
    expect(await approve(headers, secret)).toEqual({ status, error, now: 'pending' })
  })
})
