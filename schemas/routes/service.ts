import * as z from 'zod'
import type { Route } from '#schemas/route'

/** Texts that are separated by commas, or that stand in a parameter each. */
const textList = z.string().max(4_000).optional()

export const serviceRoutes = {
  health: {
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Whether the service responds',
    function: 'site',
    auth: 'none',
    responses: {
      200: {
        description: 'The service responds',
        schema: z.object({ status: z.literal('ok'), service: z.string() }).meta({ id: 'Health' }),
      },
    },
    errors: [],
  },
  numbers: {
    method: 'GET',
    path: '/numbers.md',
    tag: 'Service',
    summary: 'What each count and rate means',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'Markdown', contentType: 'text/markdown' } },
    errors: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'OpenAPI, or a part of it',
    function: 'site',
    auth: 'none',
    query: z.object({
      tag: textList.meta({ description: 'Only the endpoints with these tags', example: 'Analytics' }),
      path: textList.meta({
        description: 'Only these paths, as the document writes them',
        example: '/stats,/query',
      }),
    }),
    lists: ['tag', 'path'],
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document',
        schema: z.looseObject({ openapi: z.string() }),
        contentType: 'application/json',
      },
    },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
