import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { createSlidingWindow, type SlidingWindow } from '#core/limits/sliding-window'
import { limitsOf, NO_LIMIT, type Profile } from '#core/plans/profile'
import { limitExtras } from '#core/plans/rate-limited'
import type { Clock } from '#core/ports'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'

export type ScanQuotaServices = StateTable & {
  clock: Clock
  profile: Profile
  /** Names the network of an address without storing the address. */
  networkHash(address: string | null): Promise<string>
}

const HOUR_MS = 3_600_000
/** The count of a month is kept this long after the month has begun. */
const KEPT_DAYS = 62

/** How many analyses a caller may begin (docs/api/website-scans.md). All throw SCAN_BUSY. */
export function createScanQuotas({ client, table, clock, profile, networkHash }: ScanQuotaServices) {
  const state = { client, table, clock }
  const ofAddresses = createSlidingWindow(state, { name: 'scans', windowMs: HOUR_MS })
  const ofAccounts = createSlidingWindow(state, { name: 'account-scans', windowMs: HOUR_MS })

  /**
   * A name of the network of an address. What the page of another site asks for does not spend what the
   * network itself may do, so it has a name of its own.
   */
  async function networkOf(address: string | null, isOfOtherSite = false): Promise<string> {
    const network = await networkHash(address)
    return isOfOtherSite ? `${network}#page` : network
  }

  async function takeAnonymous(network: string): Promise<void> {
    const limit = profile.anonymous_scans_per_hour
    if (limit !== NO_LIMIT) await take(ofAddresses, network, limit, 'from this address')
  }

  async function takeOfAccount({ id }: Pick<Account, 'id'>): Promise<void> {
    const limit = profile.account_scans_per_hour
    if (limit !== NO_LIMIT) await take(ofAccounts, id, limit, 'of this account')
  }

  async function take(window: SlidingWindow, key: string, limit: number, whose: string): Promise<void> {
    const { isAdmitted, resetAt } = await window.take(key, limit)
    if (isAdmitted) return
    throw scanBusy(`${limit} analyses ${whose} have begun within an hour`, { limit, resetAt }, clock.now())
  }

  /** Counts a full analysis. Returns the month that it counts in, for `giveBack`; null: there is no limit. */
  async function takeFull(account: Pick<Account, 'id' | 'tier'>): Promise<string | null> {
    const limit = limitsOf(profile, account).max_full_scans_per_month
    if (limit === NO_LIMIT) return null
    const month = utcDate(clock.now()).slice(0, 7)
    const counted = client.update({
      TableName: table,
      Key: keyOf(account.id, month),
      UpdateExpression: 'ADD #used :one SET #expires = :expires',
      ConditionExpression: 'attribute_not_exists(#used) OR #used < :limit',
      ExpressionAttributeNames: { '#used': 'used', '#expires': 'expires_at' },
      ExpressionAttributeValues: {
        ':one': 1,
        ':limit': limit,
        ':expires': Math.ceil((clock.now() + KEPT_DAYS * DAY_MS) / 1_000),
      },
    })
    if (limit > 0 && (await conditionHeld(counted))) return month
    const [year = 0, index = 0] = month.split('-').map(Number)
    throw scanBusy(
      `all ${limit} full analyses of the month are used, and GET /account/usage says how to upgrade`,
      { limit, resetAt: Date.UTC(year, index) },
      clock.now(),
    )
  }

  /** A full analysis that failed does not count. */
  async function giveBack(accountId: string, month: string): Promise<void> {
    await conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(accountId, month),
        UpdateExpression: 'ADD #used :less',
        ConditionExpression: '#used > :none',
        ExpressionAttributeNames: { '#used': 'used' },
        ExpressionAttributeValues: { ':less': -1, ':none': 0 },
      }),
    )
  }

  return { networkOf, takeAnonymous, takeOfAccount, takeFull, giveBack }
}

export type ScanQuotas = ReturnType<typeof createScanQuotas>

/**
 * SCAN_BUSY with the limit that is reached, and the time (`resetAt`, Unix ms) after which the same request
 * can succeed (R20). `why`: a clause.
 */
export function scanBusy(
  why: string,
  { limit, resetAt }: { limit: number; resetAt: number },
  now: number,
): ApiError {
  const seconds = Math.max(1, Math.ceil((resetAt - now) / 1_000))
  return new ApiError(
    'SCAN_BUSY',
    `The website cannot be analysed now: ${why}. Try again in ${seconds} s.`,
    limitExtras({ limit, remaining: 0, resetAt }, now, { retry_after_seconds: seconds }),
  )
}

function keyOf(accountId: string, month: string) {
  return { pk: `scan-quota#${accountId}`, sk: month }
}
