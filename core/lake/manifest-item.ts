import type { Manifest, RetiredSegment, Segment } from './manifest.ts'

/** The manifest of a bucket as an item of the state table. */

/** Sort keys compare as text, so all buckets have two digits. */
export function padBucket(bucket: number): string {
  return String(bucket).padStart(2, '0')
}

/** Lists are JSON texts. */
type ManifestItem = Record<'bucket' | 'segments' | 'retired', string> &
  Pick<Manifest, 'version' | 'compacted'> & { tombstones?: string; tombstoneCount?: number }

export function toManifestItem({
  bucket,
  segments,
  retired,
  tombstones,
  ...numbers
}: Manifest): ManifestItem {
  const { version, compacted, tombstoneCount } = numbers
  return {
    bucket: padBucket(bucket),
    version,
    compacted,
    segments: JSON.stringify(segments.map(toSegmentNumbers)),
    retired: JSON.stringify(retired.map(toRetiredNumbers)),
    ...(tombstoneCount > 0 && { tombstones: JSON.stringify(tombstones), tombstoneCount }),
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
  return {
    bucket: Number(bucket),
    version,
    compacted,
    segments: (JSON.parse(segments) as number[][]).map(toSegment),
    retired: (JSON.parse(retired) as number[][]).map(toRetired),
    tombstones: JSON.parse(erasures.tombstones ?? '[]'),
    tombstoneCount: erasures.tombstoneCount ?? 0,
  }
}

/**
 * A segment is stored as a list of numbers in the order of these names: with names for each number, the item of a busy bucket
 * would have three times the bytes. A new name comes last.
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
const SEGMENT_FIELDS = [...FIRST_FIELDS, 'erased', 'knowsSplit'] as const satisfies readonly (keyof Segment)[]
const RETIRED_FIELDS = [
  ...FIRST_FIELDS,
  'retiredAt',
  'erased',
  'knowsSplit',
] as const satisfies readonly (keyof RetiredSegment)[]

const toSegmentNumbers = (segment: Segment): number[] => SEGMENT_FIELDS.map(name => segment[name])
const toRetiredNumbers = (segment: RetiredSegment): number[] => RETIRED_FIELDS.map(name => segment[name])
const toSegment = (numbers: readonly number[]): Segment => toObject(SEGMENT_FIELDS, numbers)
const toRetired = (numbers: readonly number[]): RetiredSegment => toObject(RETIRED_FIELDS, numbers)

function toObject<Name extends string>(names: readonly Name[], numbers: readonly number[]) {
  return Object.fromEntries(names.map((name, i) => [name, numbers[i] ?? 0])) as Record<Name, number>
}
