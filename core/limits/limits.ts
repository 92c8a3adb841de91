import QuickLRU from 'quick-lru'
import { type Caller, isGuest } from '#core/access/caller'
import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import { EVENTS_PER_UNIT, limitsOf, NO_LIMIT, type Profile } from '#core/plans/profile'
import type { Clock, Log } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { nextMonth, utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { Limit } from '#schemas/route'
import { createLaggingWindow } from './lagging-window.ts'
import type { LimitState, Limits } from './limit-state.ts'
import { createOpenLimits } from './open-limits.ts'
import { createSlidingWindow } from './sliding-window.ts'

export type LimitServices = StateTable & {
  clock: Clock
  log: Log
  profile: Profile
  accounts: Pick<AccountStore, 'byId'>
  usage: Pick<UsageCounters, 'month' | 'reserveRead' | 'releaseRead'>
}

const MINUTE_MS = 60_000
/** How old the counts may be by which ingestion decides: it learns of a cap within a minute. */
const CAPS_MS = 20_000
const MAX_ACCOUNTS = 10_000

/** What ingestion knows of an account: over which cap it is, if any. */
type EventCaps = { limit: number; reason: 'lifetime_event_limit' | 'monthly_spend_cap' } | null
type Known = { until: number; caps: EventCaps; used: number }

/**
 * The limits of docs/api/limits.md by the numbers of a profile. Reads are counted in the state table,
 * exactly, for all processes together. Ingestion never waits: it decides by counts of the last seconds, which
 * are refreshed in the background.
 */
export function createLimits({ clock, log, profile, accounts, usage, ...state }: LimitServices): Limits {
  const minutes = createSlidingWindow({ ...state, clock }, { name: 'reads', windowMs: MINUTE_MS })
  const open = createOpenLimits({ ...state, clock, profile, log })
  const known = new QuickLRU<string, Known>({ maxSize: MAX_ACCOUNTS })
  const pending = new Set<string>()
  const tokens = createLaggingWindow({
    window: createSlidingWindow({ ...state, clock }, { name: 'tokens', windowMs: MINUTE_MS }),
    windowMs: MINUTE_MS,
    clock,
    onError: error => log('EVENT_CAPS_UNKNOWN', { error: String(error) }),
  })

  /** How a request counts toward each limit that a row can name. A limit without a check does not compile. */
  const checks: Record<Limit, (caller: Caller, address: string | null) => Promise<LimitState | null>> = {
    reads_per_minute: checkMinute,
    reads_per_month: checkMonth,
  }

  async function check(
    caller: Caller,
    limits: readonly Limit[],
    address: string | null,
  ): Promise<LimitState | null> {
    const states: LimitState[] = []
    for (const name of limits) {
      const state = await checks[name](caller, address)
      if (state === null) continue
      if (state.exceeded !== undefined) {
        await Promise.all(states.map(({ reservation }) => reservation?.release()))
        return state
      }
      states.push(state)
    }
    const [first] = states
    if (first === undefined) return null
    return { ...first, reservation: states.find(({ reservation }) => reservation !== undefined)?.reservation }
  }

  async function checkMinute(caller: Caller, address: string | null): Promise<LimitState | null> {
    // The demo account has no limits of a plan: all its visitors share it.
    const { kind, id } = caller.credential
    if (kind === 'demo') return open.checkDemo(id, address)
    // Readers of a share link have a rate of their own: they must not use up that of the owner's agents.
    if (kind === 'share_link') return open.checkShare(id, address)
    const { account } = caller
    const limit = limitsOf(profile, account).rate_limit_rpm
    if (limit === NO_LIMIT) return null
    const { isAdmitted, remaining, resetAt } = await minutes.take(account.id, limit)
    const state = { limit, remaining, resetsAt: resetAt }
    if (isAdmitted) return state
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const message = `This account may read ${limit} times a minute. Wait ${retryAfter} s, then try again.`
    return { ...state, exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter } }
  }

  /** Reserves one read of the month; a request that fails later gives it back. */
  async function checkMonth(caller: Caller): Promise<LimitState | null> {
    const { account } = caller
    const limit = limitsOf(profile, account).max_reads_per_month
    // The month of the account is not for its guests: a stranger with a link would use it up.
    if (limit === NO_LIMIT || isGuest(caller)) return null
    const today = utcDate(clock.now())
    const resetsAt = nextMonth(clock.now())
    if (await usage.reserveRead(account.id, today, limit)) {
      const reservation = { release: () => usage.releaseRead(account.id, today) }
      return { limit, remaining: limit, resetsAt, reservation }
    }
    return {
      limit,
      remaining: 0,
      resetsAt,
      exceeded: {
        message: `The free plan includes ${limit} agent/API reads a month, and they are used up. Upgrade to Pro, or wait for the next month.`,
        fields: { reason: 'monthly_read_limit', monthly_read_limit: limit },
        retryAfter: Math.ceil((resetsAt - clock.now()) / 1_000),
      },
    }
  }

  function checkEvents(accountId: string, events: number): LimitState | null {
    if (!hasEventCaps(profile)) return null
    const entry = known.get(accountId)
    if (entry === undefined || entry.until <= clock.now()) refresh(accountId)
    if (entry === undefined || entry.caps === null) return null
    const { limit, reason } = entry.caps
    if (entry.used < limit) {
      entry.used += events
      return null
    }
    const resetsAt = nextMonth(clock.now())
    return {
      limit,
      remaining: 0,
      resetsAt,
      exceeded: {
        message:
          reason === 'monthly_spend_cap'
            ? 'The spend cap of this month is reached. Raise it on the dashboard, or wait for the next month.'
            : `The free plan includes ${limit} events a month, and they are used up. Upgrade to Pro, or wait for the next month.`,
        fields: { reason, monthly_event_limit: limit },
        retryAfter: Math.ceil((resetsAt - clock.now()) / 1_000),
      },
    }
  }

  function refresh(accountId: string): void {
    if (pending.has(accountId)) return
    pending.add(accountId)
    readCaps(accountId)
      .then(entry => void known.set(accountId, entry))
      .catch(error => log('EVENT_CAPS_UNKNOWN', { error: String(error) }))
      .finally(() => pending.delete(accountId))
  }

  async function readCaps(accountId: string): Promise<Known> {
    const until = clock.now() + CAPS_MS
    const account = await accounts.byId(accountId)
    const caps = account === null ? null : eventCapsOf(profile, account)
    if (caps === null) return { until, caps, used: 0 }
    const { events } = await usage.month(accountId, utcDate(clock.now()).slice(0, 7))
    return { until, caps, used: events }
  }

  function checkToken(projectId: string): LimitState | null {
    const limit = profile.token_requests_per_minute
    if (limit === NO_LIMIT) return null
    const { isAdmitted, resetAt } = tokens.take(projectId, limit)
    if (isAdmitted) return null
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const message = `A project may send ${limit} requests a minute. Wait ${retryAfter} s, then send again.`
    return {
      limit,
      remaining: 0,
      resetsAt: resetAt,
      exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter },
    }
  }

  const { guestOf, guestUse, networkOf } = open
  return { check, guestOf, guestUse, networkOf, checkEvents, checkToken }
}

/** The cap on the events of a month: that of the plan, or of the dollars that the account wants to spend. */
export function eventCapsOf(profile: Profile, account: Account): EventCaps {
  const { max_events_per_month } = limitsOf(profile, account)
  const dollars = account.monthly_spend_cap_dollars
  const isPaying = profile.has_payments && account.tier === 'pro' && !account.complimentary
  if (isPaying && dollars !== null) return { limit: dollars * EVENTS_PER_UNIT, reason: 'monthly_spend_cap' }
  return max_events_per_month === NO_LIMIT
    ? null
    : { limit: max_events_per_month, reason: 'lifetime_event_limit' }
}

function hasEventCaps(profile: Profile): boolean {
  const plans = Object.values(profile.tiers)
  return profile.has_payments || plans.some(({ max_events_per_month }) => max_events_per_month !== NO_LIMIT)
}
