import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The unit of the field `blocks`, whatever the blocks of the disk are. */
const BLOCK = 512
/** What an entry takes at least, because an empty file and a folder take some of the disk too. */
const ENTRY = 4_096

/**
 * Bytes of the disk that a folder takes with all that is below it. It stops to count beyond `max`, so it
 * looks at `max` / ENTRY entries at most. What cannot be read counts as nothing: it may be gone again.
 */
export async function folderSize(folder: string, max = Number.POSITIVE_INFINITY): Promise<number> {
  const waiting = [folder]
  let size = 0
  for (let next = waiting.pop(); next !== undefined && size <= max; next = waiting.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (size > max) break
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      // Holes of a file take nothing.
      const blocks = await lstat(path).then(
        stats => stats.blocks,
        () => 0,
      )
      size += Math.max(ENTRY, blocks * BLOCK)
    }
  }
  return size
}
