import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import { ApiError, unavailable } from '#core/errors'
import type { Log, Now } from '#core/ports'
import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import type { UsageCounters } from '#core/usage/counters'
import { createCancellations } from './cancellations.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { createUsageReports } from './usage-reports.ts'

export type BillingServices = StateTable & {
  clock: Now
  log: Log
  payments: PaymentProvider
  accounts: Pick<AccountStore, 'applyPlan' | 'byId' | 'deletedAt'>
  usage: Pick<UsageCounters, 'month'>
}

/** How long an unfinished checkout counts as pending (docs/api/account.md, max_wait_seconds). */
const CHECKOUT_MS = 15 * 60_000
/** Webhooks of one account that arrive at once. */
const MAX_TRIES = 10

/**
 * Payments of accounts. A webhook only says that a subscription has changed: its state is then read from the
 * provider, so that replayed and late webhooks change nothing that is newer. An account is Pro while any
 * subscription is paid.
 */
export function createBilling({ clock, log, payments, accounts, usage, client, table }: BillingServices) {
  const records = billingEntity({ client, table })
  const usageReports = createUsageReports({ client, table, clock, log, payments, usage })
  const cancellations = createCancellations({ client, table, clock, log, payments, accounts, usageReports })

  async function startCheckout(account: Account, baseUrl: string): Promise<string> {
    const address = await payments.startCheckout({
      account,
      successUrl: `${baseUrl}/account/billing/done`,
      cancelUrl: `${baseUrl}/account/billing/agent-upgrade?account=${account.id}`,
    })
    const checkout_until = clock.now() + CHECKOUT_MS
    await orUnavailable(records.upsert({ account_id: account.id, checkout_until }).go())
    return address
  }

  /** Takes a webhook in; its signature decides whether it is the provider's. */
  async function takeWebhook(body: Uint8Array, signature: string): Promise<void> {
    const id = await payments.subscriptionOf(body, signature)
    if (id !== null) await refresh(id)
  }

  async function refresh(id: string): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // The version is read before the provider is asked: what another webhook writes meanwhile may be newer.
      const before = await payments.subscription(id)
      if (before === null) return
      const { account_id } = before
      const record = await find(account_id)
      const version = record?.version ?? 0
      const current = await payments.subscription(id)
      if (current === null) return
      const paid = withId(record?.paid, id, current.is_paid)
      const open = withId(record?.open, id, !current.is_over)
      const next = { version: version + 1, paid, open }
      if (!(await save(account_id, version, next))) continue
      if (current.is_paid) await usageReports.begin(account_id, current.customer)
      else if (paid.length === 0) await usageReports.end(account_id)
      await accounts.applyPlan(account_id, paid.length > 0 ? 'pro' : 'free', next.version)
      // Somebody may pay at a checkout that they had open when they deleted the account.
      if (!current.is_over && (await accounts.deletedAt(account_id)) !== null) await payments.cancel(id)
      return
    }
    throw unavailable('Too many payment events of one account at once. Send this one again.', 5)
  }

  function save(
    account_id: string,
    version: number,
    next: { version: number; paid: string[]; open: string[] },
  ): Promise<boolean> {
    const write = records
      .upsert({ account_id, ...next })
      .where((item, { eq, notExists }) =>
        version === 0 ? notExists(item.version) : eq(item.version, version),
      )
    return conditionHeld(write.go())
  }

  async function find(account_id: string) {
    const { data } = await orUnavailable(records.get({ account_id }).go({ consistent: true }))
    return data
  }

  /**
   * Notes that the account's subscriptions end with the account. Call it before and after the account is
   * deleted.
   */
  async function planCancellation(accountId: string): Promise<void> {
    const { paid = [], open = [] } = (await find(accountId)) ?? {}
    await cancellations.plan(accountId, [...new Set([...paid, ...open])])
  }

  const { isCheckoutPending } = createCheckoutReader({ client, table, clock })
  return {
    startCheckout,
    takeWebhook,
    isCheckoutPending,
    planCancellation,
    cancelPlanned: cancellations.tick,
    reportUsage: usageReports.tick,
    checkoutOrigin: payments.checkoutOrigin,
  }
}

/** The list with or without the id. */
function withId(ids: readonly string[] = [], id: string, isIn: boolean): string[] {
  const others = ids.filter(other => other !== id)
  return isIn ? [...others, id] : others
}

export type Billing = ReturnType<typeof createBilling>

/** What other functions may know of payments, without the payment provider. */
export function createCheckoutReader({ client, table, clock }: StateTable & { clock: Now }) {
  const records = billingEntity({ client, table })

  /** Whether a checkout was started a short time ago and is not paid yet. */
  async function isCheckoutPending(account_id: string): Promise<boolean> {
    const { data } = await orUnavailable(records.get({ account_id }).go({ consistent: true }))
    return (data?.checkout_until ?? 0) > clock.now() && (data?.paid ?? []).length === 0
  }

  return { isCheckoutPending }
}

/** The error of a webhook that the payment provider did not sign. */
export function badSignature(cause?: unknown): ApiError {
  return new ApiError(
    'FORBIDDEN',
    'The signature of the payment event is wrong or too old. Sign it with the webhook secret and send it again.',
    { cause },
  )
}

function billingEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'billing', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        version: { type: 'number' },
        /** Ids of the subscriptions that are paid. */
        paid: { type: 'list', items: { type: 'string' } },
        /** Ids of the subscriptions that are not over, paid or not. */
        open: { type: 'list', items: { type: 'string' } },
        /** Unix ms. */
        checkout_until: { type: 'number' },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: [] }),
    },
    { client, table },
  )
}
