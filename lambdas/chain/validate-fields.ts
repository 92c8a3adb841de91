import type { z } from 'zod'
import type { JsonObject } from '#core/text/json-object'
import { validate } from '#lambdas/http/validate'
import type { Exchange } from './chain.ts'
import { findIgnored } from './find-ignored.ts'

/**
 * Checks the query, the body and the options by the schemas of the row. A null on the top level of the body
 * counts as absent (R2). Throws the code that the schema names for the field, else MISSING_FIELDS.
 */
export function validateFields(exchange: Exchange & { json: JsonObject }): {
  query: unknown
  body: unknown
  options: unknown
  /** What was ignored, as sentences. */
  warnings: string[]
} {
  const { route, request } = exchange
  const bodyFields = bodyFieldsOf(exchange)
  return {
    query: route.query && validate(route.query, request.query),
    body: route.body && validate(route.body, bodyFields, route.bodyCode),
    options: route.options && validate(route.options, { ...request.query, ...bodyFields }),
    warnings: findIgnored(exchange),
  }
}

/**
 * Returns whether the request asks for a dry run in a form that validateFields accepts. Earlier steps may use
 * it.
 */
export function isDryRun(exchange: Exchange & { json: JsonObject }): boolean {
  const option: z.ZodType | undefined = exchange.route.options?.shape.dry_run
  if (option === undefined) return false
  const { dry_run } = { ...exchange.request.query, ...bodyFieldsOf(exchange) }
  return option.safeParse(dry_run).data === true
}

function bodyFieldsOf({ route, json }: Exchange & { json: JsonObject }): JsonObject {
  return route.body === undefined ? {} : withoutNulls(json)
}

function withoutNulls(json: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null))
}
