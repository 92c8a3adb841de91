/**
 * Every error code that a caller can see (contract 0.1), with its HTTP status and the hint that tells the caller,
 * often an agent, what to do next. The OpenAPI document and the answers are made from this table.
 */
export const errorCodes = {
  AUTH_REQUIRED: {
    status: 401,
    hint: 'Send a credential: header X-API-Key: aak_… (an API key), or Authorization: Bearer aas_… (an agent session).',
  },
  INVALID_TOKEN: {
    status: 401,
    hint: "Send the project's token (aat_…) as `token`; GET /projects lists it. A deleted project's token is dead.",
  },
  FORBIDDEN: { status: 403, hint: 'This credential or origin may not do that; use one that may.' },
  PRO_REQUIRED: { status: 403, hint: 'This needs a Pro account; GET /account/usage tells how to upgrade.' },
  RATE_LIMITED: {
    status: 429,
    hint: 'Wait as many seconds as Retry-After says, then send the same request again.',
  },
  PROJECT_REQUIRED: {
    status: 400,
    hint: 'Name the project: its name or its id, as `project`. GET /projects lists them.',
  },
  MISSING_FIELDS: {
    status: 400,
    hint: 'Add or mend the field that the message names; it gives the accepted range.',
  },
  INVALID_BODY: {
    status: 400,
    hint: 'Send the body as a JSON object in UTF-8, as GET /openapi.json describes it.',
  },
  BATCH_TOO_LARGE: { status: 400, hint: 'Send at most 100 events a request; split the batch.' },
  INVALID_EVENT: {
    status: 400,
    hint: 'Mend the event, user_id, session_id or event_id that the message names.',
  },
  INVALID_PROPERTIES: {
    status: 400,
    hint: 'Send `properties` as an object of at most 8192 bytes of JSON, or null.',
  },
  INVALID_TIMESTAMP: {
    status: 400,
    hint: 'Send `timestamp` in Unix milliseconds, from 30 days ago to 5 minutes ahead, or leave it out.',
  },
  MIXED_TOKENS: {
    status: 400,
    hint: 'Send one batch per project: all events of a batch carry the same token.',
  },
  INVALID_SINCE: {
    status: 400,
    hint: 'Send `since` as Nd (7d) or as an ISO 8601 date (2026-11-01), not in the future.',
  },
  NOT_FOUND: {
    status: 404,
    hint: 'Check the path and the name; GET /projects lists the projects, GET /openapi.json the paths.',
  },
  METHOD_NOT_ALLOWED: { status: 405, hint: 'The Allow header names the methods of this path.' },
  DUPLICATE_ORIGIN: {
    status: 409,
    hint: 'Another project of the account has this primary origin; use that project or another origin.',
  },
  NAME_LOCKED: {
    status: 409,
    hint: 'A project keeps its name once it has events; create another project for another name.',
  },
  NAME_EXISTS: { status: 409, hint: 'Another project of the account has this name; choose another.' },
  PAYLOAD_TOO_LARGE: { status: 413, hint: 'Send at most 1 MiB; split the batch.' },
  INTERNAL_ERROR: { status: 500, hint: 'Our fault: try again later, and tell the operator if it goes on.' },
  UNAVAILABLE: {
    status: 503,
    hint: 'Nothing is lost: send the same request again after Retry-After seconds.',
  },
} as const satisfies Record<string, { status: number; hint: string }>

/** One of the codes that a caller can see in `error`. */
export type ErrorCode = keyof typeof errorCodes
