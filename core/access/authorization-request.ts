import { ApiError } from '#core/errors'
import { isOneOfRedirects } from '#schemas/redirect-address'
import { READ_SCOPES, SCOPES, type Scope } from '#schemas/scopes'
import type { NewAuthRequest, OAuthClient } from './types.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const MAX_STATE_CHARS = 2_048

/**
 * Where the answer to an authorization request goes. Throws invalid_request for an address that is none of
 * the client's: then nobody may be sent anywhere.
 */
export function redirectOf({ redirect_uris }: OAuthClient, { redirect_uri }: Parameters): string {
  if (redirect_uri !== undefined && isOneOfRedirects(redirect_uri, redirect_uris)) return redirect_uri
  throw new ApiError(
    'invalid_request',
    redirect_uri === undefined
      ? 'The address has no `redirect_uri`. Start again in your client.'
      : 'The `redirect_uri` is none of the addresses of this client. Start again in your client.',
  )
}

/**
 * Reads the parameters of GET /oauth/authorize (RFC 6749, 4.1.1; RFC 7636; RFC 8707). Throws invalid_request,
 * unsupported_response_type, invalid_scope and invalid_target.
 */
export function readAuthorization(
  client: OAuthClient,
  parameters: Parameters,
  baseUrl: string,
): NewAuthRequest {
  const { response_type, state, code_challenge, code_challenge_method, resource } = parameters
  if (response_type === undefined) throw new ApiError('invalid_request', 'Send `response_type` as code.')
  if (response_type !== 'code') throw new ApiError('unsupported_response_type')
  if (code_challenge === undefined || code_challenge_method !== 'S256') {
    throw new ApiError(
      'invalid_request',
      'This service needs PKCE. Send `code_challenge`, and `code_challenge_method` as S256.',
    )
  }
  if (!/^[\w-]{43}$/.test(code_challenge)) {
    throw new ApiError(
      'invalid_request',
      'Send `code_challenge` as the SHA-256 of the verifier in base64url, which has 43 characters.',
    )
  }
  if (state !== undefined && state.length > MAX_STATE_CHARS) {
    throw new ApiError('invalid_request', `Send a \`state\` of at most ${MAX_STATE_CHARS} characters.`)
  }
  requireResource(resource, baseUrl)
  return {
    mode: 'interactive',
    client_type: 'mcp',
    ...(client.name !== null && { client_name: client.name }),
    callback_url: redirectOf(client, parameters),
    code_challenge,
    scopes: scopesOf(parameters.scope),
    oauth: {
      client_id: client.id,
      issuer: baseUrl,
      ...(state !== undefined && { state }),
      ...(resource !== undefined && { resource }),
    },
  }
}

/** Throws invalid_target for a resource that is not this service or its /mcp (RFC 8707). */
export function requireResource(resource: string | undefined, baseUrl: string): void {
  if (resource === undefined) return
  const own = [baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`, `${baseUrl}/mcp/`]
  if (!own.includes(resource)) {
    throw new ApiError('invalid_target', `Send \`resource\` as ${baseUrl}/mcp, or leave it out.`)
  }
}

/** Without `scope` a client may only read, as a claim (U73). Unknown scopes are dropped. */
function scopesOf(asked: string | undefined): Scope[] {
  if (asked === undefined || asked.trim() === '') return [...READ_SCOPES]
  const words = asked.split(' ')
  const scopes = SCOPES.filter(scope => words.includes(scope))
  if (scopes.length === 0) {
    throw new ApiError('invalid_scope', `Send at least one of these as \`scope\`: ${SCOPES.join(' ')}.`)
  }
  return scopes
}
