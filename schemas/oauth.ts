import * as z from 'zod'
import { documentedAs } from './documented-as.ts'
import { failsWith } from './fields.ts'
import { isRedirectAddress, MAX_REDIRECT_CHARS, MAX_REDIRECTS } from './redirect-address.ts'

/** Sign-in of MCP clients (docs/api/mcp-sign-in.md). */

export const CODE_GRANT = 'authorization_code'
export const REFRESH_GRANT = 'refresh_token'
export const GRANTS = [CODE_GRANT, REFRESH_GRANT] as const

const REDIRECTS_RULE = `Field \`redirect_uris\` takes 1 to ${MAX_REDIRECTS} https addresses, or http addresses on 127.0.0.1, localhost or [::1], of at most ${MAX_REDIRECT_CHARS} characters, without a fragment.`
const NAME_RULE = 'Field `client_name` takes a text of 1 to 256 characters.'

/** Fields of RFC 7591 that the service does not use are ignored. */
export const registerClient = z.object({
  redirect_uris: z
    .array(z.string(REDIRECTS_RULE), REDIRECTS_RULE)
    .refine(isRedirectList, { message: REDIRECTS_RULE, ...failsWith('invalid_redirect_uri') }),
  client_name: z.string(NAME_RULE).min(1, NAME_RULE).max(256, NAME_RULE).optional(),
  grant_types: listWith(CODE_GRANT, 'grant_types'),
  response_types: listWith('code', 'response_types'),
})

/** Whether a client may have all of these redirect addresses. */
export function isRedirectList(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.length <= MAX_REDIRECTS && addresses.every(isRedirectAddress)
}

/** A list that may be absent, and has the one value that the service knows. */
function listWith(value: string, name: string) {
  const rule = `Field \`${name}\` takes a list with \`${value}\`.`
  return z
    .array(z.string(rule), rule)
    .max(20, rule)
    .refine(values => values.includes(value), rule)
    .optional()
}

export const registeredClient = documentedAs(
  z.object({
    client_id: z.string(),
    /** Unix seconds. */
    client_id_issued_at: z.int(),
    client_name: z.string().optional(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.enum(GRANTS)),
    response_types: z.array(z.literal('code')),
    token_endpoint_auth_method: z.literal('none'),
  }),
  'object',
  'The client as registered (RFC 7591), with `client_id`',
)

/** The answer to both grants (RFC 6749, 5.1). */
export const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: 'TokenResponse' })
