import type { Lake, Log } from '#core/ports'
import type { IdentityFile } from './identity-files.ts'
import { decodeIdentity, type IdentityRow } from './identity-row.ts'

/** The identify requests that the fold takes at once, by file. */
export type Slice = readonly (IdentityFile & { rows: readonly IdentityRow[] })[]

/**
 * Rows of a slice, so that memory stays bounded. A file has at most CLAIM_RECORDS
 * (core/lake/consume/consumer.ts).
 */
const SLICE_ROWS = 20_000

/**
 * Reads the next files that are not folded. A file that cannot be read is logged, and holds back only the
 * later files of its shard: its repair writes it again from the stream.
 */
export async function readSlice(
  { lake, log }: { lake: Pick<Lake, 'get'>; log: Log },
  files: readonly IdentityFile[],
) {
  const slice: (IdentityFile & { rows: readonly IdentityRow[] })[] = []
  const waiting = new Set<string>()
  let rows = 0
  for (const file of files) {
    if (rows >= SLICE_ROWS) break
    if (waiting.has(file.shard)) continue
    const bytes = await lake.get(file.key)
    // Another process has folded and deleted it.
    if (bytes === null) continue
    try {
      const read = await decodeIdentity(bytes)
      slice.push({ ...file, rows: read })
      rows += read.length
    } catch (error) {
      log('LAKE_OBJECT_DAMAGED', { key: file.key, reason: String(error) })
      waiting.add(file.shard)
    }
  }
  return slice
}
