import * as z from 'zod'
import { failsWith } from './fields.ts'
import { isLoopbackCallback } from './loopback.ts'
import { GRANTS } from './oauth.ts'
import { DEFAULT_SCOPES, READ_SCOPES, SCOPES, type Scope } from './scopes.ts'

/** Agent sessions and claims (docs/api/agent-sessions.md and docs/api/discovery.md). */

function text(name: string, max = 256) {
  const rule = `Field \`${name}\` takes a text of 1 to ${max} characters.`
  return z.string(rule).min(1, rule).max(max, rule)
}

const SCOPES_RULE = `Field \`scopes\` takes a list of ${SCOPES.join(', ')}.`

/** Unknown scopes are dropped (docs/api/agent-sessions.md). Nothing valid left is an error. */
function scopesOr(absent: readonly Scope[], description: string) {
  return z
    .array(z.string(SCOPES_RULE), SCOPES_RULE)
    .default([...absent])
    .transform(asked => SCOPES.filter(scope => asked.includes(scope)))
    .refine(granted => granted.length > 0, SCOPES_RULE)
    .meta({ description })
}

const DROPPED = 'Unknown scopes are dropped; the response says which are granted'
const scopes = scopesOr(DEFAULT_SCOPES, DROPPED)

const CHALLENGE_RULE =
  'Field `code_challenge` takes the SHA-256 of the verifier in hex (64) or base64url (43 characters).'
const codeChallenge = z
  .string(CHALLENGE_RULE)
  .regex(/^([0-9a-fA-F]{64}|[A-Za-z0-9_-]{43})$/, CHALLENGE_RULE)
  .transform(challenge => (challenge.length === 64 ? challenge.toLowerCase() : challenge))

const metadata = z
  .looseObject({ requires_existing_account: z.unknown().optional() }, 'Field `metadata` takes an object.')
  .meta({ description: 'requires_existing_account: true creates no account at the approval' })

const client = {
  client_name: text('client_name').optional(),
  client_instance_id: text('client_instance_id').optional(),
  label: text('label').optional(),
  code_challenge: codeChallenge.optional(),
  metadata: metadata.optional(),
}

const VERIFIER_RULE = 'Field `code_verifier` takes a text of up to 512 characters.'
const CALLBACK_RULE =
  'Field `callback_url` takes an http address on 127.0.0.1, localhost or [::1]. Interactive mode needs it.'

export const startSession = z
  .object({
    client_type: text('client_type', 64),
    mode: z
      .enum(['interactive', 'detached'], 'Field `mode` takes interactive or detached.')
      .default('interactive'),
    callback_url: z.string(CALLBACK_RULE).max(2_048, CALLBACK_RULE).optional(),
    ...client,
    scopes,
  })
  .refine(({ mode, callback_url }) => mode === 'detached' || callback_url !== undefined, CALLBACK_RULE)
  .refine(({ callback_url }) => callback_url === undefined || isLoopbackCallback(callback_url), CALLBACK_RULE)

const scopeList = z.array(z.enum(SCOPES))
const ms = z.int().meta({ description: 'Unix ms' })

export const startedSession = z
  .object({
    ok: z.literal(true),
    auth_request_id: z.string(),
    authorize_url: z.string().meta({ description: 'For the human, in a browser' }),
    approval_code: z.string().meta({ description: 'Shown on the approval page too, to compare' }),
    poll_token: z.string(),
    mode: z.enum(['interactive', 'detached']),
    expires_at: ms,
    scopes: scopeList,
  })
  .meta({ id: 'StartedAgentSession' })

export const pollSession = z.object({
  auth_request_id: text('auth_request_id'),
  poll_token: text('poll_token'),
})

export const polledSession = z
  .object({
    status: z.enum(['pending', 'approved', 'exchanged', 'revoked', 'expired']),
    exchange_code: z.string().nullable().meta({ description: 'While approved, else null' }),
    account_id: z.string().nullable(),
    approved_email: z.string().nullable(),
  })
  .meta({ id: 'PolledAgentSession' })

export const exchangeSession = z.object({
  auth_request_id: text('auth_request_id'),
  exchange_code: text('exchange_code'),
  code_verifier: z.string(VERIFIER_RULE).max(512, VERIFIER_RULE).optional(),
})

/** Both pairs of names, with the same values (D1). */
export const sessionAccount = z.object({
  id: z.string(),
  email: z.string(),
  code_host_login: z.string().nullable(),
  github_login: z.string().nullable(),
  idp_name: z.string().nullable(),
  google_name: z.string().nullable(),
  tier: z.enum(['free', 'pro']),
})

const agentSession = z.object({
  id: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
  access_expires_at: ms,
  refresh_expires_at: ms,
  scopes: scopeList,
})

export const exchangedSession = z
  .object({ ok: z.literal(true), agent_session: agentSession, account: sessionAccount })
  .meta({ id: 'ExchangedAgentSession' })

export const refreshSession = z.object({ refresh_token: text('refresh_token') })

export const refreshedSession = z
  .object({
    ok: z.literal(true),
    agent_session: agentSession.extend({ session_id: z.string(), account: sessionAccount }),
  })
  .meta({ id: 'RefreshedAgentSession' })

export const revokeSession = z.object({ session_id: text('session_id') })

export const revokedSession = z
  .object({ ok: z.literal(true), session_id: z.string() })
  .meta({ id: 'RevokedAgentSession' })

export const demoSession = z
  .object({
    ok: z.literal(true),
    mode: z.literal('demo'),
    agent_session: z.object({
      id: z.string(),
      access_token: z.string(),
      access_expires_at: ms,
      scopes: scopeList,
    }),
    projects: z.array(z.object({ name: z.string() })),
  })
  .meta({ id: 'DemoSession' })

export const sessionList = z
  .object({
    sessions: z.array(
      z.object({
        id: z.string(),
        client_type: z.string(),
        client_name: z.string().nullable(),
        client_instance_id: z.string().nullable(),
        label: z.string().nullable(),
        scopes: scopeList,
        status: z.enum(['active', 'revoked']),
        created_at: ms,
        last_used_at: ms,
        access_expires_at: ms,
        refresh_expires_at: ms,
        revoked_at: ms.nullable(),
      }),
    ),
  })
  .meta({ id: 'AgentSessionList' })

const EMAIL_RULE = 'Field `email` takes an address.'

export const devApprove = z.object({
  secret: text('secret').meta({ description: 'Content of the file `dev-approve-secret` in the data folder' }),
  auth_request_id: text('auth_request_id'),
  email: z
    .string(EMAIL_RULE)
    .max(254, EMAIL_RULE)
    .regex(/^[^\s@]+@[^\s@]+$/, EMAIL_RULE),
  tier: z.enum(['free', 'pro'], 'Field `tier` takes free or pro.').optional(),
})

export const devApproved = z.object({
  ok: z.literal(true),
  account_id: z.string(),
  status: z.literal('approved'),
  exchange_code: z.string().nullable(),
  redirect_url: z.string().nullable(),
})

/**
 * Other types and other credentials have codes of their own, so the checks of these fields are the handler's.
 */
export const registerAgent = z.object({
  type: z.string('Field `type` takes user_claimed.').meta({ example: 'user_claimed' }),
  claim_method: text('claim_method').optional(),
  requested_credential_type: z.string('Field `requested_credential_type` takes access_token.').optional(),
  // A claim that asks for nothing gets the right to read alone (U73).
  requested_scopes: scopesOr(READ_SCOPES, `${DROPPED}. Default: those that read`),
  ...client,
})

export const registeredAgent = z
  .object({
    ok: z.literal(true),
    registration_id: z.string(),
    claim_url: z.string().meta({ description: 'For the human, in a browser' }),
    verification_uri: z.string().meta({ description: 'The same' }),
    claim_token: z.string(),
    user_code: z.string().meta({ description: 'Shown on the approval page too, to compare' }),
    expires_at: ms,
    expires_in: z.int(),
    interval: z.int(),
    scopes: scopeList,
    status: z.literal('pending'),
  })
  .meta({ id: 'RegisteredAgent' })

export const claimStatus = z.object({ claim_token: text('claim_token') })

export const claim = z
  .object({
    status: z.enum(['pending', 'approved', 'completed', 'denied', 'expired']),
    claim_url: z.string(),
    scopes: scopeList,
    expires_at: ms,
    interval: z.int(),
  })
  .meta({ id: 'Claim' })

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const CLAIM_RULE = `Send claim_token, or a form with grant_type=${DEVICE_GRANT} and device_code.`
const GRANT_TYPES: readonly string[] = [DEVICE_GRANT, ...GRANTS]

/** A field of a grant (RFC 6749). Nothing that the service issues or takes is longer. */
function grantField(name: string) {
  const message = `Field \`${name}\` takes a text of 1 to 2048 characters.`
  return z
    .unknown()
    .refine(value => typeof value === 'string' && value !== '' && value.length <= 2_048, {
      message,
      ...failsWith('invalid_request'),
    })
    .transform(value => value as string)
    .meta({ override: { type: 'string' } })
    .optional()
}

/** The token endpoint: a claim, or a grant of an MCP client. */
export const completeClaim = z
  .object({
    claim_token: text('claim_token').optional(),
    code_verifier: z.string(VERIFIER_RULE).max(512, VERIFIER_RULE).optional(),
    grant_type: z.string().optional(),
    device_code: text('device_code').optional(),
    code: grantField('code'),
    redirect_uri: grantField('redirect_uri'),
    client_id: grantField('client_id'),
    resource: grantField('resource'),
    refresh_token: grantField('refresh_token'),
  })
  .refine(({ claim_token, grant_type }) => claim_token !== undefined || grant_type !== undefined, CLAIM_RULE)
  .refine(({ grant_type = DEVICE_GRANT }) => GRANT_TYPES.includes(grant_type), {
    message: `Field \`grant_type\` takes ${GRANT_TYPES.join(', ')}.`,
    ...failsWith('unsupported_grant_type'),
  })
  .refine(
    ({ claim_token, grant_type, device_code }) =>
      grant_type !== DEVICE_GRANT || claim_token !== undefined || device_code !== undefined,
    CLAIM_RULE,
  )

/** The tokens stand once, under the names of OAuth. */
export const completedClaim = exchangedSession
  .extend({
    agent_session: agentSession.omit({ access_token: true, refresh_token: true }),
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: 'CompletedClaim' })

export const revokeToken = z.object({
  token: text('token').optional(),
  token_type_hint: z.string().optional(),
})

export const okResponse = z.object({ ok: z.literal(true) }).meta({ id: 'Ok' })
