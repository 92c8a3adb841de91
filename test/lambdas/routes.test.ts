import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { MAX_BODY_BYTES, type Route, type RouteName, routes } from '#schemas/routes'
import { BASE_URL, type HttpService, openHttpService, type RequestOptions } from '../support/http-service.ts'

/** Rules for every row of the routes table. They also test a row that is added later. */
const rows = Object.entries<Route>(routes) as [RouteName, Route][]
const ofAccounts = rows.filter(([, route]) => route.auth === 'account')
const ofProjects = rows.filter(([, route]) => route.project !== undefined)
const withBody = rows.filter(([, route]) => route.body !== undefined)

const METADATA = `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource"`

/** A valid body for each row. A row with a body but without an example here is a type error. */
const bodies: {
  [Name in RouteName as (typeof routes)[Name] extends { body: unknown } ? Name : never]: (
    token: string,
  ) => Record<string, unknown>
} = {
  track: token => ({ token, event: 'signup' }),
  trackBatch: token => ({ events: [{ token, event: 'signup' }] }),
  createProject: () => ({ name: `made-${Math.random()}` }),
  updateProject: () => ({ link_domains: ['shop.example.com'] }),
  query: () => ({ metrics: ['event_count'], group_by: ['event'] }),
  funnel: () => ({ steps: [{ event: 'page_view' }, { event: 'signup' }] }),
  paths: () => ({ goal_event: 'signup' }),
  eventsByBody: () => ({ event: 'signup' }),
  eventsLookup: () => ({ user_id: 'u1' }),
  journeyByBody: () => ({ user_id: 'u1' }),
  journeyLookup: () => ({ user_id: 'u1' }),
}

/** What the query of a row needs beside the project. */
const queries: Partial<Record<RouteName, Record<string, string>>> = {
  breakdown: { property: 'path' },
  journey: { user_id: 'u1' },
}

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

function bodyOf(name: RouteName, token: string): Record<string, unknown> | undefined {
  return name in bodies ? bodies[name as keyof typeof bodies](token) : undefined
}

/** A valid request for the row, for a new project of ours or for the named project. */
async function goodRequest(name: RouteName, named?: string): Promise<RequestOptions> {
  const route: Route = routes[name]
  const project = await service.createProject()
  const body = bodyOf(name, project.project_token)
  return {
    ...(route.project === 'query' && { query: { project: named ?? project.name, ...queries[name] } }),
    ...(route.project === 'path' && { id: named ?? project.name }),
    ...(body && { body: route.project === 'body' ? { ...body, project: named ?? project.name } : body }),
  }
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
      const response = await service.call(route, { ...(await goodRequest(name)), body, key: null })
      expect([response.status, response.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    })
  },
)

describe.each(ofAccounts)('%s, a route of accounts,', (name, route) => {
  test('refuses a request without a credential, and says where to get one', async () => {
    const { status, body, headers } = await service.call(route, { ...(await goodRequest(name)), key: null })
    expect([status, body.error, headers.get('www-authenticate')]).toEqual([401, 'AUTH_REQUIRED', METADATA])
  })

  test.each<[string, () => RequestOptions]>([
    ['unknown', () => ({ key: `aak_${'0'.repeat(64)}` })],
    ['malformed', () => ({ key: 'aak_' })],
    ['revoked', () => ({ key: service.revokedKey })],
    ['a project token', () => ({ key: `aat_${'0'.repeat(48)}` })],
    ['an unknown agent session', () => ({ headers: { Authorization: 'Bearer aas_0' } })],
  ])('refuses a credential that is %s', async (_, credential) => {
    const { status, body, headers } = await service.call(route, {
      ...(await goodRequest(name)),
      ...credential(),
    })
    expect([status, body.error, headers.get('www-authenticate')]).toEqual([
      401,
      'AUTH_REQUIRED',
      `${METADATA}, error="invalid_token"`,
    ])
  })

  test('accepts the API key in the query string', async () => {
    const sent = await goodRequest(name)
    const { status } = await service.call(route, {
      ...sent,
      key: null,
      query: { ...sent.query, key: service.key },
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
    expect((await service.call(route, await goodRequest(name, id))).status).toBe(200)
  })

  test('reports a missing project before a bad field', async () => {
    if (route.project === 'path') return
    for (const field of [{}, { project: '' }] as Record<string, string>[]) {
      const sent: RequestOptions =
        route.project === 'query' ? { query: { ...field, since: 'never' } } : { body: field }
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
    const response = await service.call(route, { ...(await goodRequest(name)), body, key: null })
    expect([response.status, response.body.error]).toEqual([400, 'INVALID_BODY'])
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
