import { expect, test } from 'vitest'
import { limitsOf, profiles, readProfile } from '#core/plans/profile'
import { accountRecord } from '#schemas/account'

test('the profile own has no limits but the guards by address, at ten times the numbers', () => {
  const { own, hosted } = profiles
  const numbers = Object.values(own.tiers).flatMap(tier => Object.values(tier))
  expect(new Set(numbers)).toEqual(new Set([-1]))
  for (const guard of ['session_starts', 'session_failures', 'demo_sessions'] as const) {
    expect(own[guard]).toBe(10 * hosted[guard])
  }
})

test('any number of a profile can be replaced', () => {
  const profile = readProfile('hosted', 'free.rate_limit_rpm=1000, session_starts=500,pro.max_projects=3')
  expect(limitsOf(profile, { tier: 'free' })).toMatchObject({ rate_limit_rpm: 1000, max_projects: 2 })
  expect(limitsOf(profile, { tier: 'pro' }).max_projects).toBe(3)
  expect(profile.session_starts).toBe(500)
  expect(readProfile('hosted')).toEqual(profiles.hosted)
})

test('under own a number of the one plan is that of every account, by the name of the plan', () => {
  const profile = readProfile('own', 'own.retention_days=400,own.max_events_per_month=5')
  for (const tier of ['free', 'pro'] as const)
    expect(limitsOf(profile, { tier })).toMatchObject({ retention_days: 400, max_events_per_month: 5 })
  // As before.
  expect(limitsOf(readProfile('own', 'pro.retention_days=30'), { tier: 'pro' }).retention_days).toBe(30)
  expect(() => readProfile('own', 'own.session_starts=1')).toThrow('own.retention_days')
  // The plans of `hosted` have names of their own.
  expect(() => readProfile('hosted', 'own.retention_days=400')).toThrow('is not one of')
})

test.each(['free.rpm=1', 'session_starts', 'free.max_projects=-2', 'open_sign_up=1', 'x=1'])(
  'the override %s is refused',
  text => {
    expect(() => readProfile('hosted', text)).toThrow('is not one of')
  },
)

test('an account shows every number of its plan', () => {
  const shown = Object.keys(accountRecord.shape.tier_limits.shape)
  expect(shown).toEqual(Object.keys(profiles.own.tiers.pro))
})
