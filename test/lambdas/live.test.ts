import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { liveRecord, writeLive } from '#test/support/live-records'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({ profile: 'hosted' })
})
afterAll(() => service.close())

const { live } = routes

describe('GET /live', () => {
  test('shows the events of the last minute, and counts as a read of the project', async () => {
    const { id, name } = await service.createProject()
    await writeLive(service.buffer, id, 's', [
      liveRecord(1, service.now() - 90_000, [{}]),
      liveRecord(2, service.now(), [{ user_id: 'u', properties: { path: '/a' } }], 'DE'),
    ])
    const { status, body, headers } = await service.call(live, { query: { project: name } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      project: name,
      window_seconds: 60,
      timestamp: service.now(),
      active_visitors: 1,
      events_per_minute: 1,
      top_pages: [{ path: '/a', visitors: 1 }],
      countries: [{ country: 'DE', visitors: 1, sessions: 0, events: 1 }],
    })
    expect(body.receipt).toBe(undefined)
    expect(headers.get('X-Footfall-Receipt')).toMatch(/^engine=null; rows=1; .*exact=true/)
    expect(headers.get('X-Monthly-Usage')).toBe('0')
    expect((await service.usage.totals([id]))[0]?.reads).toBe(1)
    const wide = await service.call(live, { query: { project: id, window: '300', receipt: 'true' } })
    expect(wide.body).toMatchObject({ events_per_minute: 0, receipt: { rows: 2, engine: null } })
  })

  test.each(['9', '301', '60.5', 'x', '', '-60'])('refuses window=%s', async window => {
    const { name } = await service.createProject()
    const { status, body } = await service.call(live, { query: { project: name, window } })
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toBe('Parameter `window` must be a whole number from 10 to 300.')
  })

  test('tells how to follow, and with its cursor shows only what came since', async () => {
    const { id, name } = await service.createProject()
    await writeLive(service.buffer, id, 's', [liveRecord(1, service.now(), [{ event: 'first' }])])
    const { body } = await service.call(live, { query: { project: name } })
    expect(body).toMatchObject({ follow: 'stream', recent_events: [{ event: 'first' }] })
    service.wait(3_000)
    await writeLive(service.buffer, id, 's', [liveRecord(2, service.now(), [{ event: 'second' }])])
    service.wait(3_000)
    const after = String(service.now() - 4_000)
    const next = await service.call(live, { query: { project: name, after } })
    expect(next.body).toMatchObject({ window_seconds: 2, recent_events: [{ event: 'second' }] })
    expect(next.body.cursor).toBe(String(service.now() - 2_000))
  })

  test.each(['', 'x', '-1', '1.5', '1'.repeat(16), '1'.repeat(5_000)])('refuses after=%s', async after => {
    const { name } = await service.createProject()
    const { status, body } = await service.call(live, { query: { project: name, after } })
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toBe('Parameter `after` must be the `cursor` of an earlier answer.')
  })

  test('without a project shows the oldest project of the account', async () => {
    const account = await service.accounts.create({
      email: 'a@example.com',
      tier: 'pro',
      complimentary: true,
    })
    const key = await service.accounts.issueApiKey(account.id)
    const none = await service.call(live, { key })
    expect([none.status, none.body.error]).toEqual([400, 'PROJECT_REQUIRED'])
    const first = await service.createProject(account)
    service.wait(1_000)
    await service.createProject(account)
    for (const query of [{}, { project: '' }] as Record<string, string>[]) {
      expect((await service.call(live, { key, query })).body.project).toBe(first.name)
    }
  })

  test('shows a demo session the demo project, whatever it names', async () => {
    const { name, ...project } = await service.createProject()
    await service.demo.setProject(project)
    const { agent_session } = (await service.call(routes.createDemoSession)).body as {
      agent_session: { access_token: string }
    }
    const headers = { Authorization: `Bearer ${agent_session.access_token}` }
    for (const query of [{}, { project: 'any' }] as Record<string, string>[]) {
      expect((await service.call(live, { key: null, headers, query })).body.project).toBe(name)
    }
  })
})

describe.each([live, routes.stream])('$path', route => {
  test('needs the scope live:read', async () => {
    const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
    const { name } = await service.createProject()
    const call = async (scopes: ('analytics:read' | 'live:read')[]) => {
      const { access_token } = await service.agentSessions.issue(service.owner.id, { ...client, scopes })
      const headers = { Authorization: `Bearer ${access_token}` }
      return service.call(route, { key: null, headers, query: { project: name } })
    }
    expect((await call(['analytics:read'])).body).toMatchObject({
      error: 'FORBIDDEN',
      required_scope: 'live:read',
    })
    expect((await call(['live:read'])).status).toBe(200)
  })

  test('needs a Pro account', async () => {
    const account = await service.accounts.create({
      email: 'free@example.com',
      tier: 'free',
      complimentary: false,
    })
    const project = await service.createProject(account)
    const key = await service.accounts.issueApiKey(account.id)
    const { status, body } = await service.call(route, { key, query: { project: project.name } })
    expect([status, body.error]).toEqual([403, 'PRO_REQUIRED'])
  })
})
