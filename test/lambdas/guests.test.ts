import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { QueryEngine, ScanEstimator } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createTurns } from '#duckdb/reads/turns'
import { routes } from '#schemas/routes'
import { eventually } from '#test/support/eventually'
import { bearer, type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** Readers without an account of their own: of share links, and of the demo (docs/api/limits.md#guests). */

/** A statement that has reached the engine, which the test ends. */
type Started = { isGuest: boolean; end(): void }

let turns = createTurns({ total: 3, perOwner: 2 })
let started: Started[] = []
let running = { guests: 0, most: 0 }
/** The engine holds each statement until the test ends it. */
let isHeld = false
let statements = 0
/** Who asked for the statements that ran since the test began. */
let askedBy: ('account' | 'guest')[] = []

const engine: QueryEngine = {
  async rows(_query, { account = '', order = 0, isGuest = false, signal } = {}) {
    statements++
    askedBy.push(isGuest ? 'guest' : 'account')
    if (!isHeld) return []
    const never = new AbortController().signal
    return turns.take(
      { owner: account, order, isGuest },
      async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        started.push({ isGuest, end: resolve })
        if (isGuest) running.most = Math.max(running.most, ++running.guests)
        await promise
        if (isGuest) running.guests--
        return []
      },
      signal ?? never,
    )
  },
}

let service: HttpService
let project: Project
beforeAll(async () => {
  const estimator: ScanEstimator = {
    async estimate(_query, _sizes, turn) {
      askedBy.push(turn?.isGuest ? 'guest' : 'account')
      return { rowsScanned: 0, bytesScanned: 0, costUsd: 0 }
    },
  }
  service = await openHttpService({ reading: { engine, estimator } })
  project = await service.createProject()
  await service.demo.setProject(await service.createProject())
})
afterAll(() => service.close())
beforeEach(() => {
  service.wait(120_000)
  turns = createTurns({ total: 3, perOwner: 2 })
  started = []
  running = { guests: 0, most: 0 }
  statements = 0
  askedBy = []
})
afterEach(() => {
  isHeld = false
})

async function newLink(of: Project = project, at: HttpService = service) {
  const { body } = await at.call(routes.createShareLink, { id: of.id, body: {} })
  return { id: String(body.id), reader: bearer(String(body.url).split('/').at(-1) ?? '') }
}

async function demoReader() {
  const { access_token } = await service.agentSessions.issueDemo((await service.demo.account()).id)
  return bearer(access_token)
}

const stats = (reader: RequestOptions, query: Record<string, string> = {}, at = service) =>
  at.call(routes.stats, { ...reader, query: { project: project.id, since: '7d', ...query } })

/** Ends each statement as soon as the engine has started it, until the requests are answered. */
async function answer<T>(requests: Promise<T>): Promise<T> {
  let isAnswered = false
  const answered = requests.finally(() => {
    isAnswered = true
  })
  for (let ended = 0; !isAnswered; ) {
    if (ended < started.length) started[ended++]?.end()
    await new Promise(resolve => setImmediate(resolve))
  }
  return answered
}

describe('beside 34 reads of a link', () => {
  test("the owner's statement starts before all statements of the link that wait", async () => {
    const { reader } = await newLink()
    isHeld = true
    const reads = Array.from({ length: 34 }, (_, i) =>
      service.call(routes.query, {
        ...reader,
        body: { project: project.id, date_from: `${i + 1}d`, group_by: ['event'] },
      }),
    )
    await eventually(() => expect(statements).toBeGreaterThanOrEqual(34))
    expect(running.guests).toBe(1)
    const owners = stats({})
    await eventually(() => expect(started.some(({ isGuest }) => !isGuest)).toBe(true))
    // The statement of the link that runs has not ended, and none of those that wait has started.
    expect(started.filter(({ isGuest }) => isGuest)).toHaveLength(1)
    const [own, ...others] = await answer(Promise.all([owners, ...reads]))
    expect(own.status).toBe(200)
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
    expect(running.most).toBe(1)
  })
})

describe('the engine knows the statements of guests', () => {
  const doors: [door: string, ask: () => Promise<unknown>][] = [
    ['a report of a link', async () => stats((await newLink()).reader)],
    [
      'a query of a link',
      async () => service.call(routes.query, { ...(await newLink()).reader, body: { project: 'any' } }),
    ],
    ['a dry run of a link', async () => stats((await newLink()).reader, { dry_run: 'true' })],
    ['a report of the demo', async () => stats(await demoReader(), { project: 'demo' })],
    ['all sites of the demo', async () => service.call(routes.allSites, await demoReader())],
    ['an experiment of the demo', async () => readExperiment(await demoReader())],
    ['a tool of MCP of the demo', async () => callTool(await demoReader())],
  ]
  test.each(doors)('%s', async (_, ask) => {
    await ask()
    expect(askedBy.length).toBeGreaterThan(0)
    expect(new Set(askedBy)).toEqual(new Set(['guest']))
  })

  test('and those of the account of the same project', async () => {
    await stats({})
    await stats({}, { dry_run: 'true', since: '3d' })
    expect(new Set(askedBy)).toEqual(new Set(['account']))
  })

  async function readExperiment(reader: RequestOptions) {
    const demo = await service.demo.project()
    const body = {
      project: demo?.id,
      name: `guests-${service.now()}`,
      variants: ['control', 'blue'],
      goal_event: 'signup',
    }
    const created = await service.call(routes.createExperiment, { body })
    expect(created).toMatchObject({ status: 201 })
    const read = await service.call(routes.readExperiment, { ...reader, id: String(created.body.id) })
    expect(read.status).toBe(200)
  }

  async function callTool(reader: RequestOptions) {
    const client = new Client({ name: 'test', version: '1' })
    const url = new URL(`http://127.0.0.1:${service.port}/mcp`)
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: reader.headers ?? {} } }),
    )
    const result = await client.callTool({ name: 'overview', arguments: { project: 'demo' } })
    await client.close()
    expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
  }
})

describe('a share link', () => {
  test('reads nothing but the reports of its views: no MCP, no stream, no live events, no single experiment', async () => {
    const { reader } = await newLink()
    const asked = [
      service.call(routes.mcp, { ...reader, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
      service.call(routes.stream, { ...reader, query: { project: project.id } }),
      service.call(routes.live, { ...reader, query: { project: project.id } }),
      service.call(routes.readExperiment, { ...reader, id: 'exp_demo_signup_cta' }),
      service.call(routes.allSites, reader),
    ]
    for (const { status } of await Promise.all(asked)) expect(status).toBe(403)
    expect(statements).toBe(0)
  })

  test('counts the statements of a read, and a network is refused with the time to wait', async () => {
    const { reader } = await newLink()
    const first = await stats(reader)
    const second = await stats(reader, { since: '8d' })
    const remaining = [first, second].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(remaining[0]).toBe(359)
    expect(statements).toBeGreaterThan(2)
    expect(remaining[1]).toBe(359 - statements / 2)
    let refused = second
    for (let days = 9; refused.status === 200; days++) refused = await stats(reader, { since: `${days}d` })
    expect(statements).toBe(360)
    expect(refused.body).toMatchObject({ error: 'RATE_LIMITED', reason: 'rate_limit' })
    expect(refused.body.message).toMatch(/^Wait \d+ s, .* 360 statements a minute of one network\.$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await stats({})).status).toBe(200)
  })

  test('that is deleted, or of a deleted project, gets no kept answer', async () => {
    const own = await service.createProject()
    const [gone, other] = [await newLink(own), await newLink(own)]
    expect([(await stats(gone.reader)).status, (await stats(other.reader)).status]).toEqual([200, 200])
    await service.call(routes.deleteShareLink, { id: own.id, part: gone.id })
    expect((await stats(gone.reader)).status).toBe(401)
    expect((await stats(other.reader)).status).toBe(200)
    await service.call(routes.deleteProject, { id: own.id })
    expect([401, 404]).toContain((await stats(other.reader)).status)
  })

  test('that expires within the minute gets no kept answer', async () => {
    service.wait(60_000 - (service.now() % 60_000))
    const body = { expires_at: service.now() + 30_000 }
    const created = await service.call(routes.createShareLink, { id: project.id, body })
    const reader = bearer(String(created.body.url).split('/').at(-1) ?? '')
    expect((await stats(reader)).status).toBe(200)
    service.wait(30_000)
    expect((await stats(reader)).status).toBe(401)
  })
})

describe('a kept answer', () => {
  beforeEach(() => {
    service.wait(60_000 - (service.now() % 60_000))
  })

  test('is that of the same question in the same minute, for all links of the project', async () => {
    const [one, two] = [await newLink(), await newLink()]
    const first = await stats(one.reader)
    const runs = statements
    service.wait(59_000)
    const second = await stats(two.reader, { project: 'whatever they call it' })
    expect(second.text).toBe(first.text)
    expect(statements).toBe(runs)
    service.wait(1_000)
    await stats(two.reader)
    expect(statements).toBe(2 * runs)
  })

  test('tells its age, and how fresh it was when it was computed', async () => {
    const { reader } = await newLink()
    const first = await stats(reader, { receipt: 'true' })
    service.wait(42_000)
    const second = await stats(reader, { receipt: 'true' })
    expect([first, second].map(({ headers }) => headers.get('age'))).toEqual(['0', '42'])
    expect(second.body.receipt).toEqual(first.body.receipt)
    expect(second.headers.get('x-footfall-receipt')).toBe(first.headers.get('x-footfall-receipt'))
  })

  test.each<[difference: string, query: Record<string, string>]>([
    ['interval', { groupBy: 'hour' }],
    ['range', { since: '8d' }],
    ['form', { compact: 'true' }],
  ])('is not that of another %s', async (_, query) => {
    const { reader } = await newLink()
    await stats(reader)
    const runs = statements
    await stats(reader, query)
    expect(statements).toBeGreaterThan(runs)
  })

  test('is not that of another project, of its owner, or from before a change of its time zone', async () => {
    const [here, there] = [await service.createProject(), await service.createProject()]
    const link = await newLink(here)
    await stats(link.reader)
    const runs = statements
    const elsewhere = await stats((await newLink(there)).reader)
    expect(elsewhere.body.project).toBe(there.name)
    await stats({}, { project: here.id })
    expect(statements).toBe(3 * runs)
    await service.call(routes.updateProject, { id: here.id, body: { timezone: 'Asia/Tokyo' } })
    expect((await stats(link.reader)).body.period).toMatchObject({ tz: 'Asia/Tokyo' })
  })
})

describe('the statements of a day', () => {
  let few: HttpService
  beforeAll(async () => {
    few = await openHttpService({ limits: 'guest_statements_per_day=8', reading: { engine } })
  })
  afterAll(() => few.close())

  test('end for all links of a project, which are told when to ask again, and not for its owner', async () => {
    const own = await few.createProject()
    const [one, two] = [await newLink(own, few), await newLink(own, few)]
    for (let days = 1; days <= 9; days++) await stats({}, { project: own.id, since: `${days}d` }, few)
    statements = 0
    let refused = await stats(one.reader, {}, few)
    for (let days = 8; refused.status === 200; days++)
      refused = await stats(two.reader, { since: `${days}d` }, few)
    expect(statements).toBe(8)
    expect(refused.body).toMatchObject({ error: 'RATE_LIMITED', reason: 'daily_statement_limit' })
    expect(refused.body.message).toMatch(/ Ask again after midnight UTC, in 12 h 0 min\.$/)
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3_600))
    const other = await newLink(await few.createProject(), few)
    expect((await stats(other.reader, {}, few)).status).toBe(200)
    expect((await stats({}, { project: own.id, since: '30d' }, few)).status).toBe(200)
    const list = await few.call(routes.listShareLinks, { id: own.id })
    expect(list.body).toMatchObject({ statements_today: 8, statements_per_day: 8 })
    few.wait(12 * 3_600_000)
    expect((await stats(one.reader, {}, few)).status).toBe(200)
  })
})

describe('where executions are few, as on AWS', () => {
  let billed: HttpService
  beforeAll(async () => {
    billed = await openHttpService({
      areReadsBilled: true,
      limits: 'guest_reads_at_once=4',
      reading: { engine },
    })
  })
  afterAll(() => billed.close())

  test('half of the places are the most for the links of one project; the others are told at once', async () => {
    const own = await billed.createProject()
    const { reader } = await newLink(own, billed)
    isHeld = true
    const answers: number[] = []
    const reads = Array.from({ length: 34 }, async (_, i) => {
      const { status, headers } = await stats(reader, { since: `${i + 1}d` }, billed)
      answers.push(status)
      return { status, retryAfter: headers.get('retry-after') }
    })
    await eventually(() => expect(answers).toHaveLength(32))
    expect(new Set(answers)).toEqual(new Set([503]))
    // No read of the link waits for more than its place, so the account finds the engine free.
    const owners = stats({}, { project: own.id }, billed)
    await eventually(() => expect(started.some(({ isGuest }) => !isGuest)).toBe(true))
    const [own_, ...others] = await answer(Promise.all([owners, ...reads]))
    expect(own_.status).toBe(200)
    expect(others.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(new Set(others.map(({ retryAfter }) => retryAfter))).toEqual(new Set([null, '5']))
    isHeld = false
    expect((await stats(reader, { since: '40d' }, billed)).status).toBe(200)
  })
})
