import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import type { RecordedEvent } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import { openEventStream } from '#test/support/event-stream-client'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { liveRecord, writeLive } from '#test/support/live-records'

const HEARTBEAT = 'heartbeat'

let service: HttpService
let sequence = 0
beforeAll(async () => {
  service = await openHttpService({ streams: { maxMs: Number.POSITIVE_INFINITY, heartbeatMs: 3_600_000 } })
})
afterAll(() => service.close())

/** Requests a stream of a project. */
function request(
  project: Pick<Project, 'name'>,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
  of = service,
) {
  const search = new URLSearchParams({ project: project.name, ...query })
  return openEventStream(of, `/stream?${search}`, { 'X-API-Key': of.key, ...headers })
}

/** Opens a stream of a project and waits for its first block. */
async function open(...args: Parameters<typeof request>) {
  const client = request(...args)
  await client.waitFor(1)
  return client
}

/** Makes events arrive now. */
async function track(
  project: Pick<Project, 'id'>,
  events: Partial<RecordedEvent>[],
  shard = 's',
  of = service,
) {
  sequence += 1
  await writeLive(of.buffer, project.id, shard, [liveRecord(sequence, of.now(), events, 'DE')])
}

const names = (client: ReturnType<typeof openEventStream>) => client.tracked().map(({ event }) => event)

describe('GET /stream', () => {
  test('begins with the block `connected` and sends each event in the documented form', async () => {
    const project = await service.createProject()
    const client = await open(project, { events: 'signup,,page_view', filter: 'path:/a:b;' })
    expect(client.status()).toBe(200)
    expect(client.header('content-type')).toBe('text/event-stream')
    expect(client.header('cache-control')).toBe('no-store')
    expect(client.header('access-control-allow-origin')).toBe('*')
    const filters = { events: ['signup', 'page_view'], properties: { path: '/a:b' } }
    const connected = { project: project.name, filters, timestamp: service.now() }
    expect(client.blocks()).toEqual([{ event: 'connected', data: connected, id: expect.any(String) }])

    await track(project, [
      { event: 'signup', properties: { path: '/a:b', text: 'ü\n\n' }, user_id: 'u', session_id: 's' },
    ])
    await client.waitFor(2)
    const [, block] = client.blocks()
    expect(block).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      event: 'track',
      data: {
        id: block?.id,
        event: 'signup',
        properties: { path: '/a:b', text: 'ü\n\n' },
        user_id: 'u',
        session_id: 's',
        timestamp: service.now(),
        country: 'DE',
      },
    })
    // Between the head of the response and the sizes of the chunks there is no carriage return.
    expect(client.raw()).toContain('\nevent: track\ndata: {')
    expect(client.raw()).not.toMatch(/(event|data|id): [^\n]*\r\n(event|data)/)
  })

  test('sends no event that arrived before it was opened, and no event of another project', async () => {
    const [project, other] = [await service.createProject(), await service.createProject()]
    await track(project, [{ event: 'before' }])
    service.wait(1)
    const client = await open(project)
    await track(other, [{ event: 'foreign' }])
    await track(project, [{ event: 'after' }])
    await client.waitFor(2)
    expect(names(client)).toEqual(['after'])
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['all events', {}, ['a', 'b', 'c', 'd', 'e', 'f']],
    ['names', { events: 'b,d' }, ['b', 'd']],
    ['a number by its text', { filter: 'n:5' }, ['a', 'b']],
    ['a boolean by its text', { filter: 'ok:true' }, ['c']],
    ['the empty string', { filter: 't:' }, ['d']],
    ['all pairs', { filter: 'n:5;t:x' }, ['b']],
    ['a value with a colon, before a last semicolon', { filter: 'u:http://x;' }, ['f']],
    ['names and pairs', { events: 'a', filter: 'n:5' }, ['a']],
    ['no object, no null and no inherited property', { filter: 'toString:x' }, []],
  ])('passes %s', async (_, query, expected) => {
    const project = await service.createProject()
    const client = await open(project, query)
    const everything = await open(project)
    await track(project, [
      { event: 'a', properties: { n: 5 } },
      { event: 'b', properties: { n: '5', t: 'x' } },
      { event: 'c', properties: { ok: true, n: null } },
      { event: 'd', properties: { t: '' } },
      { event: 'e', properties: { n: { x: 5 } } },
      { event: 'f', properties: { u: 'http://x' } },
    ])
    await everything.waitFor(7)
    await client.waitFor(1 + expected.length)
    expect(names(client)).toEqual(expected)
  })

  test.each(['path', ':x', 'a:b;;c:d', ';a:b', 'a:b;c'])('refuses filter=%s', async filter => {
    const { name } = await service.createProject()
    const { status, body } = await service.call(routes.stream, { query: { project: name, filter } })
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toBe('Parameter `filter` must be pairs such as `path:/pricing;utm_source:news`.')
  })

  test('refuses oversized filters', async () => {
    const { name } = await service.createProject()
    for (const query of [{ events: 'a'.repeat(4_097) }, { filter: `a:${'b'.repeat(4_096)}` }] as Record<
      string,
      string
    >[]) {
      const { body } = await service.call(routes.stream, {
        query: { project: name, ...query },
      })
      expect([body.error, body.message]).toEqual([
        'MISSING_FIELDS',
        expect.stringContaining('longer than 4096'),
      ])
    }
  })

  test('counts as one read when it is opened', async () => {
    const project = await service.createProject()
    await open(project)
    await eventually(async () => expect((await service.usage.totals([project.id]))[0]?.reads).toBe(1))
  })

  test('has no body for HEAD, and holds no place among the open streams afterwards', async () => {
    const account = await service.accounts.create({
      email: 'h@example.com',
      tier: 'pro',
      complimentary: true,
    })
    await service.createProject(account)
    const headers = { 'X-API-Key': await service.accounts.issueApiKey(account.id) }
    for (let i = 0; i < 12; i++) {
      const response = await fetch(`http://127.0.0.1:${service.port}/stream`, { method: 'HEAD', headers })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })
})

describe('Last-Event-ID', () => {
  test('brings the matches since that event, then the new ones, each once', async () => {
    const project = await service.createProject()
    const before = await open(project)
    for (const event of ['a', 'b', 'c']) await track(project, [{ event }])
    await before.waitFor(4)
    before.close()
    await track(project, [{ event: 'd' }, { event: 'e' }, { event: 'x' }])
    const lastId = before.blocks()[2]?.id ?? ''
    const after = await open(project, { events: 'a,b,c,d,e,f' }, { 'Last-Event-ID': lastId })
    await after.waitFor(4)
    await track(project, [{ event: 'f' }])
    await after.waitFor(5)
    expect(names(after)).toEqual(['c', 'd', 'e', 'f'])
  })

  test('of the block `connected` brings the matches since then, to a client that has got none before', async () => {
    const project = await service.createProject()
    const first = await open(project, { events: 'match' })
    await track(project, [{ event: 'other' }])
    const lastId = first.blocks()[0]?.id ?? ''
    first.close()
    service.wait(2_000)
    await track(project, [{ event: 'match' }, { event: 'other' }])
    const second = await open(project, { events: 'match' }, { 'Last-Event-ID': lastId })
    await second.waitFor(2)
    expect(names(second)).toEqual(['match'])
    // A client that is cut off again before it gets the match still has its old id.
    expect(second.blocks()[0]).not.toHaveProperty('id')
  })

  test('of an erased person brings nothing of that person', async () => {
    const project = await service.createProject()
    const client = await open(project)
    await track(project, [{ event: 'a', user_id: 'bob' }, { event: 'b', user_id: 'ada' }, { event: 'c' }])
    await client.waitFor(4)
    await service.identity.removePerson(await service.identity.scopeOf(project), ['ada'])
    // The list of erasures is read once a second.
    service.wait(2_000)
    await track(project, [{ event: 'd', user_id: 'ada' }])
    await client.waitFor(5)
    const resumed = await open(project, {}, { 'Last-Event-ID': client.blocks()[1]?.id ?? '' })
    await resumed.waitFor(3)
    expect(names(resumed)).toEqual(['c', 'd'])
    const { body } = await service.call(routes.live, { query: { project: project.name } })
    // What arrives after the erasure is of a new person with the same id.
    expect((body.recent_events as { event: string }[]).map(({ event }) => event)).toEqual(['d', 'c', 'a'])
  })

  test('of an event that has left the buffer brings all that is buffered', async () => {
    const project = await service.createProject()
    const first = await open(project)
    await track(project, [{ event: 'lost' }])
    await first.waitFor(2)
    const lastId = first.blocks()[1]?.id ?? ''
    service.wait(400_000)
    await track(project, [{ event: 'a' }, { event: 'b' }])
    const second = await open(project, {}, { 'Last-Event-ID': lastId })
    await second.waitFor(3)
    expect(names(second)).toEqual(['a', 'b'])
  })

  test('repeats at most the last two seconds of another shard', async () => {
    const project = await service.createProject()
    await track(project, [{ event: 'old' }], 's2')
    service.wait(2_001)
    await track(project, [{ event: 'near' }], 's2')
    service.wait(100)
    const first = await open(project)
    await track(project, [{ event: 'last' }], 's1')
    await first.waitFor(2)
    const lastId = first.blocks()[1]?.id ?? ''
    const second = await open(project, {}, { 'Last-Event-ID': lastId })
    await second.waitFor(2)
    await track(project, [{ event: 'new' }], 's1')
    await second.waitFor(3)
    expect(names(second)).toEqual(['near', 'new'])
  })

  test.each(['', 'x', '01M80T967900040477TXRM000', '\u00e9'])(
    'that is no id of an event (%s) is ignored',
    async id => {
      const project = await service.createProject()
      await track(project, [{ event: 'before' }])
      service.wait(1)
      const client = await open(project, {}, { 'Last-Event-ID': id })
      await track(project, [{ event: 'after' }])
      await client.waitFor(2)
      expect(names(client)).toEqual(['after'])
    },
  )
})

describe('Last-Event-ID after many bytes', () => {
  const text = 'x'.repeat(8_000)
  /** 16 records of 80 KB each, with an id before all of them. */
  async function fill() {
    const project = await service.createProject()
    const first = await open(project)
    const id = first.blocks()[0]?.id ?? ''
    first.close()
    for (let i = 1; i <= 16; i++) {
      const events = Array.from({ length: 10 }, () => ({ event: `e${i}`, properties: { text } }))
      await track(project, events)
    }
    return { project, resume: (headers: Record<string, string>) => ({ 'Last-Event-ID': id, ...headers }) }
  }

  test('gives a demo session the newest half a megabyte, and an account all', async () => {
    const { project, resume } = await fill()
    await service.demo.setProject(project)
    const { access_token } = await service.agentSessions.issueDemo((await service.demo.account()).id)
    const owner = await open(project, {}, resume({}))
    await owner.waitFor(161)
    const search = new URLSearchParams({ project: 'demo' })
    const guest = openEventStream(
      service,
      `/stream?${search}`,
      resume({ Authorization: `Bearer ${access_token}` }),
    )
    await eventually(async () => expect(names(guest).filter(event => event === 'e16')).toHaveLength(10))
    const got = new Set(names(guest))
    expect([got.has('e1'), got.size < 8]).toEqual([false, true])
    for (const client of [owner, guest]) client.close()
  })
})

describe('the limit of open streams', () => {
  test('is ten for an account; a closed stream makes room for another', async () => {
    const account = await service.accounts.create({
      email: 's@example.com',
      tier: 'pro',
      complimentary: true,
    })
    const project = await service.createProject(account)
    const mine = { 'X-API-Key': await service.accounts.issueApiKey(account.id) }
    const clients = []
    for (let i = 0; i < 10; i++) clients.push(await open(project, {}, mine))
    const refused = await service.call(routes.stream, { key: null, headers: mine })
    expect([refused.status, refused.body.error]).toEqual([429, 'STREAM_LIMIT'])
    expect(refused.headers.get('Retry-After')).toBe('30')
    expect(refused.headers.get('X-RateLimit-Limit')).toBe('10')
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect(Number(refused.headers.get('X-RateLimit-Reset'))).toBe(Math.ceil(service.now() / 1_000) + 30)
    clients[3]?.close()
    await eventually(async () => {
      const client = request(project, {}, mine)
      // A refused request has a status and no block.
      await eventually(() => expect(client.status()).toBeGreaterThan(0), { everyMs: 20 })
      expect(client.status()).toBe(200)
    })
  })
})

/** The times of a stream that never come. */
const NEVER = {
  heartbeatMs: Number.POSITIVE_INFINITY,
  checkMs: Number.POSITIVE_INFINITY,
  maxMs: Number.POSITIVE_INFINITY,
}

describe('an open stream', () => {
  /** A service of its own, whose clock a test can move without an effect on other streams. */
  async function openWith(streams: Parameters<typeof openHttpService>[0]) {
    const own = await openHttpService(streams)
    return { own, project: await own.createProject() }
  }

  test('sends heartbeats while it has nothing else to send', async () => {
    const { own, project } = await openWith({ streams: { ...NEVER, heartbeatMs: 30_000 } })
    const client = await open(project, {}, {}, own)
    for (let heartbeats = 1; heartbeats <= 3; heartbeats++) {
      own.wait(30_000)
      await client.waitFor(1 + heartbeats)
    }
    expect(client.blocks().map(({ comment }) => comment)).toEqual([
      undefined,
      HEARTBEAT,
      HEARTBEAT,
      HEARTBEAT,
    ])
    expect(client.raw()).toContain(':heartbeat\n\n')
    client.close()
    await own.close()
  })

  test('sends no heartbeat while events follow each other within its time', async () => {
    const { own, project } = await openWith({ streams: { ...NEVER, heartbeatMs: 1_000 } })
    const client = await open(project, {}, {}, own)
    for (let events = 1; events <= 15; events++) {
      own.wait(999)
      await track(project, [{}], 's', own)
      await client.waitFor(1 + events)
    }
    expect(client.tracked()).toHaveLength(15)
    expect(client.blocks().filter(({ comment }) => comment === HEARTBEAT)).toEqual([])
    client.close()
    await own.close()
  })

  test('ends after a time without a match, as a whole response', async () => {
    const { own, project } = await openWith({ streams: NEVER })
    const idleMs = own.profile.stream_idle_minutes * 60_000
    const client = await open(project, { events: 'match' }, {}, own)
    const everything = await open(project, {}, {}, own)
    let isEnded = false
    void client.ended.then(() => {
      isEnded = true
    })
    // Each match starts the time again.
    for (let matches = 1; matches <= 2; matches++) {
      own.wait(idleMs - 1)
      await track(project, [{ event: 'match' }], 's', own)
      await client.waitFor(1 + matches)
      await everything.waitFor(1 + matches)
    }
    // No other event does.
    let others = 0
    await eventually(async () => {
      own.wait(idleMs / 2)
      await track(project, [{ event: 'other' }], 's', own)
      others += 1
      await everything.waitFor(3 + others)
      expect(isEnded).toBe(true)
    })
    expect(names(client)).toEqual(['match', 'match'])
    expect(client.raw()).toMatch(/\r\n0\r\n\r\n$/)
    everything.close()
    await own.close()
  })

  test.each<[string, (service: HttpService, project: Project, account: Account, session: string) => unknown]>(
    [
      [
        'its agent session is revoked',
        ({ agentSessions }, _, { id }, session) => agentSessions.revoke(id, session),
      ],
      ['its project is deleted', ({ projects }, project) => projects.remove(project)],
      ['its account is no longer Pro', ({ accounts }, _, { id }) => accounts.applyPlan(id, 'free', 1)],
    ],
  )('ends when %s', async (_, change) => {
    const own = await openHttpService({ profile: 'hosted', streams: { ...NEVER, checkMs: 60_000 } })
    const account = await own.accounts.create({ email: 'p@example.com', tier: 'pro', complimentary: false })
    const project = await own.createProject(account)
    const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
    const session = await own.agentSessions.issue(account.id, { ...client, scopes: ['live:read'] })
    const headers = { Authorization: `Bearer ${session.access_token}` }
    const stream = openEventStream(own, `/stream?project=${project.name}`, headers)
    for (let checks = 0; checks < 3; checks++) {
      await stream.waitFor(1 + checks)
      own.wait(60_000)
      await track(project, [{ event: 'still open' }], 's', own)
    }
    await stream.waitFor(4)
    await change(own, project, account, session.id)
    own.wait(60_000)
    await stream.ended
    expect(stream.blocks()).toHaveLength(4)
    await own.close()
  })

  test('loses no event when it is cut again and again, as on AWS, while events arrive in two shards', async () => {
    const maxMs = 120
    const { own, project } = await openWith({ streams: { ...NEVER, maxMs } })
    const sent = Array.from({ length: 40 }, (_, i) => `e${i}`)
    const got: string[] = []
    let lastId: string | undefined
    /**
     * Reads a stream until it is cut. Some of the events come before it is open, some while it is, or later.
     */
    async function readOne(events: readonly string[]): Promise<void> {
      const client = request(project, {}, lastId === undefined ? {} : { 'Last-Event-ID': lastId }, own)
      for (const [i, event] of events.entries()) {
        await track(project, [{ event }], i % 3 === 0 ? 's2' : 's1', own)
        own.wait(40)
      }
      await client.waitFor(1)
      own.wait(maxMs)
      await client.ended
      got.push(...names(client).map(String))
      lastId = client.blocks().findLast(({ id }) => id !== undefined)?.id ?? lastId
    }
    await readOne([])
    for (let at = 0; at < sent.length; at += 5) await readOne(sent.slice(at, at + 5))
    await readOne([])
    expect(sent.filter(event => !got.includes(event))).toEqual([])
    await own.close()
  })

  test('ends as a whole response when the service stops', async () => {
    const { own, project } = await openWith({ streams: NEVER })
    const client = await open(project, {}, {}, own)
    await own.close()
    await client.ended
    // The server would cut a stream that does not end by itself.
    expect(client.raw()).toMatch(/\r\n0\r\n\r\n$/)
  })
})

test('none of these requests was logged as a failure', () => {
  expect(service.logged).toEqual([])
})
