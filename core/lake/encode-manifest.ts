import type { TombstoneBatch } from './erase/tombstone-batch.ts'
import type { Manifest } from './manifest.ts'
import type { RetiredSegment, Segment } from './segment.ts'

/** The manifest of a bucket as an item of the state table. */

/** Sort keys compare as text, so all buckets have two digits. */
export function padBucket(bucket: number): string {
  return String(bucket).padStart(2, '0')
}

/** Lists are JSON texts. */
type ManifestItem = Record<'bucket' | 'segments' | 'retired', string> &
  Pick<Manifest, 'version' | 'compacted'> & {
    batches?: string
    tombstoneCount?: number
    round?: string
  }

export function toManifestItem({
  bucket,
  segments,
  retired,
  tombstones,
  round,
  ...numbers
}: Manifest): ManifestItem {
  const { version, compacted, tombstoneCount } = numbers
  return {
    bucket: padBucket(bucket),
    version,
    compacted,
    segments: JSON.stringify(segments.map(toSegmentNumbers)),
    retired: JSON.stringify(retired.map(toRetiredNumbers)),
    ...(tombstoneCount > 0 && { batches: JSON.stringify(tombstones.map(toBatchValues)), tombstoneCount }),
    ...(round.at > 0 && { round: JSON.stringify([round.at, round.number]) }),
  }
}

export function toManifest({
  bucket,
  version,
  compacted,
  segments,
  retired,
  ...erasures
}: ManifestItem): Manifest {
  const [roundAt, roundNumber] = JSON.parse(erasures.round ?? '[0, 0]') as [number, number]
  return {
    bucket: Number(bucket),
    version,
    compacted,
    segments: (JSON.parse(segments) as number[][]).map(toSegment),
    retired: (JSON.parse(retired) as number[][]).map(toRetired),
    tombstones: (JSON.parse(erasures.batches ?? '[]') as unknown[][]).map(toBatch),
    tombstoneCount: erasures.tombstoneCount ?? 0,
    round: { at: roundAt, number: roundNumber },
  }
}

/**
 * A segment is stored as a list of numbers in the order of these names: with names for each number, the item
 * of a busy bucket would have three times the bytes. A new name comes last.
 */
const FIRST_FIELDS = [
  'from',
  'until',
  'generation',
  'parts',
  'rows',
  'bytes',
  'firstAt',
  'lastAt',
  'lastArrival',
  'eventIds',
] as const satisfies readonly (keyof Segment)[]
/** Stored as 0 or 1; 0 in items from before the field. */
const FLAGS = ['knowsSplit'] as const satisfies readonly (keyof Segment)[]
const SEGMENT_FIELDS = [...FIRST_FIELDS, 'erased', ...FLAGS] as const satisfies readonly (keyof Segment)[]
const RETIRED_FIELDS = [
  ...FIRST_FIELDS,
  'retiredAt',
  'erased',
  ...FLAGS,
] as const satisfies readonly (keyof RetiredSegment)[]

/** A batch of tombstones is stored in the same way. */
const BATCH_FIELDS = [
  'number',
  'first',
  'writer',
  'rows',
  'createdAt',
  'oldestUntil',
  'newestUntil',
  'projects',
  'lastEpoch',
  'hotUntil',
  'doneAt',
] as const satisfies readonly (keyof TombstoneBatch)[]

function toBatchValues({ removed, ...batch }: TombstoneBatch): unknown[] {
  return [...BATCH_FIELDS.map(name => batch[name]), removed.events, removed.files]
}

function toBatch(values: readonly unknown[]): TombstoneBatch {
  const batch = Object.fromEntries(BATCH_FIELDS.map((name, i) => [name, values[i]]))
  const [events, files] = values.slice(BATCH_FIELDS.length)
  return { ...batch, removed: { events, files } } as TombstoneBatch
}

const toSegmentNumbers = (segment: Segment): number[] => SEGMENT_FIELDS.map(name => Number(segment[name]))
const toRetiredNumbers = (segment: RetiredSegment): number[] =>
  RETIRED_FIELDS.map(name => Number(segment[name]))
const toSegment = (numbers: readonly number[]): Segment => toObject(SEGMENT_FIELDS, numbers) as Segment
const toRetired = (numbers: readonly number[]): RetiredSegment =>
  toObject(RETIRED_FIELDS, numbers) as RetiredSegment

function toObject(names: readonly (keyof RetiredSegment)[], numbers: readonly number[]) {
  const flags: readonly string[] = FLAGS
  return Object.fromEntries(
    names.map((name, i) => [name, flags.includes(name) ? numbers[i] === 1 : (numbers[i] ?? 0)]),
  )
}
