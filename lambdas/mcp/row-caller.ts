import type { z } from 'zod'
import { createPacks, type PacksServices } from '#core/reports/run/packs'
import type { HttpFunction, HttpRequest } from '#lambdas/http/http'
import { type RowRequest, rowRequest } from '#lambdas/http/row-request'
import type { ErrorCode } from '#schemas/errors'
import type { Receipt } from '#schemas/read-options'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'

/** The functions whose rows the tools call. */
export type RowFunctions = Record<'reports' | 'control', HttpFunction>

type CallableName = {
  [Name in RouteName]: (typeof routes)[Name]['function'] extends keyof RowFunctions ? Name : never
}[RouteName]

/** The body of a success, with what every read may add to it. */
type BodyOf<R extends Route> = Extras &
  (R['responses'][keyof R['responses'] & (200 | 201)] extends { schema: infer S extends z.ZodType }
    ? z.output<S>
    : never)
type Extras = { receipt?: Receipt | undefined; warnings?: string[] | undefined }

/** Calls a row of the routes table for the caller of the tool. Throws RowError when the row refuses it. */
export type CallRow = <Name extends CallableName>(
  name: Name,
  request?: RowRequest,
) => Promise<BodyOf<(typeof routes)[Name]>>

/** A row has refused a call. */
export class RowError extends Error {
  override readonly name = 'RowError'
  readonly code: ErrorCode
  /** The fields of the body beside `error` and `message`. */
  readonly fields: Readonly<Record<string, unknown>>

  constructor({ error, message, ...fields }: { error: ErrorCode; message: string }) {
    super(message)
    this.code = error
    this.fields = fields
  }
}

/**
 * Calls rows as plain functions, with the credential of a request. A tool thus has the rules of the API and
 * none of its own: scope, plan, limits, the audit log, checks of fields, warnings. Reads that are called at
 * once share statements on AWS, as those of a POST /reads do.
 */
export function createRowCaller(
  functions: RowFunctions,
  caller: HttpRequest,
  services: PacksServices,
): CallRow {
  const packs = createPacks(services)
  return async function callRow(name, request) {
    const route: Route = routes[name]
    const answerRow = functions[route.function as keyof RowFunctions]
    const asker = packs.begin()
    const called = answerRow(route, rowRequest(route, caller, { ...request, asker }))
    const response = await called.finally(asker.end)
    const answer = JSON.parse(String(response.body))
    if (response.status >= 400) throw new RowError(answer)
    return answer
  }
}
