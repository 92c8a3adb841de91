import type { Manifest } from './manifest.ts'
import type { RetiredSegment, Segment } from './segment.ts'
import type { TombstoneBatch } from './tombstone-batch.ts'

/**
 * The parts of a manifest as lists of numbers, and the manifest as an item of the first edition of the state,
 * which had all of it.
 */

/** Sort keys compare as text, so all buckets have two digits. */
export function padBucket(bucket: number): string {
  return String(bucket).padStart(2, '0')
}

/** Lists are JSON texts. */
export type ManifestItem = Record<'bucket' | 'segments' | 'retired', string> &
  Pick<Manifest, 'version' | 'compacted'> & {
    batches?: string
    tombstoneCount?: number
    round?: string
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
const FLAGS = ['knowsSplit', 'knowsSources'] as const satisfies readonly (keyof Segment)[]
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

export function toBatchValues({ removed, ...batch }: TombstoneBatch): unknown[] {
  return [...BATCH_FIELDS.map(name => batch[name]), removed.events, removed.files]
}

export function toBatch(values: readonly unknown[]): TombstoneBatch {
  const batch = Object.fromEntries(BATCH_FIELDS.map((name, i) => [name, values[i]]))
  const [events, files] = values.slice(BATCH_FIELDS.length)
  return { ...batch, removed: { events, files } } as TombstoneBatch
}

export const toSegmentNumbers = (segment: Segment): number[] =>
  SEGMENT_FIELDS.map(name => Number(segment[name]))
export const toRetiredNumbers = (segment: RetiredSegment): number[] =>
  RETIRED_FIELDS.map(name => Number(segment[name]))
export const toSegment = (numbers: readonly number[]): Segment => toObject(SEGMENT_FIELDS, numbers) as Segment
export const toRetired = (numbers: readonly number[]): RetiredSegment =>
  toObject(RETIRED_FIELDS, numbers) as RetiredSegment

function toObject(names: readonly (keyof RetiredSegment)[], numbers: readonly number[]) {
  const flags: readonly string[] = FLAGS
  return Object.fromEntries(
    names.map((name, i) => [name, flags.includes(name) ? numbers[i] === 1 : (numbers[i] ?? 0)]),
  )
}
