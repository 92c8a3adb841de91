import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { MAX_BODY_BYTES, type Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest as requestFor } from '#test/support/good-requests'
import { BASE_URL, type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** What holds for every row of the routes table; a row that is added is tested by being there. */
const rows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  // Pages have tests of their own (test/browser/pages).
  ([, route]) => route.auth !== 'browser',
)
const ofAccounts = rows.filter(([, route]) => route.auth === 'account')
const ofProjects = rows.filter(([, route]) => route.project !== undefined)
const withBody = rows.filter(([, route]) => route.body !== undefined)

const metadata = ({ resource }: Route) =>
  `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource${resource ?? ''}"`

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,demo_sessions=-1' })
  await service.demo.setProject(await service.createProject())
})
afterAll(() => service.close())

function goodRequest(name: RouteName, named?: string): Promise<RequestOptions> {
  return requestFor(service, name, named)
}

const refusedRequests = new Map<RouteName, RequestOptions>()

/**
 * A valid request that is changed so that it must be refused. No such request changes anything, so one of a
 * route serves all.
 */
async function refusedRequest(name: RouteName): Promise<RequestOptions> {
  const sent = refusedRequests.get(name) ?? (await goodRequest(name))
  refusedRequests.set(name, sent)
  return sent
}

describe.each(rows)('%s', (name, route) => {
  test('returns a response that its row describes, with CORS headers', async () => {
    const { status, body, headers } = await service.call(route, await goodRequest(name))
    expect(Object.keys(route.responses)).toContain(String(status))
    route.responses[status]?.schema?.parse(body)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-type')).toMatch(route.responses[status]?.contentType ?? 'application/json')
  })
})

describe.each(rows.filter(([, route]) => route.method !== 'GET'))(
  '%s, which may have a body,',
  (name, route) => {
    test('refuses a body over 1 MiB before it checks the credential', async () => {
      const body = Buffer.alloc(MAX_BODY_BYTES + 1, 0x20)
      const response = await service.call(route, { ...(await refusedRequest(name)), body, key: null })
      expect([response.status, response.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    })
  },
)

describe.each(ofAccounts)('%s, a route of accounts,', (name, route) => {
  test('refuses a request without a credential, and says where to get one', async () => {
    const sent = { ...(await refusedRequest(name)), key: null, headers: {} }
    const { status, body, headers } = await service.call(route, sent)
    expect([status, body.error, headers.get('www-authenticate')]).toEqual([
      401,
      'AUTH_REQUIRED',
      metadata(route),
    ])
  })

  test.each<[string, () => RequestOptions]>([
    ['unknown', () => ({ key: `aak_${'0'.repeat(64)}` })],
    ['malformed', () => ({ key: 'aak_' })],
    ['revoked', () => ({ key: service.revokedKey })],
    ['a project token', () => ({ key: `aat_${'0'.repeat(48)}` })],
    ['an unknown agent session', () => ({ headers: { Authorization: 'Bearer aas_0' } })],
  ])('refuses a credential that is %s', async (_, credential) => {
    const { status, body, headers } = await service.call(route, {
      ...(await refusedRequest(name)),
      ...credential(),
    })
    expect([status, body.error, headers.get('www-authenticate')]).toEqual([
      401,
      'AUTH_REQUIRED',
      `${metadata(route)}, error="invalid_token"`,
    ])
  })

  test('accepts the API key in the query string', async () => {
    if (route.credentials?.includes('api_key') === false) return
    const sent = await goodRequest(name)
    const key = await service.newKey()
    const { status } = await service.call(route, {
      ...sent,
      key: null,
      query: { ...sent.query, key },
    })
    expect(Object.keys(route.responses)).toContain(String(status))
  })

  test('checks the credential before the project and the fields', async () => {
    const sent = { id: 'nowhere', query: { project: 'nowhere', since: 'never' }, key: 'aak_' }
    expect((await service.call(route, { ...sent, ...(route.body && { body: {} }) })).status).toBe(401)
  })
})

describe.each(ofProjects)('%s, a route of a project,', (name, route) => {
  test('does not find an unknown project', async () => {
    const { body } = await service.call(route, await goodRequest(name, 'never-was'))
    expect(body.error).toBe('NOT_FOUND')
  })

  test('does not find a deleted project', async () => {
    const project = await service.createProject()
    await service.projects.remove(project)
    for (const named of [project.id, project.name]) {
      expect((await service.call(route, await goodRequest(name, named))).body.error).toBe('NOT_FOUND')
    }
  })

  test('does not show the project of another account', async () => {
    const theirs = await service.createProject(service.stranger)
    const byName = await service.call(route, await goodRequest(name, theirs.name))
    expect(byName.body.error).toBe('NOT_FOUND')
    const byId = await service.call(route, await goodRequest(name, theirs.id))
    expect(byId.body.error).toBe(route.project === 'path' ? 'FORBIDDEN' : 'NOT_FOUND')
    expect(byId.text).not.toContain(theirs.project_token)
  })

  test('accepts the id of the project', async () => {
    const { id } = await service.createProject()
    const { status } = await service.call(route, await goodRequest(name, id))
    expect(Object.keys(route.responses)).toContain(String(status))
  })

  test('reports a missing project before a bad field', async () => {
    if (route.project === 'path' || route.project === 'query_or_first') return
    for (const field of [{}, { project: '' }] as Record<string, string>[]) {
      const isInQuery = route.project === 'query'
      const sent: RequestOptions = isInQuery
        ? { id: 'u1', query: { ...field, since: 'never' } }
        : { body: field }
      expect((await service.call(route, sent)).body.error).toBe('PROJECT_REQUIRED')
    }
  })
})

describe.each(withBody)('%s, a route with a body,', (name, route) => {
  test.each([
    ['an empty body', Buffer.alloc(0)],
    ['JSON that is cut off', Buffer.from('{"name":')],
    ['bytes that are not UTF-8', Buffer.from('{"name":"\xe4"}', 'latin1')],
    ['an array', Buffer.from('[]')],
    ['null', Buffer.from('null')],
  ])('refuses %s before it checks the credential', async (_, body) => {
    if ((route.form ?? route.emptyBody) && body.length === 0) return
    const answer = await service.call(route, { ...(await refusedRequest(name)), body, key: null })
    expect([answer.status, answer.body.error]).toEqual([400, 'INVALID_BODY'])
  })

  test('accepts JSON with another content type', async () => {
    const sent = { ...(await goodRequest(name)), headers: { 'Content-Type': 'text/plain' } }
    expect(Object.keys(route.responses)).toContain(String((await service.call(route, sent)).status))
  })

  test('reports each required field that is missing or null', async () => {
    const { required = [] } = z.toJSONSchema(route.body as z.ZodType, { io: 'input', unrepresentable: 'any' })
    const good = await goodRequest(name)
    for (const field of required) {
      const { [field]: _, ...without } = good.body as Record<string, unknown>
      for (const body of [without, { ...without, [field]: null }]) {
        const response = await service.call(route, { ...good, body })
        expect([400, 401]).toContain(response.status)
        expect(response.body.message).toContain(field)
      }
    }
  })
})

test('a wrong method of a path is refused with the allowed methods', async () => {
  const { status, headers } = await service.call({
    ...routes.track,
    method: 'GET',
    errors: ['METHOD_NOT_ALLOWED'],
  })
  expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
})

test('none of these requests was logged as a failure', () => {
  expect(service.logged).toEqual([])
})
