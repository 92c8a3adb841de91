import { EVENTS_PER_UNIT, limitsOf, type Profile } from '#core/plans/profile'
import type { Account } from './account.ts'

/** The account in responses of the session flow: both pairs of names, with the same values (D1). */
export function sessionAccountOf({ id, email, tier, code_host_login, idp_name }: Account) {
  return {
    id,
    email,
    code_host_login,
    github_login: code_host_login,
    idp_name,
    google_name: idp_name,
    tier,
  }
}

/** The account of GET /account. */
export function accountRecordOf(account: Account, profile: Profile, projects_count: number) {
  return {
    ...sessionAccountOf(account),
    created_at: account.created_at,
    projects_count,
    tier_limits: limitsOf(profile, account),
    monthly_spend_cap_dollars: account.monthly_spend_cap_dollars,
  }
}

export type UsageFacts = {
  account: Account
  profile: Profile
  month: { events: number; reads: number }
  isCheckoutPending: boolean
  baseUrl: string
}

/** GET /account/usage: usage, limits, and what a human can do to get Pro (docs/api/account.md). */
export function accountUsageOf({ account, profile, month, isCheckoutPending, baseUrl }: UsageFacts) {
  const isPro = account.tier === 'pro'
  const source = isPro ? (account.complimentary ? 'complimentary' : 'subscription') : 'free'
  const state = isPro
    ? 'active'
    : !profile.has_payments
      ? 'setup_required'
      : isCheckoutPending
        ? 'checkout_pending'
        : 'upgrade_available'
  return {
    version: 1 as const,
    tier: account.tier,
    entitlement_source: source as 'free' | 'subscription' | 'complimentary',
    usage: {
      total_events_this_month: month.events,
      total_reads_this_month: month.reads,
      estimated_bill: source === 'subscription' ? Math.ceil(month.events / EVENTS_PER_UNIT) : 0,
    },
    spend_cap: { monthly_spend_cap_dollars: account.monthly_spend_cap_dollars },
    tier_limits: limitsOf(profile, account),
    payment: {
      version: 1 as const,
      state: state as 'active' | 'setup_required' | 'checkout_pending' | 'upgrade_available',
      agent_can_charge: false as const,
      pricing: { currency: 'USD' as const, events_per_unit: EVENTS_PER_UNIT, unit_price_cents: 100 },
      next_action:
        state === 'upgrade_available'
          ? {
              type: 'open_browser' as const,
              url: `${baseUrl}/account/billing/agent-upgrade?account=${account.id}`,
              reason: 'A human can upgrade this account to Pro in the browser.',
            }
          : null,
      polling: { endpoint: '/account/usage' as const, interval_seconds: 5, max_wait_seconds: 900 },
      status: { can_retry_pro_task: isPro },
    },
  }
}
