import type { OpenLinks } from '#core/lake/model/open-links'
import type { OpenTraits } from '#core/lake/model/open-traits'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { Range } from '#core/time'
import type { EventColumnName } from '#schemas/columns'
import type { ScanStrategy } from './scan-strategy.ts'
import type { Snapshot } from './snapshot.ts'

/** One project's events with from <= timestamp < to (Unix ms), as of one snapshot. */
export type LakeRead = {
  snapshot: Snapshot
  project: Pick<Project, 'id' | 'bucket' | 'created_at' | 'has_event_ids'>
  /** Not before oldestEvent(project). */
  from: number
  to: number
  /**
   * The event_keys of hot events that have copies (copiedKeysSql of core/lake/read/hot-events.ts). Without it
   * any of them may.
   */
  copiedKeys?: readonly string[] | undefined
  /**
   * The stored events that hot ones replace, likewise. Null: they are too many to name. Absent: there are
   * none.
   */
  replaced?: readonly string[] | null | undefined
  /** The time of the read, Unix ms. Without it no event counts as one of a clock that was ahead. */
  now?: number | undefined
  /** How statements use scans (scan-strategy.ts); default: FREE_SCANS. */
  scans?: ScanStrategy | undefined
  /**
   * Where the linked ids of users are; null or absent if the project has none. Then every id stands for
   * itself.
   */
  links?: OpenLinks | null | undefined
  /** Where the traits of users are; absent if nothing of the request is about them. */
  traits?: OpenTraits | undefined
  /** Which of the events, and of their sessions and people. Absent: all of them. */
  where?: Chosen | undefined
}

/** The same read of everything that the condition leaves out, too. */
export function withoutWhere({ where: _, ...read }: LakeRead): LakeRead {
  return read
}

/**
 * A condition on the events of a read. It chooses rows by their own fields, and by flags of the sessions and
 * people that they belong to.
 */
export type Chosen = {
  /** The fields of an event that `condition` reads. */
  fields: readonly EventField[]
  /** Over these fields and the flags of the sets: true for rows that pass, false or null for others. */
  condition: SqlQuery
  sets: readonly ChosenSet[]
  /** The events that choose a session or a person: from <= timestamp < to, Unix ms. */
  range: Range
}

/** Flags of sessions or people. One that is not in the relation has none. */
export type ChosenSet = {
  of: 'session' | 'person'
  /** Rows (set_ref, flags): one for each session or person. */
  relation: SqlQuery
  /** The columns of the flags, which are 1 or 0. */
  flags: readonly SqlQuery[]
  /** Whether set_ref is the id itself or its key (core/lake/consume/id-keys.ts). */
  refs: Refs
}

export type Refs = 'ids' | 'keys'

/** What a report can read of an event. `date` is its UTC date. */
export type EventField = EventColumnName | 'date'
