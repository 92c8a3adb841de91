import { createHmac, randomBytes } from 'node:crypto'
import type { Now } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { utcDate } from '#core/time'
import { networkOf } from './network-of.ts'

const SALT_SECONDS = 2 * 86_400

/**
 * Names the network of an address without storing the address: an HMAC under a salt that is new every day and
 * deleted a day later. All processes share the salt by the table.
 */
export function createAddressHash({ clock, ...state }: StateTable & { clock: Now }) {
  let salt: { date: string; value: Promise<string> } | null = null

  async function saltOf(date: string): Promise<string> {
    const Key = { pk: 'install', sk: `address-salt#${date}` }
    const value = randomBytes(32).toString('hex')
    const expires_at = Math.ceil(clock.now() / 1_000) + SALT_SECONDS
    const created = state.client.put({
      TableName: state.table,
      Item: { ...Key, value, expires_at },
      ConditionExpression: 'attribute_not_exists(pk)',
    })
    if (await conditionHeld(created)) return value
    const Item = await readItem(state, Key)
    return String(Item?.value)
  }

  /** `at`: Unix ms, at most a day ago, for a hash to compare with one of that time. */
  return async function hashOf(address: string | null, at = clock.now()): Promise<string> {
    const date = utcDate(at)
    if (salt?.date !== date) {
      const value = saltOf(date)
      salt = { date, value }
      value.catch(() => {
        salt = null
      })
    }
    return createHmac('sha256', await salt.value)
      .update(address === null ? 'unknown' : networkOf(address))
      .digest('hex')
      .slice(0, 32)
  }
}
