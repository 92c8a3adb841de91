import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import type { Project } from '#core/projects/project'
import { splitEqually } from '#schemas/assignment'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { SCOPES } from '#schemas/scopes'
import { propertySettings } from '#test/support/depth'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

/** Deletion of the account is a page; everything else that an account may call is here. */
const rows = (Object.entries<Route>(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.auth === 'account' && (route.credentials?.includes('agent_session') ?? true),
)

const isOfExperiment = ({ path }: Route) => path === '/experiments/{id}'
const MARK = 'belongs-to'

/** An account with two projects, a context, an experiment and a session, all of which carry its mark. */
async function openTenant(index: number) {
  const mark = `${MARK}-${index}`
  const account: Account = await service.accounts.create({
    email: `${mark}@example.com`,
    tier: 'pro',
    complimentary: true,
  })
  const projects = []
  for (const name of [`${mark}-a`, `${mark}-b`]) {
    projects.push((await service.projects.create({ account, name })).project)
  }
  const client = { client_type: 'cli', client_name: mark, client_instance_id: null, label: mark }
  const session = await service.agentSessions.issue(account.id, { ...client, scopes: [...SCOPES] })
  const context = { goals: [mark], activation_events: [], glossary: [], annotations: [] }
  for (const project of projects) {
    await service.contexts.setProject(project, context, '*')
    await service.annotations.create(project.id, { occurred_at: '2026-11-20', title: mark })
  }
  await service.contexts.setPortfolio(account.id, {
    goals: [mark],
    surface_roles: [],
    shared_milestones: [],
    glossary: [],
  })
  const variants = splitEqually([mark, 'blue'])
  const experiment = await service.experiments.create(projects[0] as Project, {
    ...{ name: mark, variants, goal_event: mark },
  })
  const names = projects.flatMap(({ id, name }) => [id, name])
  const tokens = projects.map(({ project_token }) => project_token)
  // A session's id may be in the request of the other tenant, so it is no proof of a leak.
  return { mark, account, session, experiment, names, traces: [mark, account.id, ...tokens] }
}

test('whatever two accounts call with whatever names of each other, neither sees or changes what the other has', async () => {
  const tenants = [await openTenant(1), await openTenant(2)] as const
  const [first, second] = tenants
  const calls = fc.record({
    row: fc.constantFrom(...rows),
    caller: fc.constantFrom<0 | 1>(0, 1),
    named: fc.nat(3),
    named_session: fc.boolean(),
  })
  const snapshot = async ({ account, names }: typeof first) => {
    const projects = await service.projects.list(account.id)
    const contexts = await Promise.all(projects.map(service.contexts.ofProject))
    const experiments = await Promise.all(projects.map(service.experiments.list))
    return JSON.stringify([projects.filter(({ id }) => names.includes(id)), contexts, experiments])
  }
  await fc.assert(
    fc.asyncProperty(calls, async ({ row: [name, route], caller, named, named_session }) => {
      const [own, other] = caller === 0 ? [first, second] : [second, first]
      const foreign = other.names[named] ?? ''
      const request = await goodRequest(service, name, foreign)
      const before = await snapshot(other)
      const sent: RequestOptions = {
        ...request,
        key: null,
        headers: { Authorization: `Bearer ${own.session.access_token}` },
        ...(isOfExperiment(route) && { id: other.experiment.id }),
        ...(name === 'revokeSession' && named_session && { body: { session_id: other.session.id } }),
      }
      const { text, status } = await service.call(route, sent)
      if (route.project !== undefined || isOfExperiment(route)) expect([403, 404]).toContain(status)
      // The message repeats the name that the request has sent.
      const seen = text.replaceAll(foreign, '')
      for (const trace of other.traces) expect(seen).not.toContain(trace)
      expect(await snapshot(other)).toBe(before)
      expect(await service.agentSessions.byAccessToken(other.session.access_token)).not.toBeNull()
    }),
    propertySettings(30),
  )
})
