import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { randomSecret } from '#core/secrets/tokens'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/**
 * Secrets that a caller has pasted into the wrong place. No message, log line or audit entry
 * repeats one.
 */
const rows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.auth !== 'browser',
)
const SECRET_BODY = randomSecret()
const SECRETS = ['aak', 'aas', 'aar', 'aap', 'aae', 'aac'].map(prefix => `${prefix}_${SECRET_BODY}`)
const PLANTED = SECRETS[0] as string

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,demo_sessions=-1' })
  await service.demo.setProject(await service.createProject())
})
afterAll(() => service.close())

/** The names of the fields that a schema describes. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  return Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {})
}

/**
 * The request with a secret in its path, in each query parameter, in each field of its body, and in fields
 * that nobody knows.
 */
async function plantedRequests(name: RouteName, route: Route): Promise<RequestOptions[]> {
  const good = await goodRequest(service, name)
  const body = good.body as Record<string, unknown> | undefined
  const parameters = new Set([
    ...fieldsOf(route.query),
    ...fieldsOf(route.options),
    'project',
    'nobody_knows',
  ])
  const fields = new Set([...fieldsOf(route.body), 'project', 'nobody_knows'])
  return [
    ...(route.path.includes('{') ? SECRETS.map(id => ({ ...good, id })) : []),
    ...[...parameters].map(key => ({ ...good, query: { ...good.query, [key]: PLANTED } })),
    { ...good, query: { ...good.query, [PLANTED]: '1' } },
    ...(body === undefined
      ? []
      : [
          ...[...fields].flatMap(key =>
            [
              PLANTED,
              [PLANTED],
              { [PLANTED]: PLANTED },
              [{ [PLANTED]: 1, event: PLANTED, field: PLANTED }],
            ].map(value => ({ ...good, body: { ...body, [key]: value } })),
          ),
          { ...good, body: { ...body, [PLANTED]: 1 } },
        ]),
  ]
}

describe.each(rows)('%s', (name, route) => {
  test('repeats no secret that stands in the wrong place', async () => {
    for (const request of await plantedRequests(name, route)) {
      const { status, body, text } = await service.call(route, request)
      const said = status >= 400 ? text : JSON.stringify([body.warnings, body.caveats, body.message])
      expect(said, JSON.stringify(request)).not.toContain(SECRET_BODY)
    }
  })
})

test('the audit log repeats no secret, also where it is the name of a project or the label of a client', async () => {
  const { owner, audit, projects, agentSessions } = service
  const { project } = await projects.create({ account: owner, name: `p-${PLANTED}`.slice(0, 60) })
  const client = { client_type: 'agent', client_name: PLANTED, client_instance_id: null, label: PLANTED }
  const { access_token } = await agentSessions.issue(owner.id, { ...client, scopes: ['analytics:read'] })
  const headers = { Authorization: `Bearer ${access_token}` }
  await service.call(routes.stats, { key: null, headers, query: { project: project.name } })
  const { entries = [] } = (await audit.list(owner.id, 10_000)) ?? {}
  expect(entries.some(({ actor }) => actor.label === 'aak_…')).toBe(true)
  expect(entries.some(({ project }) => project === 'p-aak_…')).toBe(true)
  expect(JSON.stringify(entries)).not.toContain(SECRET_BODY.slice(0, 16))
})

test('no request of these tests was logged', () => {
  expect(JSON.stringify(service.logged)).toBe('[]')
})
