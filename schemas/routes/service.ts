import * as z from 'zod'
import type { Route } from '../routes.ts'

export const serviceRoutes = {
  health: {
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Check that the service responds',
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
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This document',
    function: 'site',
    auth: 'none',
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document',
        schema: z.looseObject({ openapi: z.string() }),
        contentType: 'application/json',
      },
    },
    errors: [],
  },
} as const satisfies Record<string, Route>
