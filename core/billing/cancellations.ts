import type { AccountStore } from '#core/accounts/store'
import type { Log, Now } from '#core/ports'
import { queryAll } from '#core/state/query-all'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import type { PaymentProvider } from './payment-provider.ts'
import type { UsageReports } from './usage-reports.ts'

export type CancellationServices = StateTable & {
  clock: Now
  log: Log
  payments: Pick<PaymentProvider, 'cancel'>
  accounts: Pick<AccountStore, 'byId'>
  usageReports: Pick<UsageReports, 'end' | 'forget'>
}

/** The subscriptions of an account that is deleted, or about to be. */
type Cancellation = { account_id: string; subscriptions: string[]; planned_at: number }

/** One partition for the list: deletions of paying accounts are rare. */
const PK = 'cancellations'
/** How long the deletion of an account takes at most, ms: after that it has failed. */
const DELETION_MS = 3_600_000

/**
 * Cancels the subscriptions of deleted accounts at the payment provider. The list is written before the
 * account is deleted, and an entry leaves it when the provider has cancelled, so neither a crash nor a
 * provider that is down lets anybody pay on.
 */
export function createCancellations({
  clock,
  log,
  payments,
  accounts,
  usageReports,
  client,
  table,
}: CancellationServices) {
  async function plan(account_id: string, subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return
    const Item = { pk: PK, sk: account_id, account_id, subscriptions, planned_at: clock.now() }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  /** Works the list off. What fails is logged, and the next call tries it again. */
  async function tick(): Promise<void> {
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': PK } }
    for (const entry of (await queryAll({ client, table }, query)) as unknown as Cancellation[]) {
      try {
        if (await carryOut(entry)) await remove(entry)
      } catch (error) {
        log('JOB_FAILED', { job: `cancel subscriptions of ${entry.account_id}`, error: String(error) })
      }
    }
  }

  /** Returns whether the entry is settled. */
  async function carryOut({ account_id, subscriptions, planned_at }: Cancellation): Promise<boolean> {
    const isLive = (await accounts.byId(account_id)) !== null
    if (isLive) return planned_at < clock.now() - DELETION_MS
    // The last bill has the events until now.
    await usageReports.end(account_id)
    for (const id of subscriptions) await payments.cancel(id)
    await usageReports.forget(account_id)
    return true
  }

  async function remove({ account_id }: Cancellation): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: PK, sk: account_id } }))
  }

  return { plan, tick }
}
