import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { requestErrorOf, toApiError } from './transient.ts'

/**
 * The one DynamoDB table that holds all state. Its keys are `pk` and `sk`; it has no secondary index, and
 * every write is a conditional write of a single item. Each room keeps its own items in it, by ElectroDB or
 * by the client itself (docs/decisions/2026-11-21-dynamodb-library.md).
 */
export type StateTable = { client: DynamoDBDocument; table: string }

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 1
export const UNREACHABLE = 'The state table cannot be reached now. Send the same request again in a second.'

/** Returns whether the condition of a write held. Throws ApiError UNAVAILABLE on a transient failure. */
export async function conditionHeld(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (requestErrorOf(error).name === 'ConditionalCheckFailedException') return false
    throw toStateError(error)
  }
}

/** Returns the result of a request. Throws ApiError UNAVAILABLE on a transient failure. */
export async function orUnavailable<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw toStateError(error)
  }
}

/** The key of an item. */
export type ItemKey = Record<'pk' | 'sk', string>

/**
 * The partition of all items of an account whose entities have `pk: ['account_id']`, as ElectroDB names it.
 */
export function accountPartition(accountId: string): string {
  return `$footfall#account_id_${accountId}`
}

function toStateError(error: unknown): unknown {
  return toApiError(error, UNREACHABLE, RETRY_AFTER)
}

/**
 * The index of an ElectroDB entity: the attributes that make the keys `pk` and `sk` of its items. Values
 * enter a key in the case that they have.
 */
export function primaryIndex<const PK extends readonly string[], const SK extends readonly string[]>({
  pk,
  sk,
}: {
  pk: PK
  sk: SK
}) {
  return {
    main: {
      pk: { field: 'pk', composite: pk, casing: 'none' },
      sk: { field: 'sk', composite: sk, casing: 'none' },
    },
  } as const
}
