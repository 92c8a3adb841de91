import { DEVICE_GRANT } from '#schemas/agent-sessions'
import { aboutExamples, endpointLines } from '#schemas/endpoint-lines'
import { GRANTS } from '#schemas/oauth'
import { SCOPES } from '#schemas/scopes'
import { VISITOR_WORDS } from '#schemas/visitor-words'

/**
 * What an agent that knows only the base URL needs to get access with one click of a human
 * (docs/api/discovery.md).
 */

/** Protected resource metadata (RFC 9728): of the whole service, or of one path. */
export function protectedResource(baseUrl: string, path: '' | '/mcp' = '') {
  return {
    resource: `${baseUrl}${path}`,
    authorization_servers: [baseUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Footfall',
    resource_documentation: `${baseUrl}/auth.md`,
  }
}

/** Authorization server metadata (RFC 8414), with the block of agent registration. */
export function authorizationServer(baseUrl: string) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    token_endpoint: `${baseUrl}/agent/auth/claim/complete`,
    revocation_endpoint: `${baseUrl}/agent/auth/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: [...GRANTS, DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    service_documentation: `${baseUrl}/auth.md`,
    agent_auth: {
      skill: `${baseUrl}/auth.md`,
      register_uri: `${baseUrl}/agent/auth`,
      claim_uri: `${baseUrl}/agent/auth/claim`,
      claim_complete_uri: `${baseUrl}/agent/auth/claim/complete`,
      revocation_uri: `${baseUrl}/agent/auth/revoke`,
      identity_types_supported: ['user_claimed'],
      user_claimed: {
        claim_methods_supported: ['idp', 'code_host'],
        credential_types_supported: ['access_token'],
      },
    },
  }
}

const DEMO = `Without an account: \`POST /demo/session\` gives a read-only session of an hour for a demo project, where this install has one.

`

/** The same for readers, in Markdown. */
export function authDocument({ baseUrl, mayHaveDemo }: { baseUrl: string; mayHaveDemo: boolean }): string {
  return `# Access to Footfall for agents

Footfall is web analytics over HTTP at ${baseUrl}. An agent gets a scoped, revocable session after a human has approved it
in a browser. There is no password and no API key to copy. A client of the Model Context Protocol needs nothing of this page: its
address is ${baseUrl}/mcp, and it signs in by itself.

Machine-readable: ${baseUrl}/.well-known/oauth-protected-resource and
${baseUrl}/.well-known/oauth-authorization-server (see \`agent_auth\`). All operations: ${baseUrl}/openapi.json.

## Steps

1. Register:

   \`\`\`
   curl -s ${baseUrl}/agent/auth -H 'Content-Type: application/json' \\
     -d '{"type":"user_claimed","requested_credential_type":"access_token","client_name":"My agent","requested_scopes":["projects:read","analytics:read"]}'
   \`\`\`

   The response has \`claim_url\`, \`user_code\` and \`claim_token\`. Keep the claim token to yourself.
2. Show the human \`claim_url\` and \`user_code\`. They sign in and approve. In another network they type
   the last four characters of the code, or approve reading only. The claim is good for 30 minutes.
3. Ask every 5 seconds until it is approved (\`AUTHORIZATION_PENDING\`: wait and ask again):

   \`\`\`
   curl -s ${baseUrl}/agent/auth/claim/complete -H 'Content-Type: application/json' -d '{"claim_token":"…"}'
   \`\`\`

   The same call takes a form with \`grant_type=${DEVICE_GRANT}\` and \`device_code=<claim_token>\`.
4. Use the access token of the response: \`Authorization: Bearer aas_…\`. First calls:
   \`GET /projects\`, then \`GET /stats?project=<name>&since=7d\`, then \`GET /events?project=<name>\`.
5. The access token is good for an hour. \`POST /agent-sessions/refresh\` with \`{"refresh_token":"aar_…"}\` gives a new pair.

${mayHaveDemo ? DEMO : ''}## Scopes

${SCOPES.map(scope => `- \`${scope}\``).join('\n')}

A claim without \`requested_scopes\` gets the scopes that read. To create projects, erase people or change experiments, name all
scopes that you need in \`requested_scopes\`, and register again if you need more later. A write scope includes its read scope.
Unknown scopes are dropped; the response lists what was granted. No scope gives access to API keys or billing.

## What visitors say

${VISITOR_WORDS}

## Revocation

\`POST /agent/auth/revoke\` with the Bearer token and no body ends the session; so does \`token=<access or refresh token>\` in a
form. A human ends it on ${baseUrl}/settings/sessions.

## Every endpoint

${aboutExamples(mayHaveDemo)}

${endpointLines(mayHaveDemo)
  .flatMap(({ lines }) => lines)
  .join('\n')}

## Not supported

Anonymous registration, identities that an agent or a provider asserts, codes by e-mail, API keys for agents.
`
}
