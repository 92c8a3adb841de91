import type * as z from 'zod'
import type { routes } from '#schemas/routes'

/**
 * The endpoints as types of the table of routes: a command that names a route which does not exist, or reads
 * a field that its answer does not have, does not compile. Nothing of the table is in the built file, because
 * the checks of zod would double the time of a start.
 */

type Rows = typeof routes
type NameOf<Row> = Row extends { method: infer Method extends string; path: infer Path extends string }
  ? `${Method} ${Path}`
  : never

/** Method and path, such as `GET /stats`. */
export type Endpoint = { [Name in keyof Rows]: NameOf<Rows[Name]> }[keyof Rows]

type RowOf<Of extends Endpoint> = {
  [Name in keyof Rows]: NameOf<Rows[Name]> extends Of ? Rows[Name] : never
}[keyof Rows]
type SchemaOf<Response> = Response extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never
type SuccessOf<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 202 ? SchemaOf<Responses[Status]> : never
}[keyof Responses]

/** What a successful call of the endpoint returns. */
export type Answer<Of extends Endpoint> =
  RowOf<Of> extends { responses: infer Responses } ? SuccessOf<Responses> : never

/** Values of parameters; an absent one is not sent. */
export type Values = Readonly<Record<string, unknown>>

/** One call. */
export type Call<Of extends Endpoint = Endpoint> = {
  endpoint: Of
  /** Values of the names in the braces of the path. */
  path?: Readonly<Record<string, string>>
  query?: Values
  body?: Values
  /** The version that the call wants to replace, for the header If-Match. */
  ifMatch?: string | undefined
}
