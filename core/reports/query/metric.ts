import type { EventField } from '#core/lake/read/lake-read'
import type { Row, SqlQuery } from '#core/ports'
import type { SumParts } from './exact-sum.ts'

/**
 * A metric of POST /query over the events of a group. `aggregates` add up the rows of a group in `rowsOf`:
 * - `entities` (entitiesSql of query.ts): one row for each session of the group, one for each user, or both.
 * - `events`: one row for each event.
 * - `ranks`: one row for each value of a property (percentiles.ts).
 */
export type Metric = {
  name: string
  rowsOf: 'entities' | 'events' | 'ranks'
  /** Fields of `events` that it reads. */
  fields: EventField[]
  /** A column that is computed for each event: a property as text, and its number. */
  column?: { alias: SqlQuery; textAlias: SqlQuery; text: SqlQuery; number: SqlQuery }
  /** Another column that is computed for each event; of entities it is the largest of their events. */
  extra?: { alias: SqlQuery; value: SqlQuery }
  /**
   * The number of a group, and what else `read` needs. The first column is the number, for the order of rows.
   */
  aggregates: SqlQuery[]
  /**
   * What `sumOfParts` (exact-sum.ts) makes the sum of several groups from. Absent: these add up the first
   * aggregate.
   */
  parts?: SumParts
  /** Makes the metric of a response from the columns of a group. */
  read(values: Row[string][]): number | null
  /** It is of the property `value`, so several currencies have none. */
  isMoney?: boolean
  /** Whether groups add up to the total. */
  isAdditive: boolean
  /** Whether it needs the rows of users. */
  needsUsers: boolean
  /** Whether it needs the rows of sessions. */
  needsSessions: boolean
  /** Whether it needs the whole sessions beside the rows of sessions. */
  needsWholeSessions: boolean
}
