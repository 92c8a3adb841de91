import type { SimulatedLake } from './simulated-ports.ts'

/**
 * Keeps what is deleted from the lake, as the versions of S3 do, from now on. `undo` brings back what was
 * deleted after a time (lib/restore/undo-deletions.ts) and returns how many objects these are.
 */
export function keepDeletions(lake: SimulatedLake, clock: { now(): number }) {
  const deleted = new Map<string, { at: number; bytes: Uint8Array }>()
  const remove = lake.delete
  lake.delete = async keys => {
    for (const key of keys) {
      const bytes = lake.objects.get(key)
      if (bytes !== undefined) deleted.set(key, { at: clock.now(), bytes })
    }
    await remove(keys)
  }

  function undo(since: number): number {
    const undone = [...deleted].filter(([key, { at }]) => at > since && !lake.objects.has(key))
    for (const [key, { bytes }] of undone) lake.objects.set(key, bytes)
    lake.changes++
    return undone.length
  }

  return { undo }
}
