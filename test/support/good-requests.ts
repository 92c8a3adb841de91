import { type Route, type RouteName, routes } from '#schemas/routes'
import type { HttpService, RequestOptions } from './http-service.ts'

type NamesWithBody = {
  [Name in RouteName]: (typeof routes)[Name] extends { body: unknown } ? Name : never
}[RouteName]
type Body = Record<string, unknown>

const CLAIM = { client_type: 'agent', scopes: ['analytics:read' as const] }
const DETACHED = { ...CLAIM, mode: 'detached' as const }

function session({ agentSessions, owner }: HttpService) {
  const client = { ...CLAIM, client_name: null, client_instance_id: null, label: null }
  return agentSessions.issue(owner.id, client)
}

/** A body that each row takes, for a project's token; a row with a body and without an example is a type error. */
const bodies: { [Name in NamesWithBody]: (world: HttpService, token: string) => Body | Promise<Body> } = {
  track: (_, token) => ({ token, event: 'signup' }),
  trackBatch: (_, token) => ({ events: [{ token, event: 'signup' }] }),
  createProject: () => ({ name: `made-${Math.random()}` }),
  updateProject: () => ({ link_domains: ['shop.example.com'] }),
  sendFeedback: () => ({ message: 'It works.' }),
  putProjectContext: () => ({ goals: ['More signups'] }),
  putPortfolioContext: () => ({ goals: ['More signups'] }),
  startSession: () => ({ client_type: 'cli', mode: 'detached' }),
  async pollSession({ authRequests }) {
    const { request, poll_token } = await authRequests.start(DETACHED)
    return { auth_request_id: request.id, poll_token }
  },
  async exchangeSession({ authRequests, owner }) {
    const { request } = await authRequests.start(DETACHED)
    const { finish_code } = await authRequests.approve(request.id, owner)
    return { auth_request_id: request.id, exchange_code: finish_code }
  },
  refreshSession: async world => ({ refresh_token: (await session(world)).refresh_token }),
  revokeSession: async world => ({ session_id: (await session(world)).id }),
  async devApprove({ authRequests }) {
    const { request } = await authRequests.start(DETACHED)
    return { auth_request_id: request.id, email: 'dev@example.com' }
  },
  registerAgent: () => ({ type: 'user_claimed' }),
  checkClaim: async ({ authRequests }) => ({
    claim_token: (await authRequests.startClaim(CLAIM)).claim_token,
  }),
  async completeClaim({ authRequests, owner }) {
    const { request, claim_token } = await authRequests.startClaim(CLAIM)
    await authRequests.approve(request.id, owner)
    return { claim_token }
  },
  revokeToken: async world => ({ token: (await session(world)).access_token }),
}

/** Of an account of its own: the call replaces the account's key. */
async function freshCredential(world: HttpService, { credentials = [] }: Route): Promise<RequestOptions> {
  const account = await world.accounts.create({
    email: 'fresh@example.com',
    tier: 'pro',
    complimentary: true,
  })
  return credentials.includes('api_key')
    ? { key: await world.accounts.issueApiKey(account.id) }
    : { key: null, headers: await world.browser(account) }
}

/** A request that the row takes, for a new project of owner, or for the project that is given. */
export async function goodRequest(
  world: HttpService,
  name: RouteName,
  named?: string,
): Promise<RequestOptions> {
  const route: Route = routes[name]
  const project = await world.createProject()
  const projectName = named ?? project.name
  const body = name in bodies && (await bodies[name as NamesWithBody](world, project.project_token))
  const isInBody = route.project === 'body' || route.project === 'body_or_query'
  return {
    ...(route.project === 'query' && { query: { project: projectName } }),
    ...(route.project === 'path' && { id: projectName }),
    ...(body && { body: isInBody ? { ...body, project: projectName } : body }),
    ...(name === 'readClaim' && { query: (await bodies.checkClaim(world, '')) as Record<string, string> }),
    ...(route.credentials && (await freshCredential(world, route))),
  }
}
