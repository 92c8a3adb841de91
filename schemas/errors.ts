/**
 * Every error code that a caller can see (docs/api/errors.md), with its HTTP status and a hint. The hint
 * tells the caller, who is often an agent, what to do next. It is the message of an error without its own,
 * and part of the OpenAPI document.
 */
export const errorCodes = {
  AUTH_REQUIRED: {
    status: 401,
    hint: 'Send a credential: header X-API-Key: aak_… (an API key), or Authorization: Bearer aas_… (an agent session).',
  },
  INVALID_TOKEN: {
    status: 401,
    hint: 'Send the token of a live project (aat_…) as `token`. GET /projects lists the tokens.',
  },
  FORBIDDEN: { status: 403, hint: 'This credential or origin has no right to do that. Use another one.' },
  PRO_REQUIRED: { status: 403, hint: 'This needs a Pro account. GET /account/usage says how to upgrade.' },
  RATE_LIMITED: {
    status: 429,
    hint: 'Too many requests. Send the same request again after Retry-After seconds.',
  },
  STREAM_LIMIT: {
    status: 429,
    hint: 'All open streams that this caller may have are in use. Close one and open this one again, or read GET /live.',
  },
  STREAMS_OFF: {
    status: 501,
    hint: 'This address has no streams. Ask GET /live with `after` every 5 seconds.',
  },
  PROJECT_REQUIRED: {
    status: 400,
    hint: 'Send the name or id of a project as `project`. GET /projects lists the projects.',
  },
  MISSING_FIELDS: {
    status: 400,
    hint: 'Add or correct the field that the message names. The message says what is accepted.',
  },
  INVALID_BODY: {
    status: 400,
    hint: 'Send the body as a JSON object in UTF-8. GET /openapi.json describes its fields.',
  },
  BATCH_TOO_LARGE: { status: 400, hint: 'Send at most 100 events in a request. Split the batch.' },
  INVALID_EVENT: {
    status: 400,
    hint: 'Correct the `event`, `user_id`, `session_id` or `event_id` that the message names.',
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
    hint: 'Send one batch for each project. All events of a batch must have the same token.',
  },
  INVALID_SINCE: {
    status: 400,
    hint: 'Send `since` as a number of days such as `7d`, or as an ISO 8601 date such as `2026-11-01` that is not in the future.',
  },
  INVALID_METRIC: { status: 400, hint: 'Use the metrics that the message lists.' },
  INVALID_COUNT_MODE: { status: 400, hint: 'Use `session_then_user` or `raw` as `count_mode`.' },
  INVALID_ARGUMENTS: { status: 400, hint: 'Correct or leave out the arguments that the message names.' },
  INVALID_GROUP_BY: { status: 400, hint: 'Use the fields that the message lists in `group_by`.' },
  INVALID_FILTER_OP: { status: 400, hint: 'Use one of the operators that the message lists.' },
  INVALID_FILTER_FIELD: {
    status: 400,
    hint: 'Use a built-in field, or `properties.<key>` with a key of `available_properties`.',
  },
  INVALID_PROPERTY_KEY: {
    status: 400,
    hint: 'Use 1 to 128 letters, digits and underscores as a property key, or any key as in `properties["a.b"]`. GET /properties lists the keys.',
  },
  INVALID_FUNNEL_STEPS: {
    status: 400,
    hint: 'Send 2 to 8 `steps`, each with an `event`, or set activation events in the project context.',
  },
  INVALID_VARIANTS: {
    status: 400,
    hint: 'Send 2 to 4 different variant keys, and weights that are whole numbers and add up to 100; `winner` is one of the keys.',
  },
  INVALID_EXPERIMENT_STATUS: {
    status: 400,
    hint: 'Send `status` as active, paused or completed. A completed experiment cannot change.',
  },
  QUERY_FAILED: { status: 400, hint: 'Ask for fewer metrics, groups or filters, or for a shorter range.' },
  NOT_FOUND: {
    status: 404,
    hint: 'Check the path and the name. GET /projects lists the projects, GET /openapi.json lists the paths.',
  },
  EXPERIMENT_NOT_FOUND: {
    status: 404,
    hint: 'There is no experiment of this id. GET /experiments lists those of a project.',
  },
  METHOD_NOT_ALLOWED: { status: 405, hint: 'Use one of the methods that the Allow header names.' },
  DUPLICATE_ORIGIN: {
    status: 409,
    hint: 'Another project of the account has this primary origin. Use that project or another origin.',
  },
  NAME_LOCKED: {
    status: 409,
    hint: 'The project has events, so its name cannot change. Create another project for another name.',
  },
  NAME_EXISTS: { status: 409, hint: 'Another project of the account has this name. Choose another name.' },
  SLUG_EXISTS: { status: 409, hint: 'Another portfolio of the account has this slug. Choose another slug.' },
  PROJECT_IN_PORTFOLIO: {
    status: 409,
    hint: 'The project is in another portfolio. Send `allow_move: true` to move it.',
  },
  EXPERIMENT_NAME_EXISTS: {
    status: 409,
    hint: 'Another experiment of the project has this name. Choose another name, or delete that experiment.',
  },
  CONTEXT_CHANGED: {
    status: 409,
    hint: 'Another request has changed the same list. Get the context again, and repeat the change on it.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    hint: 'The context or segment has changed since it was read with this ETag. Get it again, and repeat the change on it.',
  },
  CONFIRMATION_REQUIRED: {
    status: 409,
    hint: 'The person has more than 20 ids. List them with `dry_run=true`, then send the value of `ids` as `confirm`.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    hint: 'The request arrived too slowly. Send it again, in smaller parts if needed.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, hint: 'Send a body of at most 1 MiB. Split the batch.' },
  INVALID_URL: {
    status: 400,
    hint: 'Send a public http or https address without user name, on port 80 or 443.',
  },
  SCAN_BUSY: {
    status: 429,
    hint: 'Send the same request again after `retry_after_seconds`.',
  },
  SCAN_FAILED: {
    status: 502,
    hint: 'The website could not be analysed. The message says why. Correct that, then try again.',
  },
  INTERNAL_ERROR: {
    status: 500,
    hint: 'The service has a bug. Try again later, and tell the operator if it fails again.',
  },
  INVALID_STATE: {
    status: 400,
    hint: 'Wait until the human has approved the auth request, then exchange again.',
  },
  AUTH_REQUEST_ALREADY_EXCHANGED: {
    status: 409,
    hint: 'Use the session that the first exchange returned, or start another auth request.',
  },
  AUTH_REQUEST_EXPIRED: { status: 410, hint: 'Start another auth request with POST /agent-sessions/start.' },
  AUTH_REQUEST_REVOKED: {
    status: 410,
    hint: 'The human denied it. Ask them before you start another auth request.',
  },
  INVALID_EXCHANGE_CODE: {
    status: 401,
    hint: 'Send the exchange code (aae_…) of this auth request, from the callback, the finish page or the poll.',
  },
  INVALID_CODE_VERIFIER: {
    status: 401,
    hint: 'Send the code_verifier whose SHA-256 was sent as code_challenge.',
  },
  INVALID_POLL_TOKEN: {
    status: 401,
    hint: 'Send the poll token (aap_…) that POST /agent-sessions/start returned.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    hint: 'The session is over. Start another auth request with POST /agent-sessions/start.',
  },
  UNSUPPORTED_IDENTITY_TYPE: { status: 400, hint: 'Send `type` as user_claimed; GET /auth.md describes it.' },
  UNSUPPORTED_CREDENTIAL_TYPE: { status: 400, hint: 'Send `requested_credential_type` as access_token.' },
  AUTHORIZATION_PENDING: {
    status: 400,
    hint: 'Wait as many seconds as `interval` says, then complete the claim again.',
  },
  ACCESS_DENIED: { status: 403, hint: 'The human denied it. Ask them before you start another claim.' },
  CLAIM_EXPIRED: { status: 410, hint: 'Start another claim with POST /agent/auth.' },
  CLAIM_ALREADY_COMPLETED: {
    status: 409,
    hint: 'Use the session that the first completion returned, or start another claim.',
  },
  // The codes that OAuth itself gives to clients (RFC 6749, 7591 and 8707).
  invalid_request: { status: 400, hint: 'Add or correct the parameter that the message names.' },
  invalid_client: {
    status: 400,
    hint: 'Register with POST /oauth/register, or correct the client id metadata document.',
  },
  invalid_grant: { status: 400, hint: 'Send the human to GET /oauth/authorize again.' },
  unsupported_grant_type: {
    status: 400,
    hint: 'Send `grant_type` as authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code.',
  },
  unsupported_response_type: { status: 400, hint: 'Send `response_type` as code.' },
  invalid_scope: { status: 400, hint: 'Send one of `scopes_supported`, or no `scope`.' },
  invalid_target: { status: 400, hint: 'Send the address of /mcp as `resource`, or no `resource`.' },
  invalid_redirect_uri: {
    status: 400,
    hint: 'Use https, or http on 127.0.0.1, localhost or [::1].',
  },
  invalid_client_metadata: { status: 400, hint: 'Correct the field that the message names.' },
  UNAVAILABLE: {
    status: 503,
    hint: 'Send the same request again after Retry-After seconds. An event with an `event_id` is stored once.',
  },
} as const satisfies Record<string, { status: number; hint: string }>

/** A code that a caller can see in `error`. */
export type ErrorCode = keyof typeof errorCodes

/** Whether a code is one of OAuth: those are written in lower case, and have an `error_description`. */
export function isOAuthCode(code: ErrorCode): boolean {
  return code === code.toLowerCase()
}
