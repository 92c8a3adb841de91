import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

/**
 * The codes of the claim family and of session flows over HTTP (docs/api/errors.md,
 * docs/api/agent-sessions.md, docs/api/discovery.md).
 */

let world: HttpService
beforeAll(async () => {
  world = await openHttpService({ limits: 'session_starts=-1,session_failures=-1' })
})
afterAll(() => world.close())

const MINUTE = 60_000

async function register(fields: object = {}) {
  const { status, body } = await world.call(routes.registerAgent, {
    key: null,
    body: { type: 'user_claimed', ...fields },
  })
  const { error, registration_id, claim_token } = body as { [name: string]: string }
  return { status, error, registration_id, claim_token }
}

async function complete(claim_token: string | undefined, fields: object = {}) {
  const { status, body } = await world.call(routes.completeClaim, {
    key: null,
    body: { claim_token, ...fields },
  })
  return [status, body.error ?? body.token_type]
}

async function statusOf(claim_token = '') {
  const { status, body } = await world.call(routes.readClaim, { key: null, query: { claim_token } })
  return [status, body.error ?? body.status]
}

test.each([
  ['an unknown type', { type: 'anonymous' }, 'UNSUPPORTED_IDENTITY_TYPE'],
  ['another credential', { requested_credential_type: 'api_key' }, 'UNSUPPORTED_CREDENTIAL_TYPE'],
  ['no known scope', { requested_scopes: ['odd'] }, 'MISSING_FIELDS'],
])('a registration with %s is refused', async (_, fields, error) => {
  expect(await register(fields)).toMatchObject({ status: 400, error })
})

test('a claim that asks for no scopes may only read', async () => {
  const { body } = await world.call(routes.registerAgent, {
    key: null,
    body: { type: 'user_claimed', client_name: 'My agent' },
  })
  expect(body.scopes).toEqual([
    'account:read',
    'projects:read',
    'analytics:read',
    'experiments:read',
    'live:read',
  ])
})

test('a claim is pending, approved and completed, and is completed once', async () => {
  const { registration_id, claim_token } = await register()
  expect([await statusOf(claim_token), await complete(claim_token)]).toEqual([
    [200, 'pending'],
    [400, 'AUTHORIZATION_PENDING'],
  ])
  await world.authRequests.approve(registration_id ?? '', world.owner)
  expect(await statusOf(claim_token)).toEqual([200, 'approved'])
  const all = await Promise.all(Array.from({ length: 4 }, () => complete(claim_token)))
  expect(all.toSorted()).toEqual([[200, 'Bearer'], ...Array(3).fill([409, 'CLAIM_ALREADY_COMPLETED'])])
  expect(await statusOf(claim_token)).toEqual([200, 'completed'])
})

test('a denied claim is told so', async () => {
  const { registration_id, claim_token } = await register()
  await world.authRequests.deny(registration_id ?? '')
  expect([await statusOf(claim_token), await complete(claim_token)]).toEqual([
    [200, 'denied'],
    [403, 'ACCESS_DENIED'],
  ])
})

test('a claim expires after 30 minutes, approved or not', async () => {
  for (const isApproved of [false, true]) {
    const { registration_id, claim_token } = await register()
    if (isApproved) await world.authRequests.approve(registration_id ?? '', world.owner)
    world.wait(30 * MINUTE)
    expect([await statusOf(claim_token), await complete(claim_token)]).toEqual([
      [200, 'expired'],
      [410, 'CLAIM_EXPIRED'],
    ])
  }
})

test('an unknown claim is not found, and a wrong verifier completes nothing', async () => {
  const unknown = `aac_${'0'.repeat(96)}`
  expect([await statusOf(unknown), await complete(unknown)]).toEqual([
    [404, 'NOT_FOUND'],
    [404, 'NOT_FOUND'],
  ])
  const { registration_id, claim_token } = await register({ code_challenge: 'a'.repeat(64) })
  await world.authRequests.approve(registration_id ?? '', world.owner)
  expect(await complete(claim_token, { code_verifier: 'wrong' })).toEqual([401, 'INVALID_CODE_VERIFIER'])
  expect(await statusOf(claim_token)).toEqual([200, 'approved'])
})

test('a poll of a dead request is 410 with the status and the code', async () => {
  async function start() {
    const { body } = await world.call(routes.startSession, {
      key: null,
      body: { client_type: 'cli', mode: 'detached' },
    })
    return body as Record<string, string>
  }
  const poll = ({ auth_request_id, poll_token }: Record<string, string>) =>
    world.call(routes.pollSession, { key: null, body: { auth_request_id, poll_token } })
  const denied = await start()
  await world.authRequests.deny(denied.auth_request_id ?? '')
  expect(await poll(denied)).toMatchObject({
    status: 410,
    body: { status: 'revoked', error: 'AUTH_REQUEST_REVOKED', exchange_code: null },
  })
  const old = await start()
  world.wait(24 * 60 * MINUTE)
  expect(await poll(old)).toMatchObject({
    status: 410,
    body: { status: 'expired', error: 'AUTH_REQUEST_EXPIRED', exchange_code: null },
  })
})

test('a token that no project has gets 401 without a hint for agents (U56)', async () => {
  const token = `aat_${'0'.repeat(48)}`
  const { status, body, headers } = await world.call(routes.track, {
    key: null,
    body: { token, event: 'page_view' },
  })
  expect([status, body.error, headers.has('www-authenticate')]).toEqual([401, 'INVALID_TOKEN', false])
})
