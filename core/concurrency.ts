/**
 * Does the work for all items, `atOnce` at a time at most. Rejects with the first error; then nothing more is begun, and
 * what was begun has ended.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const failures: unknown[] = []
  const lanes = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const item of left) {
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
      }
      if (failures.length > 0) return
    }
  })
  await Promise.all(lanes)
  if (failures.length > 0) throw failures[0]
}
