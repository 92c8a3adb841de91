import { decodeIdentity, type IdentityRow } from '#core/lake/consume/identity-row'
import type { Lake, Log } from '#core/ports'
import type { FoldHead } from './fold-head.ts'
import type { IdentityFile } from './identity-files.ts'

/** The identify requests that the fold takes at once, by file. */
export type Slice = readonly (IdentityFile & { rows: readonly IdentityRow[] })[]

type Damaged = FoldHead['damaged']
type SliceServices = { lake: Pick<Lake, 'get'>; log: Log }

/**
 * Rows of a slice, so that memory stays bounded. A file has at most CLAIM_RECORDS
 * (core/lake/consume/consumer.ts).
 */
const SLICE_ROWS = 20_000
/**
 * How long the later files of a shard wait for one that cannot be read, ms: a repair writes it again from the
 * stream within seconds. After that they go on without it.
 */
export const DAMAGED_WAIT_MS = 15 * 60_000
/** Damaged files that are remembered, 100 bytes each. The shards of more wait for their repair. */
const MAX_DAMAGED = 100

/**
 * Reads the next files that are not folded. A file that cannot be read is logged, and holds back only the
 * later files of its shard, for DAMAGED_WAIT_MS. Returns also the damaged files that are known now.
 */
export async function readSlice(
  services: SliceServices,
  files: readonly IdentityFile[],
  { damaged: known, now }: { damaged: Damaged; now: number },
): Promise<{ slice: Slice; damaged: Damaged }> {
  const slice: (IdentityFile & { rows: readonly IdentityRow[] })[] = []
  const waiting = new Set<string>()
  const damaged = { ...known }
  let rows = 0
  for (const file of files) {
    if (rows >= SLICE_ROWS) break
    if (waiting.has(file.shard)) continue
    const read = await readFile(services, file, known)
    if (read === 'damaged') {
      const since = known[file.key]
      if (since === undefined && Object.keys(damaged).length < MAX_DAMAGED) damaged[file.key] = now
      if (since === undefined || now < since + DAMAGED_WAIT_MS) waiting.add(file.shard)
      continue
    }
    delete damaged[file.key]
    if (read === null) continue
    slice.push({ ...file, rows: read })
    rows += read.length
  }
  return { slice, damaged }
}

/**
 * Null: there is no such file, because another process has folded and deleted it. A damaged file is logged
 * when it is found, and not again each time that it is tried.
 */
export async function readFile(
  { lake, log }: SliceServices,
  { key }: Pick<IdentityFile, 'key'>,
  known: Damaged,
): Promise<readonly IdentityRow[] | 'damaged' | null> {
  const bytes = await lake.get(key)
  if (bytes === null) return null
  try {
    return await decodeIdentity(bytes)
  } catch (error) {
    if (known[key] === undefined) log('LAKE_OBJECT_DAMAGED', { key, reason: String(error) })
    return 'damaged'
  }
}
