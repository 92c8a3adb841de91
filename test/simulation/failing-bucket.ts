import { unavailable } from '#core/errors'
import type { Lake } from '#core/ports'

/** Whether an error is that of a bucket that fails, or was caused by one. */
export function isBucketFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /^Bucket \d+ fails now/.test(error.message) || isBucketFailure(error.cause)
}

/** The lake, which throws for the objects of buckets that fail now. `onFailure`: called each time. */
export function failBuckets(lake: Lake, isFailing: (bucket: number) => boolean, onFailure: () => void): Lake {
  function assertWorks(...keys: readonly string[]): void {
    for (const key of keys) {
      const bucket = /\/bucket=(\d+)\//.exec(key)?.[1]
      if (bucket === undefined || !isFailing(Number(bucket))) continue
      onFailure()
      throw unavailable(`Bucket ${bucket} fails now`, 1)
    }
  }
  return {
    async put(key, bytes) {
      assertWorks(key)
      await lake.put(key, bytes)
    },
    async get(key, last) {
      assertWorks(key)
      return lake.get(key, last)
    },
    async list(prefix) {
      assertWorks(prefix)
      return lake.list(prefix)
    },
    async listPage(prefix, after) {
      assertWorks(prefix)
      return lake.listPage(prefix, after)
    },
    async delete(keys) {
      assertWorks(...keys)
      await lake.delete(keys)
    },
  }
}
