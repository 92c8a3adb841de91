import { isAnonymous, type Link, type LinkRow } from './links.ts'

/** A file of links. `number` counts the changes of the bucket's links. */
export type Level = {
  number: number
  writer: string
  rows: number
  /** Whether ids of older files may lead to ids that have a row in this one. */
  moves: boolean
}

/** The item that names the links files of a bucket. */
export type LinksManifest = {
  bucket: number
  version: number
  /** Oldest first. No more than the logarithm of all rows: see `dueMerge`. */
  levels: readonly Level[]
  /** Files that were replaced at `at` (Unix ms). Running reads may still use them. At most MAX_RETIRED. */
  retired: readonly (Pick<Level, 'number' | 'writer'> & { at: number })[]
  /** The number of the newest file ever. */
  last: number
  /** The file whose pointers may not all be in the state; null: all are. */
  unapplied: number | null
  /** Whether any id leads to an anonymous one. */
  hasAnonymousTargets: boolean
  /**
   * The last sequence of each shard whose identity files are in the links files. Those of retired shards are
   * forgotten when links are added (fold-bucket.ts).
   */
  folded: Readonly<Record<string, string>>
  /**
   * What named the files is lost or damaged, so the fold makes them anew (rebuilds.ts). Until then there are
   * none.
   */
  isLost?: boolean
}

export function emptyLinks(bucket: number): LinksManifest {
  const lists = { levels: [], retired: [], folded: {} }
  return { bucket, version: 0, ...lists, last: 0, unapplied: null, hasAnonymousTargets: false }
}

/** How long replaced files are kept, ms: a read lasts 30 s at most on AWS. */
export const KEEP_RETIRED_MS = 5 * 60_000
/** There is at most one fold a second. */
const MAX_RETIRED = 600
/** Rows of a file that the next fold takes up into its own: a file for each fold would be too many. */
const YOUNG_ROWS = 2_000

/** The steps that a read needs at most after the first one, from an id to its final id. */
export function hopsOf({ levels }: Pick<LinksManifest, 'levels'>): number {
  return levels.filter((level, i) => i > 0 && level.moves).length
}

/** The newest file, if the next fold should take it up. */
export function youngLevel({ levels }: Pick<LinksManifest, 'levels'>): Level | null {
  const last = levels.at(-1)
  return last !== undefined && last.rows <= YOUNG_ROWS ? last : null
}

/** Whether rows of a new file may move ids of older files. */
export function mayMove(
  { hasAnonymousTargets }: Pick<LinksManifest, 'hasAnonymousTargets'>,
  rows: readonly Pick<Link, 'previous_id'>[],
): boolean {
  return rows.some(({ previous_id }) => hasAnonymousTargets || !isAnonymous(previous_id))
}

/** Adds the rows of a newer file to those of an older one, so that all lead to their final ids. */
export function composeRows(older: readonly LinkRow[], newer: readonly LinkRow[]): LinkRow[] {
  const next = new Map(newer.map(row => [nameOf(row.scope, row.previous_id), row.linked_id]))
  const kept = older.filter(({ scope, previous_id }) => !next.has(nameOf(scope, previous_id)))
  return [
    ...kept.map(row => ({ ...row, linked_id: next.get(nameOf(row.scope, row.linked_id)) ?? row.linked_id })),
    ...newer,
  ]
}

function nameOf(scope: string, id: string): string {
  return `${scope} ${id}`
}

/**
 * The files to merge now; fewer than two: none. A file is merged with all newer ones when these have as many
 * rows. So there are about log2(rows / 2,000) files, and each row is written about as often.
 */
export function dueMerge({ levels }: Pick<LinksManifest, 'levels'>): Level[] {
  for (let first = 0; first < levels.length - 1; first++) {
    const suffix = levels.slice(first)
    const [oldest, ...newer] = suffix
    if (oldest !== undefined && sumRows(newer) >= oldest.rows) return suffix
  }
  return []
}

export function sumRows(levels: readonly Pick<Level, 'rows'>[]): number {
  return levels.reduce((sum, { rows }) => sum + rows, 0)
}

/** Puts one file in the place of neighbours, or of none at the end. A file without rows is left out. */
export function replaceLevels(
  manifest: LinksManifest,
  replaced: readonly Level[],
  level: Omit<Level, 'moves'> & { moves?: boolean },
  now: number,
): LinksManifest {
  const numbers = new Set(replaced.map(({ number }) => number))
  const at = manifest.levels.findIndex(({ number }) => numbers.has(number))
  const kept = manifest.levels.filter(({ number }) => !numbers.has(number))
  const { moves = replaced.some(each => each.moves) } = level
  const added = level.rows === 0 ? [] : [{ ...level, moves }]
  return {
    ...manifest,
    levels: at < 0 ? [...kept, ...added] : [...kept.slice(0, at), ...added, ...kept.slice(at)],
    last: Math.max(manifest.last, level.number),
    retired: [...manifest.retired, ...replaced.map(({ number, writer }) => ({ number, writer, at: now }))],
  }
}

/**
 * The replaced files to delete now, and those that stay. `oldest`: files that were replaced until then (Unix
 * ms) go.
 */
export function splitRetired(
  { retired }: Pick<LinksManifest, 'retired'>,
  oldest: number,
): Record<'expired' | 'retired', LinksManifest['retired']> {
  const first = Math.max(0, retired.length - MAX_RETIRED)
  const isExpired = ({ at }: { at: number }, i: number) => at <= oldest || i < first
  return {
    expired: retired.filter(isExpired),
    retired: retired.filter((level, i) => !isExpired(level, i)),
  }
}
