import { fileKey } from '#core/exports/export'
import { createExportStore } from '#core/exports/export-store'
import { createOpenExports } from '#core/exports/open-exports'
import type { Project } from '#core/projects/project'
import { scriptName } from '#lambdas/site/replay-viewer'
import { buildViewer } from '#replay/viewer/build'
import { splitEqually } from '#schemas/assignment'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { DEV_APPROVE_SECRET, type HttpService, type RequestOptions } from './http-service.ts'
import { newRecording, newReplay, newViewer, snapshotAt } from './replays.ts'

/** Another host for each request: a host is analysed once at a time. */
function newSite(): string {
  return `https://h${Math.random().toString(36).slice(2)}.example.com/`
}

/** Routes whose requests need a replay of the project. */
const replayRequests = {
  startReplay: async (service, project) => ({ body: await newRecording(service, project) }),
  async uploadChunk(service, project) {
    const { id, upload, started_at } = await newReplay(service, project)
    return { id, body: { ...upload, index: 0, events: snapshotAt(started_at) } }
  },
  async finishReplay(service, project) {
    const { id, upload } = await newReplay(service, project)
    return { id, body: { ...upload, chunks: 0 } }
  },
  readReplay: async (service, project) => ({ id: (await newReplay(service, project)).id }),
  openReplay: async (service, project) => ({ id: (await newReplay(service, project)).id }),
  deleteReplay: async (service, project) => ({ id: (await newReplay(service, project)).id }),
  replayConfig: async (_, project) => ({ query: { token: project.project_token } }),
  viewReplay: async (service, project) => ({ body: { secret: await newViewer(service, project) } }),
  replayViewerScript: async () => ({ id: scriptName('page', (await buildViewer()).page) }),
  viewEvents: async (service, project) => ({ body: { secret: await newViewer(service, project) } }),
  viewChunk: async (service, project) => ({ body: { secret: await newViewer(service, project), index: 0 } }),
} satisfies Partial<Record<RouteName, (service: HttpService, project: Project) => Promise<RequestOptions>>>

type NamesWithBody = Exclude<
  { [Name in RouteName]: (typeof routes)[Name] extends { body: unknown } ? Name : never }[RouteName],
  keyof typeof replayRequests
>
type Body = Record<string, unknown>

const CLAIM = { client_type: 'agent', scopes: ['analytics:read' as const] }
const DETACHED = { ...CLAIM, mode: 'detached' as const }

function session({ agentSessions, owner }: HttpService) {
  const client = { ...CLAIM, client_name: null, client_instance_id: null, label: null }
  return agentSessions.issue(owner.id, client)
}

/**
 * A valid body for each route, for the token of a project. A route with a body and without an example is a
 * type error.
 */
const bodies: { [Name in NamesWithBody]: (service: HttpService, token: string) => Body | Promise<Body> } = {
  track: (_, token) => ({ token, event: 'signup' }),
  trackBatch: (_, token) => ({ events: [{ token, event: 'signup' }] }),
  checkTrack: (_, token) => ({ token, event: 'signup', origin: 'https://shop.example' }),
  identify: (_, token) => ({ token, previous_id: 'anon_0123abcd', user_id: 'u1' }),
  erasePerson: () => ({ user_id: 'u1' }),
  createExport: () => ({}),
  createProject: () => ({ name: `made-${Math.random()}` }),
  updateProject: () => ({ link_domains: ['shop.example.com'] }),
  query: () => ({ metrics: ['event_count'], group_by: ['event'] }),
  funnel: () => ({ steps: [{ event: 'page_view' }, { event: 'signup' }] }),
  paths: () => ({ goal_event: 'signup' }),
  reads: () => ({ reads: [{ read: 'GET /stats' }] }),
  eventsByBody: () => ({ event: 'signup' }),
  eventsLookup: () => ({ user_id: 'u1' }),
  journeyByBody: () => ({ user_id: 'u1' }),
  journeyLookup: () => ({ user_id: 'u1' }),
  createScan: () => ({ url: newSite() }),
  createProjectScan: () => ({ url: newSite(), full: true }),
  upgradeScan: () => ({}),
  sendFeedback: () => ({ message: 'It works.' }),
  putProjectContext: () => ({ goals: ['More signups'] }),
  createAnnotation: () => ({ occurred_at: '2026-11-20', title: 'Release 2.4' }),
  putPortfolioContext: () => ({ goals: ['More signups'] }),
  putSegment: () => ({ title: 'Germans', where: { field: 'country', op: 'eq', value: 'DE' } }),
  createSavedView: () => ({ name: 'Signups', query: 'view=funnel' }),
  createShareLink: () => ({}),
  createPortfolio: () => ({ slug: `made-${Math.random().toString(36).slice(2)}`, name: 'Shops' }),
  updatePortfolio: () => ({ name: 'Shops' }),
  createExperiment: () => ({
    name: `made-${Math.random().toString(36).slice(2)}`,
    variants: ['control', 'blue'],
    goal_event: 'signup',
  }),
  updateExperiment: () => ({ status: 'completed' }),
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
  refreshSession: async service => ({ refresh_token: (await session(service)).refresh_token }),
  registerClient: () => ({ redirect_uris: ['http://127.0.0.1/callback'], client_name: 'A client' }),
  revokeSession: async service => ({ session_id: (await session(service)).id }),
  async devApprove({ authRequests }) {
    const { request } = await authRequests.start(DETACHED)
    return { secret: DEV_APPROVE_SECRET, auth_request_id: request.id, email: 'dev@example.com' }
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
  mcp: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  deleteReplays: () => ({ confirm: 'delete_replay_data' }),
  updateReplaySettings: () => ({ enabled: true }),
  revokeToken: async service => ({ token: (await session(service)).access_token }),
}

/** What the query of a route needs beside the project. */
const queries: Partial<Record<RouteName, Record<string, string>>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'signup', by: 'country' },
  journey: { user_id: 'u1' },
}

/** Returns a credential of a new account, because the request replaces the key of its account. */
async function freshCredential(service: HttpService, { credentials = [] }: Route): Promise<RequestOptions> {
  const account = await service.accounts.create({
    email: 'fresh@example.com',
    tier: 'pro',
    complimentary: true,
  })
  return credentials.includes('api_key')
    ? { key: await service.accounts.issueApiKey(account.id) }
    : { key: null, headers: await service.browser(account) }
}

/** Creates a portfolio of `owner`, and returns its slug. */
async function newPortfolio({ portfolios, owner }: HttpService): Promise<string> {
  const slug = `shops-${Math.random().toString(36).slice(2)}`
  await portfolios.create(owner.id, { slug, name: 'Shops', projects: [], allow_move: false })
  return slug
}

/** Creates an experiment of a project, and returns its id. */
async function newExperiment({ experiments }: HttpService, project: Project): Promise<string> {
  const variants = splitEqually(['control', 'blue'])
  const name = `made-${Math.random().toString(36).slice(2)}`
  return (await experiments.create(project, { name, variants, goal_event: 'signup' })).id
}

/** Makes an analysis of `owner` for a project, and returns its id. */
async function newScan({ scans, owner }: HttpService, project: Project): Promise<string> {
  const { scan } = await scans.start({ url: newSite(), isFull: false, project }, owner)
  return scan.id
}

/** Makes an export of a new project that is done, with one file, and returns its id. */
async function newExport(service: HttpService): Promise<string> {
  const { exports, state, lake, owner } = service
  const made = await exports.start(await service.createProject(), owner, {})
  const file = { name: 'events-0001.parquet', object: 'run-events-0001.parquet', dataset: 'events' as const }
  const files = [{ ...file, rows: 1, bytes: 4, sha256: '0a' }]
  await lake.put(fileKey(made, file), Buffer.from('PAR1'))
  await createExportStore({ ...state, clock: service }).change(made, { status: 'done', files, days: {} })
  await createOpenExports({ ...state, clock: service }).release(made)
  return made.id
}

/** Saves a view of a project, and returns its id. */
async function newSavedView({ savedViews }: HttpService, { id }: Project): Promise<string> {
  return (await savedViews.create(id, { name: 'Signups', query: '' }))?.id ?? ''
}

/** Stores a segment of a project, and returns its name. */
async function newSegment({ segments }: HttpService, { id }: Project): Promise<string> {
  const where = { field: 'country', op: 'eq', value: 'DE' } as const
  await segments.put(id, { name: 'germans', title: null, where, updated_at: 0 })
  return 'germans'
}

/** Creates an annotation of a project, and returns its id. */
async function newAnnotation({ annotations }: HttpService, { id }: Project): Promise<string> {
  return (await annotations.create(id, { occurred_at: '2026-11-20', title: 'Release 2.4' }))?.id ?? ''
}

/** Creates a share link of a project, and returns its id. */
async function newShareLink({ shareLinks }: HttpService, { id }: Project): Promise<string> {
  return (await shareLinks.create(id, {}))?.link.id ?? ''
}

const sharedProjects = new WeakMap<HttpService, Promise<Project>>()

/**
 * Returns one project of `owner` for all requests that leave their project as it is. A new project costs
 * several writes.
 */
function sharedProject(service: HttpService): Promise<Project> {
  const project = sharedProjects.get(service) ?? service.createProject()
  sharedProjects.set(service, project)
  return project
}

/**
 * Whether the request changes its project. Reports that take a JSON body are reads, although their method is
 * POST.
 */
function changesProject({ method, tag, project }: Route): boolean {
  return project !== undefined && method !== 'GET' && tag !== 'Analytics'
}

/**
 * Returns a valid request of a route, for the project `existingProject`. Default: a project of `owner`, a new
 * one if the request changes it.
 */
export async function goodRequest(
  service: HttpService,
  name: RouteName,
  existingProject?: string,
): Promise<RequestOptions> {
  const route: Route = routes[name]
  const project = await (changesProject(route) ? service.createProject() : sharedProject(service))
  const projectName = existingProject ?? project.name
  const named = (await service.projects.byId(projectName)) ?? project
  const body = name in bodies && (await bodies[name as NamesWithBody](service, project.project_token))
  const isInBody = route.project === 'body' || route.project === 'body_or_query'
  return {
    ...((route.project === 'query' || route.project === 'query_or_first') && {
      query: { project: projectName, ...queries[name] },
    }),
    ...(route.project === 'path' && { id: projectName }),
    ...(route.path.includes('{idOrSlug}') && { id: await newPortfolio(service) }),
    ...(route.path === '/experiments/{id}' && { id: await newExperiment(service, project) }),
    ...(route.path.startsWith('/website-scans/{id}') && { id: await newScan(service, project) }),
    ...(route.path.startsWith('/exports/{id}') && {
      id: await newExport(service),
      part: 'events-0001.parquet',
    }),
    ...(name === 'erasePerson' && { id: 'u1' }),
    ...(name === 'readErasure' && {
      id: await service.erasures.erasePerson([{ project, events: 1, sessions: 1 }], ['u1']),
    }),
    ...(body && { body: isInBody ? { ...body, project: projectName } : body }),
    ...((name === 'trackerVersion' || name === 'recorderVersion') && { id: '0a.js' }),
    ...(name === 'dashboardFile' && { id: 'app-0A.js' }),
    ...(name === 'experimentsConfig' && { query: { token: project.project_token } }),
    ...(name === 'readClaim' && { query: (await bodies.checkClaim(service, '')) as Record<string, string> }),
    ...(name in replayRequests &&
      (await replayRequests[name as keyof typeof replayRequests](service, project))),
    ...(name === 'deleteSavedView' && { part: await newSavedView(service, named) }),
    ...(route.path.endsWith('/segments/{name}') && { part: await newSegment(service, named) }),
    ...(name === 'deleteAnnotation' && { part: await newAnnotation(service, named) }),
    ...(name === 'deleteShareLink' && { part: await newShareLink(service, named) }),
    // An upgrade is of an analysis of the owner.
    ...(route.credentials &&
      route.project === undefined &&
      name !== 'upgradeScan' &&
      (await freshCredential(service, route))),
  }
}
