import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthRequestStore } from '#core/access/auth-requests'
import { openTestState, type TestState } from '#test/support/test-state'

const MINUTE_MS = 60_000
const ACCOUNT = {
  id: 'acc_0123456789abcdef',
  email: 'human@example.com',
  tier: 'free',
  complimentary: false,
  created_at: '2026-11-01T00:00:00.000Z',
} as const
const CALLBACK = 'http://127.0.0.1:4567/callback?client=cli'
const VERIFIER = 'a verifier of the client'
const hexChallenge = createHash('sha256').update(VERIFIER).digest('hex')
const urlChallenge = createHash('sha256').update(VERIFIER).digest('base64url')

let state: TestState
let now = Date.UTC(2026, 10, 22)
let requests: ReturnType<typeof createAuthRequestStore>
beforeAll(async () => {
  state = await openTestState()
  requests = createAuthRequestStore({ ...state, clock: { now: () => now } })
})
afterAll(() => state.close())

const detached = { mode: 'detached', client_type: 'cli', scopes: ['analytics:read'] } as const
const interactive = { ...detached, mode: 'interactive', callback_url: CALLBACK } as const

function start(wanted: Partial<Parameters<typeof requests.start>[0]> = {}) {
  return requests.start({ ...detached, scopes: ['analytics:read'], ...wanted })
}

async function approved(wanted: Partial<Parameters<typeof requests.start>[0]> = {}) {
  const { request, poll_token } = await start(wanted)
  const { finish_code, redirect_url } = await requests.approve(request.id, ACCOUNT)
  const inCallback = redirect_url === null ? null : new URL(redirect_url).searchParams.get('exchange_code')
  return { id: request.id, poll_token, code: finish_code ?? inCallback ?? '', redirect_url }
}

test('a new request is pending, shows an approval code, and has no exchange code', async () => {
  const { request, poll_token } = await start({ label: 'laptop' })
  expect(request).toMatchObject({ status: 'pending', mode: 'detached', label: 'laptop', client_name: null })
  expect(request.id).toMatch(/^req_[0-9a-f]{32}$/)
  expect(request.approval_code).toMatch(/^[A-Z2-9]{8}$/)
  expect(poll_token).toMatch(/^aap_[0-9a-f]{64}$/)
  expect(await requests.get(request.id)).toEqual(request)
  expect(await requests.poll(request.id, poll_token)).toEqual({
    status: 'pending',
    exchange_code: null,
    account_id: null,
    approved_email: null,
  })
})

test('an interactive request lives for 30 minutes, a detached one for 24 hours, a claim for 30 minutes', async () => {
  const life = ({ created_at, expires_at }: { created_at: number; expires_at: number }) =>
    expires_at - created_at
  expect(life((await start(interactive as never)).request)).toBe(30 * MINUTE_MS)
  expect(life((await start()).request)).toBe(24 * 60 * MINUTE_MS)
  const claim = await requests.startClaim({ client_type: 'agent', scopes: ['analytics:read'] })
  expect(life(claim.request)).toBe(30 * MINUTE_MS)
})

test('after the approval the poll returns the code that the human sees, and who approved', async () => {
  const { id, poll_token, code } = await approved()
  expect(code).toMatch(/^aae_[0-9a-f]{64}$/)
  expect(await requests.poll(id, poll_token)).toEqual({
    status: 'approved',
    exchange_code: code,
    account_id: ACCOUNT.id,
    approved_email: ACCOUNT.email,
  })
})

test('an interactive approval redirects to the callback and keeps its query', async () => {
  const { id, code, redirect_url } = await approved(interactive as never)
  expect(redirect_url).toBe(
    `http://127.0.0.1:4567/callback?client=cli&request_id=${id}&exchange_code=${code}`,
  )
})

test('a denied request is revoked, and its callback is told access_denied', async () => {
  const { request, poll_token } = await start(interactive as never)
  const { redirect_url, finish_code } = await requests.deny(request.id)
  expect(redirect_url).toBe(`${CALLBACK}&request_id=${request.id}&error=access_denied`)
  expect(finish_code).toBeNull()
  expect((await requests.poll(request.id, poll_token)).status).toBe('revoked')
  await expect(requests.exchange(request.id, 'aae_x', undefined)).rejects.toMatchObject({
    code: 'AUTH_REQUEST_REVOKED',
  })
})

test('a decision is final', async () => {
  const { id } = await approved()
  await expect(requests.approve(id, ACCOUNT)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  await expect(requests.deny(id)).rejects.toMatchObject({ code: 'INVALID_STATE' })
  await expect(requests.approve('req_unknown', ACCOUNT)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('of an approval and a denial at the same time one holds', async () => {
  for (let i = 0; i < 5; i++) {
    const { request } = await start()
    const outcomes = await Promise.allSettled([
      requests.approve(request.id, ACCOUNT),
      requests.deny(request.id),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  }
})

test('the poll takes the right token only', async () => {
  const { request } = await start()
  const other = await start()
  const wrong = { code: 'INVALID_POLL_TOKEN', status: 401 }
  await expect(requests.poll(request.id, other.poll_token)).rejects.toMatchObject(wrong)
  await expect(requests.poll(`req_${'0'.repeat(32)}`, other.poll_token)).rejects.toMatchObject(wrong)
  await expect(requests.poll('x', '')).rejects.toMatchObject(wrong)
})

describe('exchange', () => {
  test('before the approval it is not ready', async () => {
    const { request } = await start()
    await expect(requests.exchange(request.id, 'aae_x', undefined)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'auth request is not ready',
    })
  })

  test('works once, and the request is exchanged then', async () => {
    const { id, code, poll_token } = await approved()
    expect(await requests.exchange(id, code, undefined)).toMatchObject({
      account_id: ACCOUNT.id,
      request: { id, status: 'exchanged', scopes: ['analytics:read'] },
    })
    await expect(requests.exchange(id, code, undefined)).rejects.toMatchObject({
      code: 'AUTH_REQUEST_ALREADY_EXCHANGED',
      message: 'auth request already exchanged',
    })
    expect(await requests.poll(id, poll_token)).toMatchObject({ status: 'exchanged', exchange_code: null })
  })

  test('of many at once exactly one wins', async () => {
    const { id, code } = await approved()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, () => requests.exchange(id, code, undefined)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const codes = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(new Set(codes)).toEqual(new Set(['AUTH_REQUEST_ALREADY_EXCHANGED']))
  })

  test('a wrong code uses nothing up', async () => {
    const { id, code } = await approved()
    const wrong = { code: 'INVALID_EXCHANGE_CODE', status: 401 }
    await expect(requests.exchange(id, `aae_${'0'.repeat(64)}`, undefined)).rejects.toMatchObject(wrong)
    await expect(requests.exchange('req_unknown', code, undefined)).rejects.toMatchObject(wrong)
    await requests.exchange(id, code, undefined)
    await expect(requests.exchange(id, `aae_${'0'.repeat(64)}`, undefined)).rejects.toMatchObject(wrong)
  })

  test.each([
    ['hex', hexChallenge],
    ['base64url', urlChallenge],
  ])('a challenge in %s needs its verifier', async (_, code_challenge) => {
    const { id, code } = await approved({ code_challenge })
    const wrong = { code: 'INVALID_CODE_VERIFIER', status: 401 }
    await expect(requests.exchange(id, code, undefined)).rejects.toMatchObject(wrong)
    await expect(requests.exchange(id, code, 'another')).rejects.toMatchObject(wrong)
    // Never plain: the challenge itself is no verifier.
    await expect(requests.exchange(id, code, code_challenge)).rejects.toMatchObject(wrong)
    expect((await requests.exchange(id, code, VERIFIER)).account_id).toBe(ACCOUNT.id)
  })

  test('a lost response does not lose the exchange', async () => {
    const { id, code } = await approved()
    let isLost = true
    const send = async (command: object) => {
      const sent = await state.client.send(command as never)
      if (!isLost || command.constructor.name !== 'UpdateCommand') return sent
      isLost = false
      // As the SDK does after a lost response: it sends the same conditional write again.
      return state.client.send(command as never)
    }
    const client = new Proxy(state.client, {
      get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
    })
    const flaky = createAuthRequestStore({ client, table: state.table, clock: { now: () => now } })
    expect((await flaky.exchange(id, code, undefined)).account_id).toBe(ACCOUNT.id)
    expect(isLost).toBe(false)
  })
})

describe('after its end', () => {
  test('a pending request is expired for all', async () => {
    const { request, poll_token } = await start(interactive as never)
    now += 30 * MINUTE_MS
    expect((await requests.get(request.id))?.status).toBe('expired')
    expect((await requests.poll(request.id, poll_token)).status).toBe('expired')
    await expect(requests.exchange(request.id, 'aae_x', undefined)).rejects.toMatchObject({
      code: 'AUTH_REQUEST_EXPIRED',
      status: 410,
    })
    // The page was open before: the waiting client is told at once.
    const { redirect_url, request: decided } = await requests.approve(request.id, ACCOUNT)
    expect(redirect_url).toContain('error=access_denied')
    expect(decided.status).toBe('expired')
  })

  test('a detached request cannot be approved', async () => {
    const { request } = await start()
    now += 24 * 60 * MINUTE_MS
    await expect(requests.approve(request.id, ACCOUNT)).rejects.toMatchObject({
      code: 'AUTH_REQUEST_EXPIRED',
    })
  })

  test('the exchange code is too old, and a request that was exchanged stays so', async () => {
    const old = await approved()
    const used = await approved()
    await requests.exchange(used.id, used.code, undefined)
    now += 24 * 60 * MINUTE_MS
    await expect(requests.exchange(old.id, old.code, undefined)).rejects.toMatchObject({
      code: 'AUTH_REQUEST_EXPIRED',
    })
    expect(await requests.poll(old.id, old.poll_token)).toMatchObject({
      status: 'expired',
      exchange_code: null,
    })
    expect((await requests.poll(used.id, used.poll_token)).status).toBe('exchanged')
  })
})

describe('a claim', () => {
  const wanted = { client_type: 'agent', client_name: 'Helper', scopes: ['analytics:read'] } as const
  const claim = () => requests.startClaim({ ...wanted, scopes: ['analytics:read'] })

  test('is completed once with its token after the approval, without a finish code', async () => {
    const { request, claim_token } = await claim()
    await expect(requests.completeClaim(claim_token, undefined)).rejects.toMatchObject({
      code: 'AUTHORIZATION_PENDING',
    })
    const decision = await requests.approve(request.id, ACCOUNT)
    expect(decision).toMatchObject({ redirect_url: null, finish_code: null })
    expect((await requests.claim(claim_token))?.status).toBe('approved')
    expect((await requests.completeClaim(claim_token, undefined)).account_id).toBe(ACCOUNT.id)
    await expect(requests.completeClaim(claim_token, undefined)).rejects.toMatchObject({
      code: 'CLAIM_ALREADY_COMPLETED',
    })
  })

  test('is denied, expired or unknown', async () => {
    const deniedClaim = await claim()
    await requests.deny(deniedClaim.request.id)
    await expect(requests.completeClaim(deniedClaim.claim_token, undefined)).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    })
    const lateClaim = await claim()
    now += 30 * MINUTE_MS
    await expect(requests.completeClaim(lateClaim.claim_token, undefined)).rejects.toMatchObject({
      code: 'CLAIM_EXPIRED',
    })
    const guess = `${lateClaim.claim_token.slice(0, -64)}${'0'.repeat(64)}`
    await expect(requests.completeClaim(guess, undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await requests.claim('aac_x')).toBeNull()
  })

  test('cannot be polled or exchanged like a request of a client', async () => {
    const { request, claim_token } = await claim()
    await requests.approve(request.id, ACCOUNT)
    await expect(requests.poll(request.id, claim_token)).rejects.toMatchObject({ code: 'INVALID_POLL_TOKEN' })
    await expect(requests.exchange(request.id, claim_token, undefined)).rejects.toMatchObject({
      code: 'INVALID_EXCHANGE_CODE',
    })
  })
})

test('nothing that is stored holds a secret', async () => {
  const { poll_token, code } = await approved()
  const { claim_token } = await requests.startClaim({ client_type: 'agent', scopes: ['analytics:read'] })
  const { Items } = await state.client.scan({ TableName: state.table })
  const stored = JSON.stringify(Items)
  for (const secret of [poll_token, code, claim_token]) expect(stored).not.toContain(secret.slice(-64))
})

test('of a hundred codes typed at once five are compared, and the right one among later ones does not count', async () => {
  const { request } = await start()
  const typed = Array.from({ length: 100 }, (_, i) => (i < 90 ? 'zzzz' : request.approval_code.slice(-4)))
  const wrong = await Promise.all(typed.slice(0, 90).map(code => requests.tryCode(request.id, code)))
  expect(wrong.filter(({ isRight }) => isRight)).toEqual([])
  expect(
    wrong
      .map(({ triesLeft }) => triesLeft)
      .filter(left => left > 0)
      .toSorted(),
  ).toEqual([1, 2, 3, 4])
  for (const code of typed.slice(90)) {
    expect(await requests.tryCode(request.id, code)).toEqual({ isRight: false, triesLeft: 0 })
  }
})

test('the end of the code or all of it is right, and an interactive request needs none', async () => {
  const { request } = await start()
  const { approval_code } = request
  for (const typed of [approval_code.slice(-4), approval_code.toLowerCase()]) {
    expect((await requests.tryCode(request.id, typed)).isRight).toBe(true)
  }
  for (const typed of [approval_code.slice(0, 4), approval_code.slice(-3), '']) {
    expect((await requests.tryCode(request.id, typed)).isRight).toBe(false)
  }
  const loopback = await requests.start({ ...interactive, scopes: ['analytics:read'] })
  expect((await requests.tryCode(loopback.request.id, '')).isRight).toBe(true)
})

test('a poll of an interactive request never returns the exchange code (U64)', async () => {
  const { id, poll_token, code } = await approved({ mode: 'interactive', callback_url: CALLBACK })
  expect(code).toMatch(/^aae_/)
  expect(await requests.poll(id, poll_token)).toMatchObject({
    status: 'approved',
    exchange_code: null,
    account_id: ACCOUNT.id,
  })
})
