import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import * as z from 'zod'
import type { Deployment, NewProject } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'
import {
  type ClientResponse,
  createReferenceClient,
  type ReferenceClient,
} from '#test/support/reference-client'
import { clientCommands } from './client-commands.ts'

/**
 * Plays the reference client from `login` to `logout`, with the owner in the browser `page`. Expects that
 * each response has the fields that the client reads without a guard
 * (docs/api/conventions.md#what-clients-rely-on). Scans and replays have no routes yet.
 */
export async function playReferenceClient(service: Deployment, page: Page): Promise<void> {
  const client = createReferenceClient(service)
  await logIn(client, page)
  await logInDetached(client, page)
  const project = await createProject(client)
  await writeContexts(client, project)
  const person = await sendEvents(service, project)
  for (const { name, method, path, body, reads } of clientCommands(project.name, person.id, person.email)) {
    // Events and e-mail addresses come with the next batches of the consumer.
    await eventually(async () => {
      const response = await client.request(method, path, body)
      expectFields(response, 200, reads, name)
      if (path.startsWith('/stats')) expect(response.headers.get('x-monthly-usage')).toMatch(/^\d+$/)
    })
  }
  await manageExperiment(client, project)
  await managePortfolio(client, project)
  await sendFeedback(client, project)
  await deleteProject(client, project)
  await outliveToken(client)
  await logOut(client)
}

/** Expects the status and the fields that the client reads. */
function expectFields(
  { status, body }: ClientResponse,
  expected: number,
  fields: z.ZodType,
  command: string,
) {
  const { error } = fields.safeParse(body)
  expect({ command, status, wrong: error?.issues }).toEqual({ command, status: expected, wrong: undefined })
}

async function approve(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
}

const text = z.string()
const textOrNull = text.nullable()
const scopes = z.array(text).min(1)

const STARTED = z.object({
  ...{ auth_request_id: text, authorize_url: text, approval_code: text, poll_token: text },
  ...{ ok: z.literal(true), mode: text, expires_at: z.number(), scopes },
})
const ACCOUNT = z.object({
  ...{ id: text, email: text, tier: z.enum(['free', 'pro']) },
  ...{ code_host_login: textOrNull, github_login: textOrNull, idp_name: textOrNull, google_name: textOrNull },
})
const PAIR = z.object({
  ...{ id: text, access_token: text, refresh_token: text, scopes },
  ...{ access_expires_at: z.number(), refresh_expires_at: z.number() },
})
const EXCHANGED = z.object({ agent_session: PAIR, account: ACCOUNT })
/** The client merges a refreshed session into the one that it has. */
const REFRESHED = PAIR.extend({ session_id: text, account: ACCOUNT })

async function logIn(client: ReferenceClient, page: Page): Promise<void> {
  const exchanged = await client.logIn(async started => {
    expect(STARTED.safeParse(started).error).toBeUndefined()
    await approve(page, started.authorize_url)
    expect(await page.textContent('body')).toEqual('Back in the client')
  })
  expectFields(exchanged, 200, EXCHANGED, 'login')
  const account = await client.request('GET', '/account')
  const whoami = ACCOUNT.extend({
    projects_count: z.number(),
    monthly_spend_cap_dollars: z.number().nullable(),
  })
  expectFields(account, 200, whoami, 'whoami')
}

/**
 * The client polls, and the person pastes the finish code too: the second exchange is a success if the
 * session works.
 */
async function logInDetached(client: ReferenceClient, page: Page): Promise<void> {
  const started = await client.startDetached()
  const pending = await client.poll(started)
  expect(pending.body).toEqual({
    ...{ status: 'pending', exchange_code: null, account_id: null, approved_email: null },
  })
  await approve(page, started.authorize_url)
  const finishCode = (await page.textContent('#finish-code')) ?? ''
  const approved = await client.poll(started)
  expect(approved.body).toMatchObject({ status: 'approved', exchange_code: finishCode })
  const exchanged = await client.finishDetached(started.auth_request_id, finishCode)
  expectFields(exchanged, 200, EXCHANGED, 'login --exchange-code')
  const again = await client.finishDetached(started.auth_request_id, finishCode)
  expect([again.status, again.body]).toEqual([
    409,
    { error: 'AUTH_REQUEST_ALREADY_EXCHANGED', message: 'auth request already exchanged' },
  ])
  expect((await client.request('GET', '/account')).status).toEqual(200)
}

const RECORD = z.object({ id: text, name: text, project_token: text, allowed_origins: text })
const CREATED = RECORD.extend({ snippet: text, api_example: text })
const LISTED = z.object({
  projects: z.array(RECORD.extend({ created_at: text, total_events: z.number() })).min(1),
  tier: text,
})

/** `create`, `init`, `projects`, `project` and `update`: a name is looked up in the list first. */
async function createProject(client: ReferenceClient): Promise<NewProject> {
  const name = `client-${randomBytes(4).toString('hex')}`
  const create = () =>
    client.request('POST', '/projects', { name, allowed_origins: `https://${name}.example` })
  const created = await create()
  expectFields(created, 201, CREATED, 'create')
  expectFields(await create(), 200, CREATED.extend({ existing: z.literal(true) }), 'create again')
  const listed = await client.request('GET', '/projects')
  expectFields(listed, 200, LISTED, 'projects')
  const { id } = listed.body.projects.find((project: NewProject) => project.name === name)
  expectFields(await client.request('GET', `/projects/${id}`), 200, RECORD, 'project')
  const updated = await client.request('PATCH', `/projects/${id}`, { allowed_origins: '*' })
  expect([updated.status, updated.body.name, updated.body.allowed_origins]).toEqual([200, name, '*'])
  return created.body
}

/**
 * `context get`, `context set` and the same of the portfolio. Activation events are the steps of `funnel
 * --from-context`.
 */
async function writeContexts(client: ReferenceClient, { name: project }: NewProject): Promise<void> {
  const lists = {
    goals: ['More sign-ups'],
    activation_events: ['page_view', 'signup'],
    glossary: [],
    annotations: [],
  }
  const put = await client.request('PUT', '/project-context', { project, ...lists })
  expect([put.status, put.body.ok, put.body.project_context]).toEqual([200, true, lists])
  const read = await client.request('GET', `/project-context?project=${project}`)
  expect([read.status, read.body.project_context]).toEqual([200, lists])
  const before = await client.request('GET', '/portfolio-context')
  const putBack = await client.request('PUT', '/portfolio-context', before.body.portfolio_context)
  expect([putBack.status, putBack.body]).toEqual([200, { ok: true, ...before.body }])
}

/** Two people look at pages. One of them, who has given an e-mail address, signs up. */
async function sendEvents(service: Deployment, project: NewProject): Promise<{ id: string; email: string }> {
  const person = { id: `user-${project.name}`, email: `${project.name}@example.com` }
  const start = Date.now() - 600_000
  const view = (user_id: string, path: string, seconds: number) => ({
    ...{ event: 'page_view', user_id, session_id: `session-${user_id}`, properties: { path } },
    timestamp: start + seconds * 1_000,
  })
  const signup = { ...view(person.id, '/join', 20), event: 'signup', properties: { plan: 'pro' } }
  const events = [view(person.id, '/', 0), view(person.id, '/pricing', 10), signup, view('other', '/', 0)]
  expect((await service.send(project, [...events, view('other', '/pricing', 5)])).status).toEqual(202)
  const { status } = await service.call('/identify', {
    body: {
      token: project.project_token,
      previous_id: person.id,
      user_id: person.id,
      traits: { email: person.email },
    },
  })
  expect(status).toEqual(202)
  return person
}

const PORTFOLIO = z.object({
  ...{ id: text, slug: text, name: text },
  members: z.array(z.object({ project_id: text, project: text })).min(1),
})
const ONE_PORTFOLIO = z.object({ portfolio: PORTFOLIO })

/** `portfolios create`, `list`, `get`, `update` and `delete`. */
async function managePortfolio(client: ReferenceClient, { name: project }: NewProject): Promise<void> {
  const path = `/portfolios/${project}`
  const body = { slug: project, name: 'Sites', projects: [project], allow_move: false }
  const created = await client.request('POST', '/portfolios', body)
  expectFields(created, 201, ONE_PORTFOLIO, 'portfolios create')
  const listed = await client.request('GET', '/portfolios')
  expectFields(listed, 200, z.object({ portfolios: z.array(PORTFOLIO).min(1) }), 'portfolios list')
  expectFields(await client.request('GET', path), 200, ONE_PORTFOLIO, 'portfolios get')
  const updated = await client.request('PATCH', path, { name: 'All sites', allow_move: true })
  expect([updated.status, updated.body.portfolio.name]).toEqual([200, 'All sites'])
  const deleted = await client.request('DELETE', path)
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true, deleted: created.body.portfolio.id }])
}

const NUMBERS = z.record(text, z.number())
const EXPERIMENT = z.object({
  ...{ id: text, name: text, goal_event: text, status: text, winner: textOrNull, created_at: text },
  variants: z.array(z.object({ key: text, weight: z.number() })).min(2),
})
const RESULTS = z.object({
  ...{ probability_best: NUMBERS, lift: NUMBERS, sufficient_data: z.boolean(), recommendation: text },
  variants: z.array(z.object({ key: text, unique_users: z.number(), conversions: z.number() })).min(2),
})

/** `experiments create`, `list`, `get`, `pause`, `resume`, `complete` and `delete`. */
async function manageExperiment(client: ReferenceClient, { name: project }: NewProject): Promise<void> {
  const body = { project, name: 'cta', variants: ['control', 'blue'], goal_event: 'signup', weights: null }
  const created = await client.request('POST', '/experiments', body)
  expectFields(created, 201, EXPERIMENT, 'experiments create')
  const listed = await client.request('GET', `/experiments?project=${project}`)
  expectFields(listed, 200, z.object({ experiments: z.array(EXPERIMENT).min(1) }), 'experiments list')
  const path = `/experiments/${created.body.id}`
  // The engine of a deployment may be busy.
  await eventually(async () => {
    const read = await client.request('GET', path)
    expectFields(read, 200, EXPERIMENT.extend({ results: RESULTS }), 'experiments get')
  })
  for (const change of [{ status: 'paused' }, { status: 'active' }, { status: 'completed', winner: null }]) {
    await eventually(async () => {
      const { status, body: changed } = await client.request('PATCH', path, change)
      expect([status, changed.status]).toEqual([200, change.status])
    })
  }
  const deleted = await client.request('DELETE', path)
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true, deleted: created.body.id }])
}

async function sendFeedback(client: ReferenceClient, { name: project }: NewProject): Promise<void> {
  const body = { message: 'All commands work.', project, command: 'feedback', context: null }
  const sent = await client.request('POST', '/account/feedback', body)
  expect([sent.status, sent.body]).toEqual([200, { ok: true }])
}

async function deleteProject(client: ReferenceClient, { id }: NewProject): Promise<void> {
  const deleted = await client.request('DELETE', `/projects/${id}`)
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true, deleted: id }])
}

/**
 * After an hour the next command gets 401, refreshes the session once and continues. The session and its
 * scopes stay the same.
 */
async function outliveToken(client: ReferenceClient): Promise<void> {
  const before = client.session()
  client.outliveAccessToken()
  expect((await client.request('GET', '/account')).status).toEqual(200)
  const after = client.session()
  expect(REFRESHED.safeParse(after).error).toBeUndefined()
  expect(after?.id).toEqual(before?.id)
  expect(after?.refresh_token).not.toEqual(before?.refresh_token)
}

async function logOut(client: ReferenceClient): Promise<void> {
  const { response, ended } = await client.logOut()
  expect([response.status, response.body]).toEqual([200, { ok: true, session_id: ended?.id }])
  const refreshed = await client.request('POST', '/agent-sessions/refresh', {
    refresh_token: ended?.refresh_token,
  })
  expect([refreshed.status, refreshed.body.error]).toEqual([401, 'INVALID_REFRESH_TOKEN'])
  const loggedOut = await client.request('GET', '/account')
  expect([loggedOut.status, loggedOut.body.error]).toEqual([401, 'AUTH_REQUIRED'])
}
