import type { Log } from '#core/ports'
import type { Route } from '#schemas/routes'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { errorResponse } from '../response.ts'

/** What every step gets: the request, its row, and what to add to the response. */
export type Exchange = {
  readonly route: Route
  readonly request: HttpRequest
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal | undefined
  /** Headers of the response, also when a later step or the handler fails. A header of the response itself wins. */
  readonly headers: Record<string, string>
  /** Run when the response is known, also when it is an error; the last one added runs first. */
  readonly hooks: ResponseHook[]
}

/** Sees the response before it is sent; may add to the headers of the exchange. If it throws, its error is the response. */
export type ResponseHook = (response: HttpResponse) => void | Promise<void>

/** Ends the chain with this response: later steps and the handler do not run. */
export class EarlyResponse {
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    this.response = response
  }
}

/**
 * One step of a chain. It reads what earlier steps have added to the call and returns what it adds itself; a step that
 * only checks returns nothing. It throws an ApiError to refuse the request.
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
  return chainOf<Exchange>(async exchange => exchange, log)
}

function chainOf<Call extends Exchange>(
  run: (exchange: Exchange) => Promise<Call | EarlyResponse>,
  log: Log,
): Chain<Call> {
  return {
    step<Added extends Addition>(step: Step<Call, Added>) {
      return chainOf<With<Call, Added>>(async exchange => {
        const call = await run(exchange)
        if (call instanceof EarlyResponse) return call
        const added = await step(call)
        return added instanceof EarlyResponse ? added : (Object.assign(call, added) as With<Call, Added>)
      }, log)
    },
    endpoint: (route, handler) => request =>
      respond({ route, request, signal: request.signal, headers: {}, hooks: [] }, log, async exchange => {
        const call = await run(exchange)
        return call instanceof EarlyResponse ? call.response : handler(call)
      }),
  }
}

/** Runs the work of an exchange, then its hooks, and adds the headers of the steps to the response. */
async function respond(
  exchange: Exchange,
  log: Log,
  work: (exchange: Exchange) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  let response = await work(exchange).catch(error => failure(error, exchange, log))
  for (const hook of exchange.hooks.reverse()) {
    try {
      await hook(response)
    } catch (error) {
      response = failure(error, exchange, log)
    }
  }
  return { ...response, headers: { ...exchange.headers, ...response.headers } }
}

/** The response to an error. If the caller has gone, nobody reads it, and the end of the work is not our bug. */
function failure(error: unknown, { route, signal }: Exchange, log: Log): HttpResponse {
  const isGone = signal?.aborted === true && error === signal.reason
  return errorResponse(error, `${route.method} ${route.path}`, isGone ? () => {} : log)
}
