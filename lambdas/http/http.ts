import type { Asker } from '#core/reports/run/packs'
import type { Route } from '#schemas/route'

/** A request as every function gets it, from API Gateway or from the server of one machine. */
export type HttpRequest = {
  method: string
  path: string
  /** Path parameters by name, percent-decoded. */
  params: Record<string, string>
  /** The last value of each query parameter, percent-decoded. */
  query: Record<string, string>
  /** By lower-case name. The cookies are there only for rows with `cookies`. */
  headers: Record<string, string | undefined>
  body: Uint8Array
  /**
   * The caller's address. It is used for the country and for limits by address, and never stored or logged.
   */
  ip: string | null
  /**
   * The address of the service that the caller has used, without a slash at its end; absent where the
   * settings name one. The caller may have made it up, so it stands in examples of the response to this
   * caller, and nowhere else: it is not stored, is in no response that a cache may keep, and decides nothing.
   */
  address?: string
  /** Aborted when the caller goes away. */
  signal?: AbortSignal
  /** Set when one call runs several requests at once, so that their statements share packs. */
  asker?: Asker
}

/** A response whose body is known as a whole, as that of every row but GET /stream. */
export type BufferedResponse = HttpResponse & { body: string | Uint8Array }

export type HttpResponse = {
  status: number
  headers: Record<string, string>
  /** A stream is sent while it goes on. It is cancelled when the caller goes away. */
  body: string | Uint8Array | ReadableStream<Uint8Array>
  /** Set-Cookie headers, one each. */
  cookies?: readonly string[]
}

/** A deployed HTTP function: serves the routes whose row names it. Never throws. */
export type HttpFunction = (route: Route, request: HttpRequest) => Promise<HttpResponse>
