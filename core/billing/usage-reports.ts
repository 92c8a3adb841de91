import type { Log, Now } from '#core/ports'
import { randomId } from '#core/secrets/tokens'
import { queryAll } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { PaymentProvider } from './payment-provider.ts'

export type UsageReportServices = StateTable & {
  clock: Now
  log: Log
  payments: Pick<PaymentProvider, 'reportUsage'>
  usage: Pick<UsageCounters, 'month'>
}

/** One report of events. The provider counts it once, however often it gets the id. */
type Report = {
  id: string
  events: number
  /** Unix ms, in the month that pays. */
  at: number
}

/** What was reported of an account. */
type Payer = {
  account_id: string
  /** The customer at the payment provider. */
  customer: string
  /** The month that is reported now, YYYY-MM. */
  month: string
  /** Events of that month that the provider has. */
  reported: number
  /** Begins the ids of the reports. It is random, so that no other report ever has the same id. */
  series: string
  /** Number of reports so far. */
  reports: number
  /** The day of the last round. */
  day: string
  /** A report that may or may not have reached the provider. */
  pending?: Report
  /**
   * Nobody pays any more. The item stays, so that a new subscription in the same month does not report its
   * events twice.
   */
  hasEnded?: boolean
}

const PK = 'payers'
/**
 * A day is reported so long after its end: by then the copies among its events are found and no longer
 * counted.
 */
const SETTLE_MS = 6 * 3_600_000

/**
 * Tells the payment provider how many events paying accounts have sent, once a day and when a subscription is
 * cancelled (docs/api/limits.md: one dollar for 10,000 events of a UTC month). A report is noted before it is
 * sent, and a failed one is sent again with the same id, which the provider counts once. So the reports of a
 * month add up to its events, whatever breaks off.
 */
export function createUsageReports({ clock, log, payments, usage, client, table }: UsageReportServices) {
  /**
   * Begins to report an account with the events of this month. An account that is reported already goes on as
   * it is.
   */
  async function begin(account_id: string, customer: string): Promise<void> {
    const month = utcDate(clock.now()).slice(0, 7)
    const before = await find(account_id)
    if (before !== null && before.hasEnded !== true && before.customer === customer) return
    if (before === null) {
      const first = { account_id, customer, month, reported: 0, series: randomId('use'), reports: 0, day: '' }
      const Item = { ...keyOf(account_id), ...first }
      const ConditionExpression = 'attribute_not_exists(pk)'
      await conditionHeld(client.put({ TableName: table, Item, ConditionExpression }))
      return
    }
    const { hasEnded, ...known } = before
    const isNewMonth = hasEnded === true && known.month !== month
    await save(before, { ...known, customer, ...(isNewMonth && { month, reported: 0 }) })
  }

  /** Reports every account once a day. What fails is logged, and the next call tries it again. */
  async function tick(): Promise<void> {
    const today = utcDate(clock.now() - SETTLE_MS)
    for (const { account_id, day, hasEnded } of await listPayers()) {
      if (day === today || hasEnded === true) continue
      try {
        await report(account_id, today)
      } catch (error) {
        log('JOB_FAILED', { job: `report usage of ${account_id}`, error: String(error) })
      }
    }
  }

  /** Reports an account for the last time: its subscription ends. */
  async function end(account_id: string): Promise<void> {
    const payer = await report(account_id, utcDate(clock.now() + DAY_MS))
    if (payer !== null && payer.hasEnded !== true) await save(payer, { ...payer, hasEnded: true })
  }

  /** Forgets an account that is deleted. */
  async function forget(account_id: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: keyOf(account_id) }))
  }

  /**
   * Reports the events before the day `until` that the provider does not have yet: of the account's month,
   * and of the months since. Returns what is known of the account then.
   */
  async function report(account_id: string, until: string): Promise<Payer | null> {
    for (let payer = await find(account_id); ; ) {
      if (payer === null || payer.hasEnded === true) return payer
      if (payer.pending !== undefined) {
        await payments.reportUsage({ customer: payer.customer, ...payer.pending })
        const { pending, ...sent }: Payer = payer
        payer = await save(payer, { ...sent, reported: payer.reported + (pending?.events ?? 0) })
        continue
      }
      const due = (await eventsBefore(account_id, payer.month, until)) - payer.reported
      const nextMonth = startOfNextMonth(payer.month)
      if (due > 0) {
        const pending = {
          id: `${payer.series}-${payer.reports + 1}`,
          events: due,
          at: Math.min(clock.now(), nextMonth - 1_000),
        }
        payer = await save(payer, { ...payer, reports: payer.reports + 1, pending })
      } else if (utcDate(nextMonth) < until) {
        payer = await save(payer, { ...payer, month: utcDate(nextMonth).slice(0, 7), reported: 0 })
      } else if (payer.day === until) return payer
      else payer = await save(payer, { ...payer, day: until })
    }
  }

  async function eventsBefore(account_id: string, month: string, until: string): Promise<number> {
    const { days } = await usage.month(account_id, month)
    return Object.entries(days).reduce((sum, [day, { events }]) => sum + (day < until ? events : 0), 0)
  }

  /** Replaces the item, unless another process has changed it. Returns the item as it is now. */
  async function save(before: Payer, after: Payer): Promise<Payer | null> {
    const isSaved = await conditionHeld(
      client.put({
        TableName: table,
        Item: { ...keyOf(after.account_id), ...after },
        ConditionExpression: `reports = :reports AND reported = :reported AND #month = :month AND ${
          before.pending === undefined ? 'attribute_not_exists(pending)' : 'attribute_exists(pending)'
        }`,
        ExpressionAttributeNames: { '#month': 'month' },
        ExpressionAttributeValues: {
          ':reports': before.reports,
          ':reported': before.reported,
          ':month': before.month,
        },
      }),
    )
    return isSaved ? after : find(after.account_id)
  }

  async function find(account_id: string): Promise<Payer | null> {
    const Item = await readItem({ client, table }, keyOf(account_id))
    return (Item as Payer | undefined) ?? null
  }

  async function listPayers(): Promise<Payer[]> {
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': PK } }
    return (await queryAll({ client, table }, query)) as unknown as Payer[]
  }

  return { begin, tick, end, forget }
}

export type UsageReports = ReturnType<typeof createUsageReports>

function keyOf(account_id: string) {
  return { pk: PK, sk: account_id }
}

/** Unix ms of the first moment after a month (YYYY-MM). */
function startOfNextMonth(month: string): number {
  const inNextMonth = Date.parse(`${month}-01`) + 32 * DAY_MS
  return Date.parse(`${utcDate(inNextMonth).slice(0, 7)}-01`)
}
