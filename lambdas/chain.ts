import type { z } from 'zod'
import type { Account } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { Clock, Log } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import { MAX_BODY_BYTES, type Route } from '#schemas/routes'
import { type CredentialServices, callerOf, requireScope } from './credential.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { jsonBody, payloadTooLarge } from './json-body.ts'
import { jsonResponse } from './response.ts'
import { validate } from './validate.ts'

export type ChainServices = CredentialServices & {
  projects: Pick<ProjectDirectory, 'resolve' | 'byId'>
  usage: UsageCounters
  clock: Clock
  log: Log
}

/** What a handler of a row is given: all of it checked, and bound to the caller's account. */
export type RouteCall<R extends Route> = {
  account: Account
  params: Record<string, string>
  /** Aborted when the caller goes away. */
  signal: AbortSignal | undefined
} & (R extends { project: string } ? { project: Project } : unknown) &
  (R extends { query: infer Q extends z.ZodType } ? { query: z.output<Q> } : unknown) &
  (R extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown)

/** What a handler of a row may answer: a status of the row with the body that the row promises for it. */
export type RouteResponse<R extends Route> = {
  [Status in keyof R['responses'] & number]: R['responses'][Status] extends {
    schema: infer S extends z.ZodType
  }
    ? { status: Status; body: z.input<S> }
    : never
}[keyof R['responses'] & number]

/**
 * Makes endpoints of the rows that an account calls: `chain(routes.stats)(async call => …)`, in two steps so that the
 * compiler knows the row before it looks at the handler. They throw ApiErrors; httpFunction answers them.
 */
export function accountChain(services: ChainServices) {
  return <const R extends Route>(route: R) =>
    (handler: (call: RouteCall<R>) => Promise<RouteResponse<R>>) =>
    (request: HttpRequest): Promise<HttpResponse> =>
      answer(route, request, services, handler)
}

/**
 * The checks in the order of contract R8, from top to bottom. This is also the one place that binds a request to the
 * projects of its caller.
 */
async function answer<R extends Route>(
  route: R,
  request: HttpRequest,
  services: ChainServices,
  handler: (call: RouteCall<R>) => Promise<RouteResponse<R>>,
): Promise<HttpResponse> {
  if (request.body.length > MAX_BODY_BYTES) throw payloadTooLarge(MAX_BODY_BYTES)
  const body = route.body ? bodyFields(request.body) : {}
  const caller = await callerOf(request, services)
  if (route.scope) requireScope(caller, route.scope)
  // Here stand the tiers (PRO_REQUIRED), then the limits of a minute and a month (RATE_LIMITED); the profile `own` has
  // neither.
  const { account } = caller
  const project = await projectOf(route, request, body, account, services)
  const query = route.query && validate(route.query, request.query)
  const fields = route.body && validate(route.body, body)

  const { params, signal } = request
  const checked = { account, params, signal, project, query, body: fields }
  // What the row asks for has been made above; the compiler cannot follow that for every row at once.
  const run = () => handler(checked as unknown as RouteCall<R>)
  if (route.metered && project) return meteredRead(run, project, services)
  const reply = await run()
  return jsonResponse(reply.status, reply.body)
}

/**
 * Runs a read that counts toward the month, and counts it when it has succeeded; one that cannot be counted, as where
 * a disk is full, is answered all the same. Its answer tells the month's events of the account; the limit, and the
 * percentage of it, come with a plan that has one (contract 1.3).
 */
async function meteredRead(
  run: () => Promise<{ status: number; body: unknown }>,
  project: Project,
  { usage, clock, log }: ChainServices,
): Promise<HttpResponse> {
  const today = utcDate(clock.now())
  const [reply, month] = await Promise.all([run(), usage.month(project.account_id, today.slice(0, 7))])
  await usage
    .addRead(project.id, project.account_id, today)
    .catch(error => log('READ_NOT_COUNTED', { error: String(error) }))
  return jsonResponse(reply.status, reply.body, { 'X-Monthly-Usage': String(month.events) })
}

/** The body's fields: a null on the top level counts as absent (contract R2). */
function bodyFields(bytes: Uint8Array): Record<string, unknown> {
  return Object.fromEntries(Object.entries(jsonBody(bytes)).filter(([, value]) => value !== null))
}

/**
 * The project that the request names, which is the caller's own and alive. Named as a field, another account's is as
 * unknown as one that never was (NOT_FOUND, R9); in the path it is FORBIDDEN (contract 1.4).
 */
async function projectOf(
  route: Route,
  request: HttpRequest,
  body: Record<string, unknown>,
  account: Account,
  { projects }: ChainServices,
): Promise<Project | undefined> {
  if (route.project === undefined) return undefined
  const named =
    route.project === 'path' ? request.params.id : { query: request.query, body }[route.project].project
  if (typeof named !== 'string' || named === '') {
    throw new ApiError('PROJECT_REQUIRED', "project is required: the project's name or id")
  }
  const project = await projects.resolve(account.id, named)
  if (project !== null) return project
  const foreign = route.project === 'path' ? await projects.byId(named) : null
  if (foreign !== null && foreign.deleted_at === null && foreign.account_id !== account.id) {
    throw new ApiError('FORBIDDEN', 'this project belongs to another account')
  }
  throw new ApiError('NOT_FOUND', `no project of the account has the name or id ${JSON.stringify(named)}`)
}
