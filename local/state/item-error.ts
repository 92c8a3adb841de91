/**
 * The errors of the state, by the names and faults that the SDK gives errors of DynamoDB. Our code tells them
 * apart by these.
 */
export class ItemError extends Error {
  readonly $fault: 'client' | 'server'

  constructor(name: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = name
    this.$fault = name === 'InternalServerError' ? 'server' : 'client'
  }
}

/** DynamoDB refuses the request. */
export function invalid(message: string): ItemError {
  return new ItemError('ValidationException', message)
}

/** DynamoDB takes the request, but no code of ours sends it, so one machine does not know it. */
export function unsupported(what: string): ItemError {
  return new ItemError(
    'UnsupportedRequest',
    `The state on one machine does not support ${what}. Write the request in another way, or add it to local/state/ with a test of test/contract/state-table.ts.`,
  )
}
