import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { IdentityProvider } from '#core/access/provider'
import { createCodeHostProvider } from '#providers/code-host'

/** A code host that speaks GitHub's dialect. Its answers are set by each test. */
const SECRETS = { state: 'state-1', nonce: 'unused', codeVerifier: 'v'.repeat(43) }
const CALLBACK = 'https://service.example/auth/callback/code_host'

let server: Server
let provider: IdentityProvider
let requests: { path: string; body: string; authorization: string | undefined }[]
let emails: unknown
let tokenStatus: number

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ path: request.url ?? '', body, authorization: request.headers.authorization })
    const answers: Record<string, unknown> = {
      '/login/oauth/access_token': { access_token: 'gho_1', token_type: 'bearer', scope: 'user:email' },
      '/user': { id: 42, login: 'ada' },
      '/user/emails': emails,
    }
    response.statusCode = request.url === '/login/oauth/access_token' ? tokenStatus : 200
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers[request.url ?? '']))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provider = createCodeHostProvider({
    url,
    apiUrl: url,
    clientId: 'client-1',
    clientSecret: async () => 'secret-1',
    label: 'Code host',
  })
})
afterAll(() => {
  server.close()
})
beforeEach(() => {
  requests = []
  tokenStatus = 200
  emails = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'Ada@Example.com', primary: true, verified: true },
  ]
})

const comeBack = (query = 'code=c-1&state=state-1') =>
  provider.identify(new URL(`${CALLBACK}?${query}`), SECRETS)

test('the browser goes to the host with state and PKCE challenge', async () => {
  const address = await provider.authorizationUrl(SECRETS, CALLBACK)
  expect(address.pathname).toBe('/login/oauth/authorize')
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    client_id: 'client-1',
    redirect_uri: CALLBACK,
    state: 'state-1',
    code_challenge: createHash('sha256').update(SECRETS.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
})

test('the identity is the numeric id with the verified primary address', async () => {
  expect(await comeBack()).toMatchObject({
    provider: 'code_host',
    subject: '42',
    email: 'ada@example.com',
    login: 'ada',
  })
  expect(requests[0]?.body).toContain(`code_verifier=${SECRETS.codeVerifier}`)
  expect(requests[1]?.authorization?.toLowerCase()).toBe('bearer gho_1')
})

test('a person without a verified primary address is refused', async () => {
  emails = [{ email: 'ada@example.com', primary: true, verified: false }]
  await expect(comeBack()).rejects.toThrow(/no verified primary e-mail address/)
})

test.each([
  ['another state', 'code=c-1&state=state-2'],
  ['no state', 'code=c-1'],
  ['no code', 'state=state-1'],
])('a response with %s is refused before the host is asked', async (_, query) => {
  await expect(comeBack(query)).rejects.toThrow(/does not belong to this sign-in/)
  expect(requests).toEqual([])
})

test('a person who does not allow the sign-in is told so', async () => {
  await expect(comeBack('error=access_denied&state=state-1')).rejects.toThrow(/did not allow/)
})

test('a failure of the host is told as a moment to wait', async () => {
  tokenStatus = 503
  await expect(comeBack()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
