import type { Asker } from '#core/reports/run/packs'
import type { Route } from '#schemas/route'
import type { HttpRequest } from './http.ts'

/** What a request that the service makes to itself has beside its row. */
export type RowRequest = {
  params?: Record<string, string>
  /** As JSON has them: lists become lines, other objects their JSON. Undefined and null are left out. */
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  /** The version that the call wants to replace. */
  ifMatch?: string
  /** As of HttpRequest. */
  asker?: Asker
}

/**
 * The request of a row, by the caller of another request: with the credential, the address and the signal of
 * that one. So a row that is called within the service checks everything as if the caller had sent it.
 */
export function rowRequest(
  { method, path }: Pick<Route, 'method' | 'path'>,
  { headers, ip, address, signal }: HttpRequest,
  { params = {}, query = {}, body, ifMatch, asker }: RowRequest = {},
): HttpRequest {
  return {
    ...{ method, path, params, query: toTexts(query), ip },
    headers: {
      ...(headers.authorization !== undefined && { authorization: headers.authorization }),
      ...(headers['x-api-key'] !== undefined && { 'x-api-key': headers['x-api-key'] }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    ...(address !== undefined && { address }),
    ...(signal !== undefined && { signal }),
    ...(asker !== undefined && { asker }),
  }
}

function toTexts(values: Record<string, unknown>): Record<string, string> {
  // No prototype, as in a query string: a parameter may have any name.
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) texts[name] = [value].flat().map(toText).join('\n')
  }
  return texts
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
