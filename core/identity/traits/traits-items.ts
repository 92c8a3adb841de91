import { idHash, partition } from '#core/identity/links/pointers'
import { type Item, queryPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import type { JsonObject } from '#core/text/json-object'
import type { Arrival, KnownUser } from './known-user.ts'

/** The traits of a user. */
export function traitsKey(userId: string): string {
  return `traits#${idHash(userId)}`
}

/** The traits of all users of a project, page by page. */
export function traitsPages(state: StateTable, projectId: string): AsyncGenerator<Item[]> {
  return queryPages(state, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': partition(projectId), ':sk': 'traits#' },
    ConsistentRead: true,
  })
}

/** The present address of a user. */
export function emailKey(userId: string): string {
  return `email-of#${idHash(userId)}`
}

/** An entry of the index. */
export function indexKey(emailHash: string, userId: string): string {
  return `email#${emailHash}#${idHash(userId)}`
}

/**
 * What is known of a user, with an item of traits. What came without a credential has the names of before
 * there were credentials.
 */
export function withTraits(user: KnownUser, item: Item): KnownUser {
  const read = (prefix: string) =>
    item[`${prefix}traits`] === undefined
      ? null
      : { traits: JSON.parse(String(item[`${prefix}traits`])) as JsonObject, ...arrivalOf(item, prefix) }
  return { ...user, traits: read(''), trustedTraits: read('trusted_') }
}

/** The same with an item of an address. */
export function withEmail(user: KnownUser, item: Item): KnownUser {
  const read = (prefix: string) =>
    item[`${prefix}email_hash`] === undefined
      ? null
      : { email_hash: String(item[`${prefix}email_hash`]), ...arrivalOf(item, prefix) }
  const replaced = item.replaced == null ? null : String(item.replaced)
  return { ...user, email: read(''), trustedEmail: read('trusted_'), replaced }
}

function arrivalOf(item: Item, prefix: string): Arrival {
  return { at: Number(item[`${prefix}at`]), seq: Number(item[`${prefix}seq`]) }
}

/** The items of a user: none, one or two. */
export function toItems(user_id: string, user: KnownUser): Item[] {
  const { traits, trustedTraits, email, trustedEmail, replaced } = user
  const traitsItem = {
    ...(traits !== null && { ...traits, traits: JSON.stringify(traits.traits) }),
    ...(trustedTraits !== null && {
      trusted_traits: JSON.stringify(trustedTraits.traits),
      trusted_at: trustedTraits.at,
      trusted_seq: trustedTraits.seq,
    }),
  }
  const emailItem = {
    ...email,
    ...(trustedEmail !== null && {
      trusted_email_hash: trustedEmail.email_hash,
      trusted_at: trustedEmail.at,
      trusted_seq: trustedEmail.seq,
    }),
  }
  const hasTraits = traits !== null || trustedTraits !== null
  const hasEmail = email !== null || trustedEmail !== null
  return [
    ...(hasTraits ? [{ sk: traitsKey(user_id), user_id, ...traitsItem }] : []),
    ...(hasEmail ? [{ sk: emailKey(user_id), user_id, ...emailItem, replaced }] : []),
  ]
}
