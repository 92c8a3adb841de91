import type { LakeRead } from '#core/lake/read/lake-read'
import { eventCounts } from '#core/lake/read/relations'
import { findNewestEvents, readPropertyKeys } from '#core/reports/sql/property-keys'
import { integer, sql } from '#core/sql'
import { cleanText } from '#core/text/clean-text'
import { nearestName } from '#core/text/nearest-name'
import { MAX_LISTED } from '#schemas/properties'
import type { ReadNotes } from './notes.ts'
import type { ReadRows } from './statements.ts'

/** The names that a request with an empty result has asked for. */
export type AskedNames = {
  events?: readonly (string | undefined)[]
  /** Property keys; `country` and the like need no check. */
  properties?: readonly (string | undefined)[]
}

/** Events whose property keys are compared, the newest ones. */
const SAMPLE = 5_000
/** Longest name in a warning, characters. */
const NAME_CHARS = 100

/**
 * Says which of the names do not occur in the range, and which name may be meant (U67). It costs one or two small statements, so it is
 * called only for a result that is empty. A range without events gives no warning: then no name can be wrong.
 */
export async function warnOfUnknownNames(
  rows: ReadRows,
  read: LakeRead,
  { events = [], properties = [] }: AskedNames,
  notes: ReadNotes,
): Promise<void> {
  const [askedEvents, askedKeys] = [events, properties].map(names => names.filter(name => name !== undefined))
  const warn = (kind: string, asked: readonly string[], known: readonly string[]) => {
    if (known.length === 0) return
    for (const name of asked.filter(each => !known.includes(each))) {
      const near = nearestName(name, known)
      const advice = near === null ? '' : ` Did you mean \`${cleanText(near, NAME_CHARS)}\`?`
      notes.warnings.add(`${kind} \`${cleanText(name, NAME_CHARS)}\` does not occur in the range.${advice}`)
    }
  }
  if (askedEvents?.length) warn('The event', askedEvents, await readEventNames(rows, read))
  if (askedKeys?.length) warn('The property', askedKeys, await readKeys(rows, read))
}

/** The most frequent names of the events, at most MAX_LISTED. */
async function readEventNames(rows: ReadRows, read: LakeRead): Promise<string[]> {
  const found =
    await rows(sql`SELECT event, sum(event_count) AS total FROM ${eventCounts(read)} AS counted_event
    GROUP BY event ORDER BY total DESC, event LIMIT ${integer(MAX_LISTED)}`)
  return found.map(({ event }) => String(event))
}

async function readKeys(rows: ReadRows, read: LakeRead): Promise<string[]> {
  const newest = await findNewestEvents(rows, read, SAMPLE)
  return newest === null ? [] : (await readPropertyKeys(rows, newest)).listed
}
