import type { Log } from '#core/ports'
import type { HttpRequest } from '#lambdas/http/http'
import type { Route } from '#schemas/route'
import { challenge } from './authenticate.ts'
import { createChain, type Endpoint, type Exchange } from './chain.ts'
import { readBody } from './read-body.ts'
import { answerRow, type FieldsOf, type RowResponse } from './row-handler.ts'
import { validateFields } from './validate-fields.ts'

type PublicChainOptions = {
  log: Log
  challengeUrl?: string
  requireThere?: (request: HttpRequest) => void | Promise<void>
}

/**
 * The endpoints of rows that anybody may call: `chain(routes.health)(call => …)`. `challengeUrl`: the address
 * of the service, for rows that check secrets of their own; their 401 names it in WWW-Authenticate, as RFC
 * 9110 demands, and in its body. `requireThere`: throws NOT_FOUND where a setting turns the row off. It runs
 * before anything of the request is read, so that such a row says nothing about its fields.
 */
export function publicChain({ log, challengeUrl, requireThere = () => {} }: PublicChainOptions) {
  const chain = createChain(log)
    .step(challengeOf(challengeUrl))
    .step(function requireRow({ request }) {
      return requireThere(request)
    })
    .step(readBody)
    .step(validateFields)

  return <const R extends Route & { auth: 'none' }>(route: R) =>
    (handler: (call: Exchange & FieldsOf<R>) => RowResponse<R> | Promise<RowResponse<R>>): Endpoint =>
      chain.endpoint(route, answerRow(route, handler))
}

function challengeOf(baseUrl: string | undefined) {
  return function addChallenge({ hooks, headers }: Exchange): void {
    if (baseUrl === undefined) return
    hooks.push(response => {
      if (response.status !== 401) return
      const added = challenge(baseUrl)
      Object.assign(headers, added.headers)
      response.body = JSON.stringify({ ...added.fields, ...JSON.parse(String(response.body)) })
    })
  }
}
