import type { z } from 'zod'
import type { HttpFunction, HttpRequest } from '#lambdas/http/http'
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

type Values = Record<string, string | number | boolean | undefined>
export type RowRequest = {
  params?: Record<string, string>
  query?: Values
  body?: Record<string, unknown>
  /** The version that the call wants to replace. */
  ifMatch?: string
}

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
 * none of its own: scope, plan, limits, the audit log, checks of fields, warnings.
 */
export function createRowCaller(
  functions: RowFunctions,
  { headers, ip, address, signal }: HttpRequest,
): CallRow {
  const credential = {
    ...(headers.authorization !== undefined && { authorization: headers.authorization }),
    ...(headers['x-api-key'] !== undefined && { 'x-api-key': headers['x-api-key'] }),
  }
  return async (name, { params = {}, query = {}, body, ifMatch } = {}) => {
    const route: Route = routes[name]
    const response = await functions[route.function as keyof RowFunctions](route, {
      method: route.method,
      path: route.path,
      params,
      query: toTexts(query),
      headers: { ...credential, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
      body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
      ip,
      ...(address !== undefined && { address }),
      ...(signal !== undefined && { signal }),
    })
    const answer = JSON.parse(String(response.body))
    if (response.status >= 400) throw new RowError(answer)
    return answer
  }
}

function toTexts(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
