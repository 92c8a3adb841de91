import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizationServerDocument, protectedResourceDocument } from '#schemas/discovery'
import { BASE_URL, type HttpService, openHttpService } from '#test/support/http-service'

/** An agent that knows only the base URL, with an OAuth client that somebody else has written. */

const CLIENT: oauth.Client = { client_id: 'agent' }
const BASE = new URL(BASE_URL)

let world: HttpService
beforeAll(async () => {
  world = await openHttpService()
})
afterAll(() => world.close())

/** The public address of the service leads to the server of this test. */
const send = (address: string, options: RequestInit = {}) => {
  const { origin, pathname, search } = new URL(address)
  if (origin !== BASE.origin) throw new Error(`${address} is not an address of the service`)
  return fetch(`http://127.0.0.1:${world.port}${pathname}${search}`, options)
}
const options = { [oauth.customFetch]: send as typeof fetch }

async function callWith(token: string): Promise<Response> {
  return oauth.protectedResourceRequest(
    token,
    'GET',
    new URL('/projects', BASE),
    undefined,
    undefined,
    options,
  )
}

/** What the header WWW-Authenticate of a 401 says, as the library has read it. */
async function challengeOf(token: string): Promise<oauth.WWWAuthenticateChallenge['parameters']> {
  const error = await callWith(token).catch(error => error)
  expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  const [challenge] = (error as oauth.WWWAuthenticateChallengeError).cause
  expect(challenge?.scheme).toBe('bearer')
  return challenge?.parameters ?? {}
}

async function discover() {
  const { resource_metadata = '' } = await challengeOf('aas_0')
  const { resource, authorization_servers = [] } = await oauth.processResourceDiscoveryResponse(
    BASE,
    await send(resource_metadata),
  )
  expect(resource).toBe(BASE_URL)
  const issuer = new URL(authorization_servers[0] ?? '')
  const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(issuer, response)
}

test('the metadata documents lie where RFC 9728 and RFC 8414 look for them, and name this service', async () => {
  const resource = await oauth.resourceDiscoveryRequest(BASE, options)
  expect(resource.headers.get('content-type')).toMatch(/^application\/json/)
  await oauth.processResourceDiscoveryResponse(BASE, resource)
  const server = await discover()
  const { agent_auth } = server as unknown as { agent_auth: Record<string, string> }
  expect(server).toMatchObject({
    issuer: BASE_URL,
    authorization_endpoint: `${BASE_URL}/oauth/authorize`,
    registration_endpoint: `${BASE_URL}/oauth/register`,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    response_types_supported: ['code'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint: agent_auth.claim_complete_uri,
    revocation_endpoint: agent_auth.revocation_uri,
  })
  const addresses = [server.token_endpoint, server.revocation_endpoint, server.service_documentation]
  for (const address of [
    ...addresses,
    ...['skill', 'register_uri', 'claim_uri'].map(name => agent_auth[name]),
  ]) {
    expect((await send(String(address), { method: 'OPTIONS' })).status).toBe(204)
    expect((await send(String(address))).status).not.toBe(404)
  }
})

test('the metadata of /mcp lies beside that of the service and names it', async () => {
  const mcp = new URL('/mcp', BASE)
  const response = await oauth.resourceDiscoveryRequest(mcp, options)
  const { resource, authorization_servers } = await oauth.processResourceDiscoveryResponse(mcp, response)
  expect([resource, authorization_servers]).toEqual([`${BASE_URL}/mcp`, [BASE_URL]])
})

test('a bad token is told so, and a missing one is not', async () => {
  expect(await challengeOf('aas_0')).toMatchObject({ error: 'invalid_token' })
  const { headers } = await send(`${BASE_URL}/projects`)
  expect(headers.get('www-authenticate')).not.toContain('error=')
})

test('from a 401 an OAuth client gets a token after one approval, uses it and revokes it', async () => {
  const server = await discover()
  const { agent_auth } = server as unknown as { agent_auth: Record<string, string> }
  const registration = await send(agent_auth.register_uri ?? '', {
    method: 'POST',
    body: JSON.stringify({
      type: 'user_claimed',
      requested_credential_type: 'access_token',
      requested_scopes: ['projects:read'],
    }),
  })
  const { registration_id, claim_token } = (await registration.json()) as Record<string, string>
  const grant = async () =>
    oauth.processDeviceCodeResponse(
      server,
      CLIENT,
      await oauth.deviceCodeGrantRequest(server, CLIENT, oauth.None(), claim_token ?? '', options),
    )
  await expect(grant()).rejects.toMatchObject({ error: 'AUTHORIZATION_PENDING', status: 400 })
  await world.authRequests.approve(registration_id ?? '', world.owner)
  const token = await grant()
  expect(token).toMatchObject({ token_type: 'bearer', scope: 'projects:read', expires_in: 3_600 })
  expect((await callWith(token.access_token)).status).toBe(200)
  const revoke = await oauth.revocationRequest(
    server,
    CLIENT,
    oauth.None(),
    token.refresh_token ?? '',
    options,
  )
  await oauth.processRevocationResponse(revoke)
  expect(await challengeOf(token.access_token)).toMatchObject({ error: 'invalid_token' })
})

test('an OAuth client registers and gets a token by an authorization code, and refreshes it', async () => {
  const server = await discover()
  const redirectUri = 'http://127.0.0.1:4567/callback'
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      options,
    ),
  )
  const verifier = oauth.generateRandomCodeVerifier()
  // GET /oauth/authorize is a page (test/browser/pages/authorize-client.test.ts): it starts this request.
  const { request } = await world.authRequests.start({
    mode: 'interactive',
    client_type: 'mcp',
    callback_url: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    scopes: ['projects:read'],
    oauth: { client_id: client.client_id, issuer: BASE_URL, state: 'a state' },
  })
  const { redirect_url } = await world.authRequests.approve(request.id, world.owner)
  // Checks `iss` (RFC 9207) and `state`.
  const answer = oauth.validateAuthResponse(server, client, new URL(redirect_url ?? ''), 'a state')
  const grant = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    options,
  )
  const token = await oauth.processAuthorizationCodeResponse(server, client, grant)
  expect(token).toMatchObject({ token_type: 'bearer', scope: 'projects:read', expires_in: 3_600 })
  const refresh = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    token.refresh_token ?? '',
    options,
  )
  const { access_token } = await oauth.processRefreshTokenResponse(server, client, refresh)
  expect((await callWith(access_token)).status).toBe(200)
})

test.each([
  ['oauth-protected-resource', protectedResourceDocument],
  ['oauth-protected-resource/mcp', protectedResourceDocument],
  ['oauth-authorization-server', authorizationServerDocument],
])('the OpenAPI document has every field of %s', async (name, schema) => {
  const body = await (await send(`${BASE_URL}/.well-known/${name}`)).json()
  expect(schema.strict().parse(body)).toEqual(body)
})
