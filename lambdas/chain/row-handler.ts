import type { z } from 'zod'
import type { HttpResponse } from '#lambdas/http/http'
import { jsonResponse, writtenResponse } from '#lambdas/http/response'
import type { Route } from '#schemas/route'
import { nameAfterRow } from './chain.ts'

/** The checked query, body and options of a row, as its handler gets them. */
export type FieldsOf<R extends Route> = (R extends { query: infer Q extends z.ZodType }
  ? { query: z.output<Q> }
  : unknown) &
  (R extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown) &
  (R extends { options: infer O extends z.ZodType } ? { options: z.output<O> } : unknown)

/** A body that is JSON already. Nothing compares it with what the row promises. */
export class WrittenBody {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

/**
 * What a handler of a row may return: a status of the row with the body that the row promises for it, which
 * becomes JSON. Where the row names a content type or has no schema, the handler writes the whole response: a
 * page, a script, a redirect, or 304.
 */
export type RowResponse<R extends Route> = {
  [Status in keyof R['responses'] & number]: R['responses'][Status] extends { contentType: string }
    ? HttpResponse & { status: Status | 304 }
    : R['responses'][Status] extends { schema: infer S extends z.ZodType }
      ? { status: Status; body: z.input<S> | WrittenBody }
      : HttpResponse & { status: Status }
}[keyof R['responses'] & number]

type AnyResponse = HttpResponse | { status: number; body: unknown }

/** The end of the chain of a row: its handler, whose call has what the row declares. */
export function answerRow<Call>(route: Route, handler: (call: Call) => AnyResponse | Promise<AnyResponse>) {
  nameAfterRow(handler, route)
  // The steps have added what the row declares. The compiler cannot follow that for every row at once.
  return async function answerRow(call: unknown): Promise<HttpResponse> {
    return toHttpResponse(await handler(call as Call))
  }
}

/** Writes what a handler has returned as an HTTP response. */
export function toHttpResponse(response: AnyResponse): HttpResponse {
  if ('headers' in response) return response
  const { status, body } = response
  return body instanceof WrittenBody ? writtenResponse(status, body.json) : jsonResponse(status, body)
}
