import type { Route } from '#schemas/routes'

/** A request as every function sees it, whatever brought it: API Gateway or the local front. */
export type HttpRequest = {
  method: string
  path: string
  /** Path parameters by name, percent-decoded. */
  params: Record<string, string>
  /** The last value of each query parameter, percent-decoded. */
  query: Record<string, string>
  /** Lower-case names. */
  headers: Record<string, string | undefined>
  body: Uint8Array
  /** The caller's address, for the country only; never stored or logged. */
  ip: string | null
  /** Aborted when the caller goes away. */
  signal?: AbortSignal
}

export type HttpResponse = {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** Set-Cookie headers, one each. */
  cookies?: readonly string[]
}

/** A deployed HTTP function: one entry a route it answers. */
export type HttpFunction = (route: Route, request: HttpRequest) => Promise<HttpResponse>
