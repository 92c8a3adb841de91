import type { Log } from '#core/ports'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { errorResponse } from '#lambdas/http/response'
import type { Route } from '#schemas/route'

/** What every step gets: the request, its row, and what to add to the response. */
export type Exchange = {
  readonly route: Route
  readonly request: HttpRequest
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal | undefined
  /**
   * Headers of the response, also when a later step or the handler fails. A header of the response itself
   * wins.
   */
  readonly headers: Record<string, string>
  /** Run when the response is known, also when it is an error; the last one added runs first. */
  readonly hooks: ResponseHook[]
  /** Writes that hooks have started. The response waits for all of them together. They must not reject. */
  readonly writes: Promise<void>[]
}

/**
 * Sees the response before it is sent; may add to the headers of the exchange. If it throws, its error is the
 * response.
 */
export type ResponseHook = (response: HttpResponse) => void | Promise<void>

/** Ends the chain with this response: later steps and the handler do not run. */
export class EarlyResponse {
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    this.response = response
  }
}

/**
 * One step of a chain. It reads what earlier steps have added to the call and returns what it adds itself; a
 * step that only checks returns nothing. It throws an ApiError to refuse the request.
 */
export type Step<Call extends Exchange, Added extends Addition> = (
  call: Call,
) => Added | EarlyResponse | Promise<Added | EarlyResponse>

/** What a step adds to the call. A step that only checks adds nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: so that such a step needs no return statement
export type Addition = Record<string, unknown> | void

/** A call with what a step has added to it. */
type With<Call, Added> = Added extends Record<string, unknown> ? Call & Added : Call

/** Answers the requests of one row. Never throws. */
export type Endpoint = (request: HttpRequest) => Promise<HttpResponse>

/** A list of steps. `Call` is what they give to the handler. */
export type Chain<Call extends Exchange> = {
  /** The same list with one more step. The compiler refuses a step that needs what no earlier step adds. */
  step<Added extends Addition>(step: Step<Call, Added>): Chain<With<Call, Added>>
  /** The endpoint of a row: runs the steps in their order, then the handler. */
  endpoint(route: Route, handler: (call: Call) => HttpResponse | Promise<HttpResponse>): Endpoint
}

/** A chain without steps. Errors of ours go to `log`. */
export function createChain(log: Log): Chain<Exchange> {
  return chainOf<Exchange>([], log)
}

function chainOf<Call extends Exchange>(steps: readonly AnyStep[], log: Log): Chain<Call> {
  return {
    step: step => chainOf([...steps, step as AnyStep], log),
    endpoint: (route, handler) => {
      nameAfterRow(handler, route)
      return request => {
        const exchange: Exchange = {
          route,
          request,
          signal: request.signal,
          headers: {},
          hooks: [],
          writes: [],
        }
        return respond(exchange, log, () => {
          // The steps add their fields to a copy of the exchange, and only the handler keeps the copy. So the
          // parsed events of a request can be freed while it waits for the log.
          const call = { ...exchange }
          return runSteps(steps, call).then(end => (end === null ? handler(call as Call) : end.response))
        })
      }
    },
  }
}

/** Gives a handler without a name the method and the path of its row, so that stack traces name it. */
export function nameAfterRow(handler: { readonly name: string }, { method, path }: Route): void {
  if (handler.name === '') Object.defineProperty(handler, 'name', { value: `${method} ${path}` })
}

/** A step in a list of steps. `step` of the chain has checked that the earlier steps add what it needs. */
type AnyStep = (call: unknown) => Addition | EarlyResponse | Promise<Addition | EarlyResponse>

/**
 * Runs the steps one after another and adds their fields to the call. Resolves to the response that ends it,
 * or null.
 */
async function runSteps(steps: readonly AnyStep[], call: Exchange): Promise<EarlyResponse | null> {
  for (const step of steps) {
    const result = step(call)
    // An `await` without a promise costs time too, and ingestion runs this loop for each request.
    const added = result instanceof Promise ? await result : result
    if (added instanceof EarlyResponse) return added
    Object.assign(call, added)
  }
  return null
}

/** Runs the work of an exchange, then its hooks, and adds the headers of the steps to the response. */
async function respond(
  exchange: Exchange,
  log: Log,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  let response = await work().catch(error => failure(error, exchange, log))
  for (const hook of exchange.hooks.reverse()) {
    try {
      await hook(response)
    } catch (error) {
      // Nobody will read the body of the response that is replaced.
      if (response.body instanceof ReadableStream) await response.body.cancel()
      response = failure(error, exchange, log)
    }
  }
  await Promise.all(exchange.writes)
  if (Object.keys(exchange.headers).length === 0) return response
  return { ...response, headers: { ...exchange.headers, ...response.headers } }
}

/**
 * The response to an error. If the caller has gone, nobody reads it, and the end of the work is not our bug.
 */
function failure(error: unknown, { route, signal }: Exchange, log: Log): HttpResponse {
  const isGone = signal?.aborted === true && error === signal.reason
  return errorResponse(error, `${route.method} ${route.path}`, isGone ? () => {} : log)
}
