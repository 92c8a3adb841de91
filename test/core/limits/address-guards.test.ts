import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError } from '#core/errors'
import { createAddressGuards } from '#core/limits/address-guards'
import { profiles } from '#core/plans/profile'
import { systemClock } from '#providers/system-clock'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { ...systemClock, now: () => now }
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

const guards = (profile = profiles.hosted) => createAddressGuards({ ...state, clock, profile })
const wrong = async () => {
  throw new ApiError('INVALID_POLL_TOKEN')
}

test('an address starts 20 sessions in 10 minutes, however many processes it asks', async () => {
  const [one, two] = [guards(), guards()]
  const starts = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : two).countStart('203.0.113.1')),
  )
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  await expect(one.countStart('203.0.113.1')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    extras: {
      fields: { reason: 'rate_limit' },
      retryAfter: expect.any(Number),
      headers: { 'X-RateLimit-Limit': '20' },
    },
  })
  await one.countStart('203.0.113.2')
  now += 11 * 60_000
  await one.countStart('203.0.113.1')
})

test('after 30 wrong secrets of a session a network is told to wait, in every process; a right one still passes', async () => {
  const [one, two] = [guards(), guards()]
  for (let i = 0; i < 30; i++) {
    const guessed = one.guardSecret('203.0.113.3', 'req_1', wrong)
    await expect(guessed).rejects.toMatchObject({ code: 'INVALID_POLL_TOKEN' })
  }
  for (const process of [one, two]) {
    await expect(process.guardSecret('203.0.113.3', 'req_1', wrong)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extras: { retryAfter: expect.any(Number) },
    })
    expect(await process.guardSecret('203.0.113.3', 'req_1', async () => 'right')).toBe('right')
  }
})

test('wrong secrets count for one session and one network', async () => {
  const guard = guards()
  for (let i = 0; i < 40; i++) await guard.guardSecret('203.0.113.6', 'req_1', wrong).catch(() => {})
  for (const [address, session] of [
    ['203.0.113.6', 'req_2'],
    ['203.0.113.7', 'req_1'],
  ] as const) {
    const guessed = guard.guardSecret(address, session, wrong)
    await expect(guessed).rejects.toMatchObject({ code: 'INVALID_POLL_TOKEN' })
  }
})

test('a guesser who makes up ids of sessions makes at most 1,024 items', async () => {
  const guard = guards()
  const items = async () => {
    const { Items = [] } = await state.client.scan({ TableName: state.table })
    return Items.filter(({ pk }) => String(pk).startsWith('limit#failures#')).length
  }
  const before = await items()
  await Promise.all(
    Array.from({ length: 3_000 }, (_, i) =>
      guard.guardSecret('203.0.113.8', `req_${i}`, wrong).catch(() => {}),
    ),
  )
  const made = (await items()) - before
  // On a busy machine the state refuses some of so many requests at once.
  expect(made).toBeGreaterThan(500)
  expect(made).toBeLessThanOrEqual(1_024)
})

test('right secrets and other errors are not counted', async () => {
  const guard = guards()
  for (let i = 0; i < 40; i++) {
    await guard.guardSecret('203.0.113.5', 'req_1', async () => 'right')
    const pending = guard.guardSecret('203.0.113.5', 'req_1', () =>
      Promise.reject(new ApiError('INVALID_STATE')),
    )
    await expect(pending).rejects.toMatchObject({ code: 'INVALID_STATE' })
  }
})

test('all addresses of one IPv6 network count as one', async () => {
  const guard = guards()
  for (let i = 0; i < 20; i++) await guard.countStart(`2001:db8:1:2::${i}`)
  await expect(guard.countStart('2001:db8:1:2:ffff::1')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await guard.countStart('2001:db8:1:3::1')
})

test('no address is stored', async () => {
  await guards().countDemo('203.0.113.77')
  const { Items } = await state.client.scan({ TableName: state.table })
  expect(JSON.stringify(Items)).not.toContain('203.0.113')
})

test('addresses without number register as many MCP clients together as all may (U149), and again an hour later', async () => {
  const profile = { ...profiles.own, all_client_registrations: 30 }
  const [one, two] = [guards(profile), guards(profile)]
  const registered = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? one : two).countRegistration(`198.51.${i}.1`)),
  )
  expect(registered.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
  await expect(one.countRegistration('192.0.2.1')).rejects.toMatchObject({
    ...{ code: 'RATE_LIMITED', message: expect.stringContaining('from all addresses') },
    extras: { retryAfter: expect.any(Number) },
  })
  now += 62 * 60_000
  await one.countRegistration('192.0.2.1')
})

test('registrations that an address may not make are none of those of all addresses', async () => {
  const profile = { ...profiles.own, client_registrations: 2, all_client_registrations: 3 }
  now += 62 * 60_000
  const guard = guards(profile)
  for (let i = 0; i < 10; i++) await guard.countRegistration('192.0.2.7').catch(() => {})
  await guard.countRegistration('198.51.100.7')
})
