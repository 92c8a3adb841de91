import { hash } from 'node:crypto'
import { BUCKETS } from '#schemas/columns'

/**
 * Spreads projects and identity scopes evenly over the buckets. The bucket depends on the id alone, so it
 * never changes.
 */
export function bucketOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt32BE(0) % BUCKETS
}
