import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOpenLimits } from '#core/limits/open-limits'
import { type Profile, readProfile } from '#core/plans/profile'
import type { Clock } from '#core/ports'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState } from '#test/support/test-state'

/** Half an hour before midnight UTC. */
const NOW = Date.UTC(2026, 10, 21, 23, 30)

let state: Awaited<ReturnType<typeof openTestState>>
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

const link = { credential: { kind: 'share_link', id: 'shl_1', label: null } } as const
const demo = { credential: { kind: 'demo', id: 'ses_1', label: null } } as const

let projects = 0
function setUp(limits: string, clock: Clock = createFakeClock(NOW)) {
  const project = `proj_${++projects}`
  const profile: Profile = readProfile('own', limits)
  const logged: string[] = []
  const open = createOpenLimits({ ...state, clock, profile, log: code => void logged.push(code) })
  const guest = (caller: typeof link | typeof demo = link) => {
    const made = open.guestOf(caller, project, '192.0.2.1')
    if (made === undefined) throw new Error('This caller has an account.')
    return made
  }
  return { project, open, guest, logged }
}

/** How many of so many statements at once are admitted. */
async function admitted(guest: { admitStatement(): Promise<void> }, count: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: count }, () => guest.admitStatement()))
  return results.filter(({ status }) => status === 'fulfilled').length
}

describe('the statements of a day', () => {
  const many = 'share_statements_per_minute=-1,share_link_statements_per_minute=-1'

  test('are exactly the number of the profile, however many come at once, of links and the demo together', async () => {
    const { project, open, guest } = setUp(`${many},guest_statements_per_day=20`)
    const [ofLink, ofDemo] = await Promise.all([admitted(guest(), 30), admitted(guest(demo), 30)])
    expect(ofLink + ofDemo).toBe(20)
    expect(await open.guestUse(project)).toEqual({ statements: 20, limit: 20 })
    await expect(guest().admitStatement()).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('Ask again after midnight UTC, in 0 h 30 min.'),
      extras: { retryAfter: 1_800, fields: { reason: 'daily_statement_limit' } },
    })
  })

  test('begin again at midnight UTC', async () => {
    const clock = createFakeClock(NOW)
    const { project, open, guest } = setUp(`${many},guest_statements_per_day=1`, clock)
    expect(await admitted(guest(), 2)).toBe(1)
    clock.advance(30 * 60_000 - 1)
    expect(await admitted(guest(), 1)).toBe(0)
    clock.advance(1)
    expect(await open.guestUse(project)).toEqual({ statements: 0, limit: 1 })
    expect(await admitted(guest(), 1)).toBe(1)
  })

  test.each<[what: string, costUsd: number, counts: number]>([
    ['costs nothing, on one machine', 0, 1],
    ['reads less than 10 MB', 0.000_05, 1],
    ['reads 30 MB', 0.000_15, 3],
    ['reads 31 MB', 0.000_155, 4],
    ['reads 50 GB', 0.25, 5_000],
  ])('count a statement that %s once for each 10 MB that it has begun', async (_, costUsd, counts) => {
    const { project, open, guest } = setUp(`${many},guest_statements_per_day=100000`)
    const reader = guest()
    await reader.admitStatement()
    await reader.noteCost(costUsd)
    expect(await open.guestUse(project)).toEqual({ statements: counts, limit: 100_000 })
  })

  test('are not counted without a number', async () => {
    const { project, open, guest } = setUp(`${many},guest_statements_per_day=-1`)
    await guest().noteCost(1)
    expect([await admitted(guest(), 50), await open.guestUse(project)]).toEqual([50, null])
  })
})

test('the first statement of a read of a link has counted with the read, and each further one counts once', async () => {
  const { open, guest } = setUp('share_statements_per_minute=4,share_link_statements_per_minute=-1')
  await open.checkShare('shl_1', '192.0.2.1')
  // Three more are left of the four, and the first one is free.
  expect(await admitted(guest(), 10)).toBe(4)
  expect(await open.checkShare('shl_1', '192.0.2.1')).toMatchObject({
    exceeded: { message: expect.stringContaining('4 statements a minute of one network') },
  })
  expect(await open.checkShare('shl_1', '198.51.100.7')).not.toHaveProperty('exceeded')
})

test('an account is no guest', () => {
  const { open } = setUp('')
  for (const kind of ['api_key', 'agent_session', 'cookie'] as const)
    expect(open.guestOf({ credential: { kind, id: 'x', label: null } }, 'proj', null)).toBeUndefined()
})

test('where statements are billed the numbers are lower, and what the operator names comes first', () => {
  const [machine, billed] = [readProfile('own'), readProfile('own', '', { areReadsBilled: true })]
  const names = [
    'share_statements_per_minute',
    'share_link_statements_per_minute',
    'guest_statements_per_day',
  ] as const
  for (const name of names) expect(billed[name]).toBeLessThan(machine[name])
  expect([machine.guest_reads_at_once, billed.guest_reads_at_once]).toEqual([-1, 10])
  expect(
    readProfile('own', 'guest_statements_per_day=7', { areReadsBilled: true }).guest_statements_per_day,
  ).toBe(7)
})
