import { isGuest } from '#core/access/caller'
import { createSharedRuns } from '#core/async/shared-runs'
import { ApiError } from '#core/errors'
import type { Project } from '#core/projects/project'
import { type KeptAnswer, minuteOf } from '#core/reports/run/kept-answers'
import type { AccountCall, accountChain } from '#lambdas/chain/account-chain'
import { type RowResponse, toHttpResponse } from '#lambdas/chain/row-handler'
import { jsonResponse } from '#lambdas/http/response'
import type { Route } from '#schemas/route'
import { openProject, type ProjectCall } from './open-project.ts'
import type { ReportsServices } from './services.ts'

type Chain = ReturnType<typeof accountChain>
type Handler<R extends Route> = (call: AccountCall<R>) => Promise<RowResponse<R>>
/** The fields of a call that decide its answer. What a row does not have is absent. */
type Asked = Pick<AccountCall<Route>, 'route' | 'request' | 'caller' | 'warnings'> & {
  query?: unknown
  body?: unknown
  options?: unknown
}

/**
 * A chain whose endpoints answer the same question of share links and of demo sessions once a minute. All of
 * them read one project with the same rights, so a crowd of readers costs no more than one. The chain checks
 * each call first, and the project must still be there, so a deleted link or project gives no kept answer.
 * Calls of accounts run by themselves.
 */
export function keepGuestAnswers(chain: Chain, services: ReportsServices): Chain {
  const { keptAnswers, guestPlaces, clock } = services
  const share = createSharedRuns<KeptAnswer>()
  const scope = {}

  /** Runs the question once for all who ask it now. */
  async function run<R extends Route>(
    call: AccountCall<R>,
    handler: Handler<R>,
    question: string,
    startedAt: number,
  ): Promise<KeptAnswer> {
    const signal = call.signal ?? new AbortController().signal
    const { project } = call as { project?: Project }
    let isOwn = false
    const join = () =>
      share({ scope, key: question, signal }, async runSignal => {
        isOwn = true
        // Its own headers, because the rate limit of the caller is in those of the call.
        const headers: Record<string, string> = {}
        const holder = project?.id ?? call.caller.account.id
        const response = await guestPlaces.run(holder, () => handler({ ...call, headers, signal: runSignal }))
        const { status, body } = toHttpResponse(response)
        const answer = { status, body: String(body), headers, startedAt }
        // It is no reason to fail a request.
        await keptAnswers.put(question, answer).catch(() => {})
        return answer
      })
    try {
      return await join()
    } catch (error) {
      // The limit was that of another reader.
      if (isOwn || !(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error
      return join()
    }
  }

  return route => handler =>
    chain(route)(async function answerFromKept(call) {
      if (!isGuest(call.caller)) return handler(call)
      const named = (call as { project?: Project }).project
      const project =
        named === undefined ? null : (await openProject(services, call as unknown as ProjectCall)).project
      const startedAt = clock.now()
      const question = questionOf(call, project, startedAt)
      const known = await keptAnswers.get(question).catch(() => null)
      const { status, headers, body, ...answer } = known ?? (await run(call, handler, question, startedAt))
      const age = Math.max(0, Math.floor((clock.now() - answer.startedAt) / 1_000))
      Object.assign(call.headers, headers, { Age: String(age) })
      // The rows of the chain have JSON.
      return { ...jsonResponse(status, null), body } as unknown as RowResponse<typeof route>
    })
}

/**
 * What decides the answer: the route, its path parameters, what the caller asks after its checks, the project
 * as it is now, what the link shows, the plan, and the minute. Which reader asks decides nothing, nor does
 * the name by which the reader calls the project.
 */
function questionOf(call: Asked, project: Project | null, now: number): string {
  const { route, request, caller, query, body, options, warnings } = call
  return JSON.stringify(
    [
      [route.method, route.path, request.params],
      [withoutProject(query), withoutProject(body), options, warnings],
      [project, caller.account.id, caller.tier],
      [caller.credential.kind, caller.shared?.link.views.toSorted()],
      minuteOf(now),
    ],
    inOrder,
  )
}

function withoutProject(fields: unknown): unknown {
  const { project: _, ...others } = (fields ?? {}) as Record<string, unknown>
  return others
}

/** For JSON.stringify: the same fields in another order are the same. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
