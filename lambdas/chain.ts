import type { z } from 'zod'
import type { Account } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { Clock, Log } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import type { UsageCounters } from '#core/usage/counters'
import { MAX_BODY_BYTES, type Route } from '#schemas/routes'
import { jsonAnswer } from './answer.ts'
import { type CredentialServices, callerOf, requireScope } from './credential.ts'
import type { HttpAnswer, HttpRequest } from './http.ts'
import { jsonBody, payloadTooLarge } from './json-body.ts'
import { validate } from './validate.ts'

export type ChainServices = CredentialServices & {
  projects: Pick<ProjectDirectory, 'resolve' | 'byId'>
  usage: UsageCounters
  clock: Clock
  log: Log
}

/** What a handler of a row is given: all of it checked, and bound to the caller's account. */
export type Call<R extends Route> = {
  account: Account
  params: Record<string, string>
  /** Aborted when the caller goes away. */
  signal: AbortSignal | undefined
} & (R extends { project: string } ? { project: Project } : unknown) &
  (R extends { query: infer Q extends z.ZodType } ? { query: z.output<Q> } : unknown) &
  (R extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown)

/** What a handler of a row may answer: a status of the row with the body that the row promises for it. */
export type Reply<R extends Route> = {
  [Status in keyof R['answers'] & number]: R['answers'][Status] extends { schema: infer S extends z.ZodType }
    ? { status: Status; body: z.input<S> }
    : never
}[keyof R['answers'] & number]

/**
 * A route that an account calls. The order of the checks is contract R8, from top to bottom; this is also the one
 * place that binds a request to the projects of its caller. Throws ApiErrors; httpFunction answers them.
 */
export function accountRoute<const R extends Route>(
  route: R,
  services: ChainServices,
  handler: (call: Call<R>) => Promise<Reply<R>>,
) {
  return async (request: HttpRequest): Promise<HttpAnswer> => {
    if (request.body.length > MAX_BODY_BYTES) throw payloadTooLarge(MAX_BODY_BYTES)
    const body = route.body ? bodyFields(request.body) : {}
    const caller = await callerOf(request, services)
    if (route.scope) requireScope(caller, route.scope)
    // Tiers (PRO_REQUIRED), then the limits of a minute and a month (RATE_LIMITED), stand here; the profile `own` has none.
    const project = await projectOf(route, request, body, caller.account, services)
    const query = route.query && validate(route.query, request.query)
    const fields = route.body && validate(route.body, body)
    const { params, signal } = request
    const checked = { account: caller.account, params, signal, project, query, body: fields }
    // What the row asks for has been made above; the compiler cannot follow that for every row at once.
    const call = checked as unknown as Call<R>

    if (!route.metered || project === undefined) {
      const reply = await handler(call)
      return jsonAnswer(reply.status, reply.body)
    }
    const now = new Date(services.clock.now()).toISOString()
    const [reply, month] = await Promise.all([
      handler(call),
      services.usage.month(caller.account.id, now.slice(0, 7)),
    ])
    await services.usage.addRead(project.id, caller.account.id, now.slice(0, 10))
    // The limit and the percentage of it come with a plan that has a limit (contract 1.3).
    return jsonAnswer(reply.status, reply.body, { 'X-Monthly-Usage': String(month.events) })
  }
}

/** The body's fields: a null on the top level counts as absent (contract R2). */
function bodyFields(bytes: Uint8Array): Record<string, unknown> {
  const body = jsonBody(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('INVALID_BODY', 'the body must be a JSON object')
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
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
