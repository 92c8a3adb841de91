import QuickLRU from 'quick-lru'
import type { Now } from '#core/ports'
import { createSharedRuns } from '#core/shared-runs'
import type { AccountCall, accountChain } from '#lambdas/chain/account-chain'
import type { RowResponse } from '#lambdas/chain/row-handler'
import type { Route } from '#schemas/route'

/**
 * How long an answer serves further demo sessions, from the start of its run, ms. Reports are two seconds
 * behind anyway.
 */
const SHARED_MS = 1_000
/** An answer may have megabytes, so few are kept. */
const MAX_ANSWERS = 8

type Chain = ReturnType<typeof accountChain>
type Handler<R extends Route> = (call: AccountCall<R>) => Promise<RowResponse<R>>
type Answer = { response: unknown; headers: Record<string, string>; startedAt: number }

/**
 * A chain whose endpoints run the same question of several demo sessions once in a second. All of them read
 * one project with the same rights, so the answer is the same, and a crowd of demo users costs no more than
 * one. Calls with other credentials run by themselves.
 */
export function sharedForDemo(chain: Chain, { clock }: { clock: Now }): Chain {
  const share = createSharedRuns<Answer>()
  const scope = {}
  const finished = new QuickLRU<string, Answer>({ maxSize: MAX_ANSWERS })

  function run<R extends Route>(call: AccountCall<R>, handler: Handler<R>, key: string): Promise<Answer> {
    const signal = call.signal ?? new AbortController().signal
    return share({ scope, key, signal }, async runSignal => {
      const startedAt = clock.now()
      // Its own headers, because the rate limit of the session is in those of the call.
      const headers: Record<string, string> = {}
      const response = await handler({ ...call, headers, signal: runSignal })
      const answer = { response, headers, startedAt }
      finished.set(key, answer)
      return answer
    })
  }

  return route => handler =>
    chain(route)(async call => {
      if (call.caller.credential.kind !== 'demo') return handler(call)
      const key = questionOf(call)
      const known = finished.get(key)
      const isRecent = known !== undefined && clock.now() - known.startedAt < SHARED_MS
      const answer = isRecent ? known : await run(call, handler, key)
      Object.assign(call.headers, answer.headers)
      return answer.response as RowResponse<typeof route>
    })
}

/**
 * What decides the answer: the route, its path parameters, and what the caller sent. Which session asks
 * decides nothing.
 */
function questionOf({
  route,
  request,
  json,
}: Pick<AccountCall<Route>, 'route' | 'request' | 'json'>): string {
  const { params, query } = request
  const { key: _, ...parameters } = query
  return JSON.stringify([route.method, route.path, params, Object.entries(parameters).sort(), json])
}
