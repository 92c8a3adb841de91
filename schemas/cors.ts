/**
 * What browsers of other origins may do (contract R17): everything, without cookies. The functions put it on every
 * answer (lambdas/response.ts); on AWS the API answers preflights by it, so that none reaches a function (lib/api.ts).
 */
export const CORS = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: ['Content-Type', 'X-API-Key', 'Authorization'],
  /** How long a browser keeps the answer to a preflight, s: the tracker asks once a day. */
  maxAgeSeconds: 86_400,
} as const
