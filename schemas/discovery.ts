import * as z from 'zod'
import { documentedAs } from './documented-as.ts'

/**
 * The documents below /.well-known/ (docs/api/discovery.md). RFC 9728 and RFC 8414 say what their fields
 * mean.
 */

const address = z.string()
const words = z.array(z.string())

/** Protected resource metadata (RFC 9728). */
export const protectedResourceDocument = documentedAs(
  z.object({
    resource: address,
    authorization_servers: words,
    scopes_supported: words,
    bearer_methods_supported: words,
    resource_name: z.string(),
    resource_documentation: address,
  }),
  'object',
  'Metadata of RFC 9728',
)

/** Authorization server metadata (RFC 8414), with the block of agent registration. */
export const authorizationServerDocument = documentedAs(
  z.object({
    issuer: address,
    authorization_endpoint: address,
    token_endpoint: address,
    registration_endpoint: address,
    client_id_metadata_document_supported: z.literal(true),
    authorization_response_iss_parameter_supported: z.literal(true),
    revocation_endpoint: address,
    revocation_endpoint_auth_methods_supported: words,
    scopes_supported: words,
    response_types_supported: words,
    grant_types_supported: words,
    token_endpoint_auth_methods_supported: words,
    code_challenge_methods_supported: words,
    service_documentation: address,
    /** How an agent registers by itself: GET /auth.md. */
    agent_auth: z.object({
      skill: address,
      register_uri: address,
      claim_uri: address,
      claim_complete_uri: address,
      revocation_uri: address,
      identity_types_supported: words,
      user_claimed: z.object({ claim_methods_supported: words, credential_types_supported: words }),
    }),
  }),
  'object',
  'Metadata of RFC 8414, and `agent_auth`: how an agent registers by itself (GET /auth.md)',
)
