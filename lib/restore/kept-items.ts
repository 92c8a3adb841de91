import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type StoredItem = Record<string, AttributeValue>

/**
 * What a restoration does with an item of the moment. `write`: puts it over the one of the table. `never`:
 * leaves what the table has, also nothing. `fill`: puts it only where the table has none. `merge`: sets its
 * attributes, unless the table says that the thing was deleted. `pipeline`: puts it only into a table that
 * has lost its pipeline.
 */
export type RestoreRule = 'write' | 'never' | 'fill' | 'merge' | 'pipeline'

/**
 * Rules by the form of `pk sk`; every other item is written. A credential that was revoked since the moment
 * must not work again, and one that was made since must go on working. So no item that is one is ever taken
 * from the moment. docs/state-items.md lists all kinds of items with their rule, and
 * test/lib/restore/copy-items.test.ts compares these forms with what the stores write.
 */
const RULES: [form: RegExp, rule: RestoreRule][] = [
  // What the service has made of the stream and the lake goes with them, and they do not go back. Taken from
  // the moment, it would make erased persons known again, and links files that are gone the ones to read.
  [/ \$(lake|shard|manifest|emptyepochs|lakejob|erasure)_\d+(#|$)/, 'pipeline'],
  [/^(erasures|identity|usage|opencounts|bots|live)#/, 'pipeline'],
  [/^(lake-sweeps|identity-levels|identity-fold|identity-traits|identity-work|live-checkpoint) /, 'pipeline'],
  [/ \$(authrequest|agentsession|usedrefreshtoken|browsersession|setuplink|signinattempt)_\d+(#|$)/, 'never'],
  [/^(sharelinks|replayview|passkeys)#/, 'never'],
  // An identity that leads to another account since must not open the old one again.
  [/ \$identity_\d+(#|$)/, 'fill'],
  [/ \$(account|project)_\d+(#|$)/, 'merge'],
]

/** A table with this item has its pipeline. */
export const PIPELINE_KEY = { pk: { S: '$footfall' }, sk: { S: '$lake_1' } } satisfies StoredItem

/**
 * Sort keys of receipts of erasures begin with it (core/erasure/store.ts). They are items of the pipeline.
 */
export const RECEIPT_PREFIX = '$erasure_'

export function isReceipt({ sk }: StoredItem): boolean {
  return sk?.S?.startsWith(RECEIPT_PREFIX) === true
}

/** The hash of an account's API key is never taken from the moment. */
export const KEY_HASH = 'api_key_hash'
/**
 * When the browsers of an account were signed out. An older value would make their sessions, which the table
 * still has, work again.
 */
const BROWSERS_SINCE = 'browsers_since'
const OF_THE_TABLE = new Set(['pk', 'sk', KEY_HASH, BROWSERS_SINCE])
/** A deleted account or project has it, and is left alone. */
export const DELETED_AT = 'deleted_at'
/** The identities that go with an account when it is deleted: newer ones must not be forgotten. */
const FILLED = new Set(['identity_hashes'])

export function restoreRuleOf({ pk, sk }: StoredItem): RestoreRule {
  const name = `${pk?.S} ${sk?.S}`
  return RULES.find(([form]) => form.test(name))?.[1] ?? 'write'
}

/** The parts of an UpdateItem that sets what `merge` takes of an item. */
export function mergeOf(item: StoredItem) {
  const names = Object.keys(item).filter(name => !OF_THE_TABLE.has(name))
  const sets = names.map(
    (name, i) => `#n${i} = ${FILLED.has(name) ? `if_not_exists(#n${i}, :v${i})` : `:v${i}`}`,
  )
  return {
    UpdateExpression: `SET ${sets.join(', ')}`,
    ConditionExpression: 'attribute_not_exists(#deleted)',
    ExpressionAttributeNames: {
      '#deleted': DELETED_AT,
      ...Object.fromEntries(names.map((name, i) => [`#n${i}`, name])),
    },
    ExpressionAttributeValues: Object.fromEntries(
      names.map((name, i) => [`:v${i}`, item[name]]),
    ) as StoredItem,
  }
}
