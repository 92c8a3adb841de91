import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { unavailable } from './errors.ts'

/**
 * The one DynamoDB table that holds all state: keys `pk` and `sk`, no index, only single-item conditional writes. Rooms
 * keep their own items in it, by ElectroDB or by the client itself (docs/decisions/2026-11-21-dynamodb-library.md).
 */
export type StateTable = { client: DynamoDBDocument; table: string }

/** Whether a conditional write held. Throws ApiError UNAVAILABLE when the table cannot answer now. */
export async function conditionHeld(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (serviceError(error).name === 'ConditionalCheckFailedException') return false
    throw mapped(error)
  }
}

/** What the table answers. Throws ApiError UNAVAILABLE when it cannot answer now. */
export async function orUnavailable<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw mapped(error)
  }
}

type ServiceError = Error & { $fault?: 'client' | 'server'; $retryable?: unknown }

/** The SDK's error: ElectroDB hands it on as the cause of its own. */
function serviceError(error: unknown): ServiceError {
  const { isElectroError, cause } = error as Error & { isElectroError?: boolean }
  return (isElectroError && cause instanceof Error ? cause : error) as ServiceError
}

const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
])

/** A fault of the table or of the way to it passes; a request that it refuses is a defect of ours and stays one. */
function mapped(error: unknown): unknown {
  const found = serviceError(error)
  const passes = found.$fault === 'server' || THROTTLED.has(found.name) || isConnectionError(found)
  return passes ? unavailable('the state cannot be read or written now', 1, error) : error
}

function isConnectionError(error: Error & { code?: string }): boolean {
  return (
    error.name === 'TimeoutError' ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT'].includes(error.code ?? '')
  )
}
