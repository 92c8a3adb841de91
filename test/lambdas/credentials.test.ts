import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { SCOPES, type Scope } from '#schemas/scopes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** Every row of accounts with every kind of credential. A row that is added is tested by being there. */
const rows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.auth === 'account',
)

let world: HttpService
let freeAccount: Account
let freeProject: Project
beforeAll(async () => {
  world = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,demo_sessions=-1' })
  await world.demo.setProject(await world.createProject())
  freeAccount = await world.accounts.create({ email: 'free@y.z', tier: 'free', complimentary: false })
  freeProject = await world.createProject(freeAccount)
})
afterAll(() => world.close())

const scopesOf = (route: Route): readonly Scope[] => [route.scope ?? []].flat()

function issue(scopes: readonly Scope[], account = world.owner) {
  const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
  return world.agentSessions.issue(account.id, { ...client, scopes: [...scopes] })
}

/** No route takes them, and none changes them, so one of each kind serves all rows. */
const BAD_SESSIONS = ['revoked', 'guessed', 'a refresh token', 'expired', 'of a deleted account'] as const
let badTokens: Record<(typeof BAD_SESSIONS)[number], string>
beforeAll(async () => {
  const expired = await issue(SCOPES)
  world.wait(3_600_000)
  const revoked = await issue(SCOPES)
  await world.agentSessions.revoke(world.owner.id, revoked.id)
  const account = await world.accounts.create({ email: 'x@y.z', tier: 'pro', complimentary: true })
  const ofDeleted = await issue(SCOPES, account)
  await world.deleteAccount(account)
  const { access_token, refresh_token } = await issue(SCOPES)
  badTokens = {
    revoked: revoked.access_token,
    guessed: `${access_token.slice(0, -8)}00000000`,
    'a refresh token': refresh_token,
    expired: expired.access_token,
    'of a deleted account': ofDeleted.access_token,
  }
})

async function bearer(scopes: readonly Scope[], account = world.owner): Promise<RequestOptions> {
  return { key: null, headers: { Authorization: `Bearer ${(await issue(scopes, account)).access_token}` } }
}

async function call(name: RouteName, credential: RequestOptions) {
  const sent = await goodRequest(world, name)
  return world.call(routes[name], { ...sent, ...credential })
}

const refusedRequests = new Map<RouteName, RequestOptions>()

/**
 * Like `call`, for a credential that must be refused. No such request changes anything, so one valid request
 * of a route serves all.
 */
async function callRefused(name: RouteName, credential: RequestOptions) {
  const sent = refusedRequests.get(name) ?? (await goodRequest(world, name))
  refusedRequests.set(name, sent)
  return world.call(routes[name], { ...sent, ...credential })
}

describe.each(rows)('%s', (name, route) => {
  const takesSessions = route.credentials?.includes('agent_session') ?? true

  test('takes an agent session that has its scope, if it takes agent sessions', async () => {
    // The request ends another session than the caller's.
    const needed: readonly Scope[] = name === 'revokeSession' ? ['projects:write'] : scopesOf(route)
    const { status, body } = await call(name, await bearer(needed))
    if (takesSessions) expect(Object.keys(route.responses)).toContain(String(status))
    else expect([status, body.error, body.required_scope]).toEqual([403, 'FORBIDDEN', undefined])
  })

  test('refuses an agent session with all other scopes, and names the scope', async () => {
    const needed = scopesOf(route)
    if (needed.length === 0) return
    const implying = needed.map(scope => scope.replace(':read', ':write'))
    const others = SCOPES.filter(scope => !needed.includes(scope) && !implying.includes(scope))
    const { status, body } = await callRefused(name, await bearer(others))
    expect([status, body.error, body.required_scope]).toEqual([403, 'FORBIDDEN', needed[0]])
  })

  test.each(BAD_SESSIONS)('refuses an agent session that is %s with 401', async kind => {
    const headers = { Authorization: `Bearer ${badTokens[kind]}` }
    const { status, body, headers: answered } = await callRefused(name, { key: null, headers })
    expect([status, body.error]).toEqual([401, 'AUTH_REQUIRED'])
    expect(answered.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('takes the cookie of a page of this service, and refuses a page of another origin', async () => {
    const headers = await world.browser()
    const own = await call(name, { key: null, headers })
    if (route.credentials?.includes('cookie') ?? true) {
      expect(Object.keys(route.responses)).toContain(String(own.status))
    }
    if (route.method === 'GET') return
    const fromElsewhere = { ...headers, Origin: 'https://evil.example' }
    const foreign = await callRefused(name, { key: null, headers: fromElsewhere })
    expect([foreign.status, foreign.body.error]).toEqual([403, 'FORBIDDEN'])
    await world.newKey()
  })

  test('refuses the cookie of a browser that has signed out, and one that is unknown, with 401', async () => {
    const { token } = await world.browserSessions.create(world.owner.id)
    await world.browserSessions.end(token)
    for (const value of [token, 'unknown']) {
      const headers = { ...(await world.browser()), Cookie: `__Host-footfall-session=${value}` }
      const { status, body } = await callRefused(name, { key: null, headers })
      expect([status, body.error]).toEqual([401, 'AUTH_REQUIRED'])
    }
  })

  test('lets a demo session read, and write nothing', async () => {
    const { access_token, id } = await world.agentSessions.issueDemo((await world.demo.account()).id)
    const credential = { key: null, headers: { Authorization: `Bearer ${access_token}` } }
    if (name === 'revokeSession') {
      const other = await call(name, credential)
      expect([other.status, other.body.error]).toEqual([404, 'NOT_FOUND'])
      const own = await world.call(route, { ...credential, body: { session_id: id } })
      expect(own.status).toBe(200)
      return
    }
    const { status, body } = await call(name, credential)
    // Reports that take a JSON body are reads, although their method is POST.
    const isRead =
      route.method === 'GET' || route.tag === 'Analytics' || name === 'verifyScan' || name === 'mcp'
    // A demo session sees nothing of the owner, and no experiment and no segment of another project.
    const isForeign = isOfOwner(name, route) || name === 'readSegment'
    const expected = isForeign ? [404, 'NOT_FOUND'] : [200, undefined]
    if (isRead)
      // A demo session has no scope for replays and exports, and share links are for people.
      expect([status, body.error]).toEqual(
        ['readExperiment', 'listShareLinks'].includes(name) ||
          ['replays:read', 'exports:read'].includes(String(route.scope))
          ? [403, 'FORBIDDEN']
          : expected,
      )
    else expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
  })

  test('needs a Pro account exactly where the row says so', async () => {
    if (!takesSessions || name === 'revokeSession') return
    const project = name === 'deleteProject' ? await world.createProject(freeAccount) : freeProject
    const sent = await goodRequest(world, name, project.id)
    const { status, body } = await world.call(route, { ...sent, ...(await bearer(SCOPES, freeAccount)) })
    if (route.tier === 'pro') expect([status, body.error]).toEqual([403, 'PRO_REQUIRED'])
    else if (isOfOwner(name, route)) expect([status, body.error]).toEqual([404, 'NOT_FOUND'])
    // The project has another site.
    else if (name === 'createProjectScan') expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    else expect(Object.keys(route.responses)).toContain(String(status))
  })
})

/** Rows whose good request names a portfolio, an erasure, an export or an analysis of the owner. */
function isOfOwner(name: RouteName, { path }: Route): boolean {
  return name === 'readErasure' || /\{idOrSlug\}|^\/(website-scans|exports)\/\{id\}/.test(path)
}

/** Rows that everybody may call, and that refuse a bad credential where there is one. */
const TAKE_CREDENTIALS: readonly RouteName[] = ['revokeToken', 'createScan', 'readScan']

const publicRows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([name, route]) => route.auth === 'none' && !TAKE_CREDENTIALS.includes(name),
)

describe.each(publicRows)('%s, which everybody may call,', (name, route) => {
  test('ignores a bad credential', async () => {
    const bad = { Authorization: 'Bearer aas_0', Cookie: '__Host-footfall-session=0' }
    const statuses: number[] = []
    for (const credential of [{ key: null }, { key: 'aak_0', headers: bad }]) {
      const { headers = {}, ...sent } = await goodRequest(world, name)
      const all = { ...headers, ...('headers' in credential ? credential.headers : {}) }
      statuses.push((await world.call(route, { ...sent, ...credential, headers: all })).status)
    }
    expect(Object.keys(route.responses)).toContain(String(statuses[0]))
    expect(statuses[1]).toBe(statuses[0])
  })
})

test('a demo session sees the demo project under every name, and itself alone', async () => {
  const demo = await world.agentSessions.issueDemo((await world.demo.account()).id)
  await world.agentSessions.issueDemo((await world.demo.account()).id)
  const credential = { key: null, headers: { Authorization: `Bearer ${demo.access_token}` } }
  const project = await world.demo.project()
  for (const named of ['any', 'demo', project?.id ?? '', (await world.createProject()).id]) {
    const { body } = await world.call(routes.stats, { ...credential, query: { project: named } })
    expect(body.project).toBe(project?.name)
  }
  const { body: list } = await world.call(routes.listAgentSessions, credential)
  expect(list.sessions).toMatchObject([{ id: demo.id }])
  const { body: projects } = await world.call(routes.listProjects, credential)
  expect(projects.projects).toMatchObject([{ id: project?.id }])
  expect((await world.usage.totals([project?.id ?? '']))[0]?.reads).toBe(0)
})

test('every change is in the audit log, with the credential that did it, and no secret is', async () => {
  const session = await issue(SCOPES)
  const credential = { key: null, headers: { Authorization: `Bearer ${session.access_token}` } }
  const project = await world.createProject()
  world.wait(1)
  await world.call(routes.updateProject, {
    ...credential,
    id: project.name,
    body: { link_domains: ['a.example'] },
  })
  world.wait(1)
  await world.call(routes.deleteProject, { ...credential, id: 'never-was' })
  world.wait(1)
  await world.call(routes.stats, { ...credential, query: { project: project.name } })
  const { body, text } = await world.call(routes.readAudit, { ...credential, query: { limit: '3' } })
  const actor = { type: 'agent_session', id: session.id, label: null }
  expect((body.entries as object[]).toReversed()).toMatchObject([
    { actor, action: 'updateProject', route: 'PATCH /projects/{id}', project: project.name, status: 200 },
    { actor, action: 'deleteProject', route: 'DELETE /projects/{id}', project: null, status: 404 },
    { actor, action: 'stats', route: 'GET /stats', project: project.name, status: 200 },
  ])
  expect(text).not.toMatch(/aa[sr]_|aak_/)
})

test('no secret is in the state table or in the log', async () => {
  const session = await issue(SCOPES)
  const key = await world.newKey()
  const { Items } = await world.state.client.scan({ TableName: world.state.table })
  const kept = JSON.stringify([Items, world.logged])
  for (const secret of [session.access_token, session.refresh_token, key]) {
    expect(kept).not.toContain(secret.slice(-64))
  }
  expect(world.logged).toEqual([])
})

describe('POST /agent-sessions/revoke', () => {
  const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
  const issue = (scopes: Scope[]) => world.agentSessions.issue(world.owner.id, { ...client, scopes })
  const revoke = (access_token: string, session_id: string) =>
    world.call(routes.revokeSession, {
      key: null,
      headers: { Authorization: `Bearer ${access_token}` },
      body: { session_id },
    })

  test('lets a session end itself with any scope', async () => {
    const { id, access_token } = await issue(['analytics:read'])
    expect((await revoke(access_token, id)).status).toBe(200)
    expect((await revoke(access_token, id)).status).toBe(401)
  })

  test('refuses another session to a session that only reads, and ends nothing', async () => {
    const [reader, other] = [
      await issue(['account:read', 'projects:read', 'analytics:read']),
      await issue([]),
    ]
    const refused = await revoke(reader.access_token, other.id)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN', required_scope: 'projects:write' },
    })
    expect(await world.agentSessions.byAccessToken(other.access_token)).not.toBeNull()
  })

  test('ends another session for projects:write and for an API key', async () => {
    const [writer, one, two] = [await issue(['projects:write']), await issue([]), await issue([])]
    expect((await revoke(writer.access_token, one.id)).status).toBe(200)
    const byKey = await world.call(routes.revokeSession, {
      key: await world.newKey(),
      body: { session_id: two.id },
    })
    expect(byKey.status).toBe(200)
  })
})
