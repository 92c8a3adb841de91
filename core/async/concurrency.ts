/**
 * Does the work for each item, for at most `concurrency` items at the same time. After the first error no
 * more work starts; when the running work has ended, it rejects with that error.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const remaining = items.values()
  const failures: unknown[] = []
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const item of remaining) {
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
      }
      if (failures.length > 0) return
    }
  })
  await Promise.all(workers)
  if (failures.length > 0) throw failures[0]
}
