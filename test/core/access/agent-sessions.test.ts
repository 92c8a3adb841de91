import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgentSessionStore } from '#core/access/agent-sessions'
import { createAccountStore } from '#core/accounts/store'
import { openTestState, type TestState } from '#test/support/test-state'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const CLIENT = {
  client_type: 'cli',
  client_name: 'Terminal',
  client_instance_id: null,
  label: 'laptop',
  scopes: ['analytics:read' as const],
}

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { now: () => now }
let accounts: ReturnType<typeof createAccountStore>
let sessions: ReturnType<typeof createAgentSessionStore>
let id: string
beforeAll(async () => {
  state = await openTestState()
  accounts = createAccountStore({ ...state, clock })
})
beforeEach(async () => {
  // A store of its own: what another process has in its cache is not in this one.
  sessions = createAgentSessionStore({ ...state, clock, accounts })
  id = (await accounts.create({ email: 'human@example.com', tier: 'free', complimentary: false })).id
})
afterAll(() => state.close())

test('a new session has tokens of 256 random bits, and ends after an hour or 90 days', async () => {
  const session = await sessions.issue(id, CLIENT)
  expect(session.id).toMatch(/^ags_[0-9a-f]{16}$/)
  expect(session.access_token).toMatch(/^aas_[0-9a-f]{96}$/)
  expect(session.refresh_token).toMatch(/^aar_[0-9a-f]{96}$/)
  expect(session.access_expires_at).toBe(now + HOUR_MS)
  expect(session.refresh_expires_at).toBe(now + 90 * DAY_MS)
  expect(await sessions.byAccessToken(session.access_token)).toMatchObject({
    session_id: session.id,
    scopes: ['analytics:read'],
    is_demo: false,
    account: { id, email: 'human@example.com' },
  })
})

test('a text that is no access token, or whose secret is wrong, is nobody’s', async () => {
  const { access_token, refresh_token } = await sessions.issue(id, CLIENT)
  const guess = `${access_token.slice(0, -1)}${access_token.endsWith('0') ? '1' : '0'}`
  for (const text of ['', 'aas_', guess, refresh_token, `aas_${'0'.repeat(96)}`, 'x'.repeat(10_000)]) {
    expect(await sessions.byAccessToken(text)).toBeNull()
  }
})

test('an access token is dead after its hour, also while it is cached', async () => {
  const { access_token } = await sessions.issue(id, CLIENT)
  now += HOUR_MS - 1
  expect(await sessions.byAccessToken(access_token)).not.toBeNull()
  now += 1
  expect(await sessions.byAccessToken(access_token)).toBeNull()
})

test('a revoked session is dead at once here and within 5 s in every other process', async () => {
  const elsewhere = createAgentSessionStore({ ...state, clock, accounts })
  const { access_token, id: session } = await sessions.issue(id, CLIENT)
  await Promise.all([sessions.byAccessToken(access_token), elsewhere.byAccessToken(access_token)])
  expect(await sessions.revoke(id, session)).toBe(true)
  expect(await sessions.byAccessToken(access_token)).toBeNull()
  now += 5 * SECOND_MS
  expect(await elsewhere.byAccessToken(access_token)).toBeNull()
  expect(await sessions.revoke(id, session)).toBe(true)
})

test('an account revokes its own sessions only', async () => {
  const { access_token, id: session } = await sessions.issue(id, CLIENT)
  expect(await sessions.revoke('acc_ffffffffffffffff', session)).toBe(false)
  expect(await sessions.revoke(id, 'ags_unknown')).toBe(false)
  expect(await sessions.byAccessToken(access_token)).not.toBeNull()
})

describe('refresh', () => {
  test('gives a new pair under the same id, and the superseded access token lives on', async () => {
    const first = await sessions.issue(id, CLIENT)
    now += 10 * SECOND_MS
    const { session, account } = await sessions.refresh(first.refresh_token)
    expect(session.id).toBe(first.id)
    expect(account.id).toBe(id)
    expect(session.access_token).not.toBe(first.access_token)
    expect(session.refresh_token).not.toBe(first.refresh_token)
    expect(session.refresh_expires_at).toBe(now + 90 * DAY_MS)
    expect(await sessions.byAccessToken(session.access_token)).not.toBeNull()
    expect(await sessions.byAccessToken(first.access_token)).not.toBeNull()
    now = first.access_expires_at
    expect(await sessions.byAccessToken(first.access_token)).toBeNull()
    expect(await sessions.byAccessToken(session.access_token)).not.toBeNull()
  })

  test('of many at once with one token gives all the same pair', async () => {
    const { refresh_token } = await sessions.issue(id, CLIENT)
    const others = createAgentSessionStore({ ...state, clock, accounts })
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? sessions : others).refresh(refresh_token)),
    )
    expect(new Set(all.map(({ session }) => JSON.stringify(session))).size).toBe(1)
    expect(await sessions.byAccessToken(all[0]?.session.access_token ?? '')).not.toBeNull()
  })

  test('with an old token gives the same pair for 60 s, also after a further rotation', async () => {
    const first = await sessions.issue(id, CLIENT)
    const second = (await sessions.refresh(first.refresh_token)).session
    const third = (await sessions.refresh(second.refresh_token)).session
    now += 60 * SECOND_MS
    expect((await sessions.refresh(first.refresh_token)).session).toEqual(second)
    expect((await sessions.refresh(second.refresh_token)).session).toEqual(third)
  })

  test.each([
    ['a minute', 61 * SECOND_MS],
    ['a month', 30 * DAY_MS],
  ])('with a token that was exchanged more than %s ago revokes the session', async (_, later) => {
    const alarms: unknown[] = []
    const first = await sessions.issue(id, CLIENT)
    const second = (await sessions.refresh(first.refresh_token)).session
    now += later
    const newest = (await sessions.refresh(second.refresh_token)).session
    await expect(
      sessions.refresh(first.refresh_token, alarm => void alarms.push(alarm)),
    ).rejects.toMatchObject({ code: 'INVALID_REFRESH_TOKEN', status: 401 })
    expect(alarms).toEqual([{ account_id: id, session_id: first.id, label: 'laptop' }])
    expect(await sessions.byAccessToken(newest.access_token)).toBeNull()
    await expect(sessions.refresh(newest.refresh_token)).rejects.toMatchObject({
      code: 'INVALID_REFRESH_TOKEN',
    })
  })

  test('with a made-up token revokes nothing', async () => {
    const first = await sessions.issue(id, CLIENT)
    const guess = `${first.refresh_token.slice(0, -64)}${'0'.repeat(64)}`
    for (const text of [guess, 'aar_', first.access_token]) {
      await expect(sessions.refresh(text)).rejects.toMatchObject({ code: 'INVALID_REFRESH_TOKEN' })
    }
    expect(await sessions.byAccessToken(first.access_token)).not.toBeNull()
  })

  test('goes on after a crash between the note of the use and the rotation', async () => {
    const { refresh_token, access_token } = await sessions.issue(id, CLIENT)
    const send = (command: object) =>
      command.constructor.name === 'UpdateCommand'
        ? Promise.reject(new Error('crashed'))
        : state.client.send(command as never)
    const client = new Proxy(state.client, {
      get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
    })
    const crashing = createAgentSessionStore({ client, table: state.table, clock, accounts })
    await expect(crashing.refresh(refresh_token)).rejects.toThrow('crashed')
    now += 10 * 60 * SECOND_MS
    const { session } = await sessions.refresh(refresh_token)
    expect(await sessions.byAccessToken(session.access_token)).not.toBeNull()
    expect(await sessions.byAccessToken(access_token)).not.toBeNull()
  })

  test('after 90 days without one the session is over', async () => {
    const { refresh_token, refresh_expires_at } = await sessions.issue(id, CLIENT)
    now += 90 * DAY_MS
    await expect(sessions.refresh(refresh_token)).rejects.toMatchObject({ code: 'INVALID_REFRESH_TOKEN' })
    expect(await sessions.list(id)).toMatchObject([{ status: 'revoked', revoked_at: refresh_expires_at }])
  })

  test('forgets what a pair was derived with, once the grace period is over', async () => {
    const { refresh_token } = await sessions.issue(id, CLIENT)
    const second = (await sessions.refresh(refresh_token)).session
    now += 61 * SECOND_MS
    const third = (await sessions.refresh(second.refresh_token)).session
    now += 61 * SECOND_MS
    await sessions.refresh(third.refresh_token)
    const { Items = [] } = await state.client.scan({ TableName: state.table })
    const item = Items.find(({ id }) => id === third.id)
    expect(item?.pairs.map(({ nonce }: { nonce?: string }) => nonce !== undefined)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })
})

test('the list shows sessions newest first, active and revoked, of this account only', async () => {
  const first = await sessions.issue(id, CLIENT)
  now += SECOND_MS
  const second = await sessions.issue(id, { ...CLIENT, label: null })
  await sessions.revoke(id, first.id)
  expect(await sessions.list(id)).toEqual([
    {
      id: second.id,
      ...CLIENT,
      label: null,
      status: 'active',
      created_at: now,
      last_used_at: now,
      access_expires_at: second.access_expires_at,
      refresh_expires_at: second.refresh_expires_at,
      revoked_at: null,
    },
    expect.objectContaining({ id: first.id, label: 'laptop', status: 'revoked', revoked_at: now }),
  ])
  expect(await sessions.list('acc_ffffffffffffffff')).toEqual([])
})

test('the use of a session is noted once a minute', async () => {
  const { access_token } = await sessions.issue(id, CLIENT)
  const lastUsed = async () => (await sessions.list(id))[0]?.last_used_at
  const created = now
  now += 61 * SECOND_MS
  await sessions.byAccessToken(access_token)
  expect(await lastUsed()).toBe(created + 61 * SECOND_MS)
  now += 30 * SECOND_MS
  await sessions.byAccessToken(access_token)
  expect(await lastUsed()).toBe(created + 61 * SECOND_MS)
})

test('an access or a refresh token revokes its session; an unknown one revokes nothing', async () => {
  for (const which of ['access_token', 'refresh_token'] as const) {
    const session = await sessions.issue(id, CLIENT)
    expect(await sessions.revokeByToken(session[which])).toEqual({ account_id: id, session_id: session.id })
    expect(await sessions.byAccessToken(session.access_token)).toBeNull()
  }
  const { access_token } = await sessions.issue(id, CLIENT)
  const guess = `${access_token.slice(0, -64)}${'0'.repeat(64)}`
  expect(await sessions.revokeByToken(guess)).toBeNull()
  expect(await sessions.byAccessToken(access_token)).not.toBeNull()
})

test('a demo session reads for an hour, cannot be refreshed, and lists itself alone', async () => {
  const demo = await sessions.issueDemo(id)
  await sessions.issueDemo(id)
  expect(demo).not.toHaveProperty('refresh_token')
  expect(await sessions.byAccessToken(demo.access_token)).toMatchObject({
    is_demo: true,
    client_type: 'demo',
  })
  expect(demo.scopes.filter(scope => scope.endsWith(':write'))).toEqual([])
  expect((await sessions.list(id, demo.id)).map(session => session.id)).toEqual([demo.id])
  now += HOUR_MS
  expect(await sessions.byAccessToken(demo.access_token)).toBeNull()
})

test('nothing that is stored holds a token', async () => {
  const first = await sessions.issue(id, CLIENT)
  const second = (await sessions.refresh(first.refresh_token)).session
  const demo = await sessions.issueDemo(id)
  const { Items } = await state.client.scan({ TableName: state.table })
  const stored = JSON.stringify(Items)
  const tokens = [first, second].flatMap(session => [session.access_token, session.refresh_token])
  for (const token of [...tokens, demo.access_token]) expect(stored).not.toContain(token.slice(-64))
})
