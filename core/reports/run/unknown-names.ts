import type { LakeRead } from '#core/lake/read/lake-read'
import { eventCounts, events } from '#core/lake/read/relations'
import { namedValue } from '#core/reports/sql/named-value'
import { findNewestEvents, readPropertyKeys } from '#core/reports/sql/property-keys'
import { integer, sql } from '#core/sql/sql'
import { cleanText } from '#core/text/clean-text'
import { nearestName } from '#core/text/nearest-name'
import { MAX_LISTED } from '#schemas/properties'
import { keyOf, nameOfKey, oneSpelling } from '#schemas/property-names'
import type { ReadNotes } from './notes.ts'
import type { ReadRows } from './statements.ts'

/** The names that a request with an empty result has asked for. */
export type AskedNames = {
  events?: readonly (string | undefined)[]
  /** Property keys; fields of the event need no check. */
  properties?: readonly (string | undefined)[]
  /** Values that a filter wants a property, or a field of the event, to equal. */
  values?: readonly AskedValue[]
}

export type AskedValue = { property: string; value: string }

/** Values of a request that are searched, the first ones: each costs a statement. */
const MAX_VALUES = 3

/** Events whose property keys are compared, the newest ones. */
const SAMPLE = 5_000
/** Longest name in a warning, characters. */
const NAME_CHARS = 100

/**
 * Says which of the names and values do not occur in the range, and which may be meant (U67). It costs one or
 * two small statements, and one for each value, so it is called only for a result that is empty. A range
 * without events gives no warning: then no name can be wrong.
 */
export async function warnOfUnknownNames(
  rows: ReadRows,
  read: LakeRead,
  { events: names = [], properties = [], values = [] }: AskedNames,
  notes: ReadNotes,
): Promise<void> {
  const [askedEvents, asked] = [names, properties].map(all => all.filter(name => name !== undefined))
  const askedKeys = asked?.map(nameOfKey)
  const warn = (kind: string, asked: readonly string[], known: readonly string[], place = '') => {
    if (known.length === 0) return
    for (const name of asked.filter(each => !known.includes(each))) {
      const near = nearestName(name, known)
      const advice = near === null ? '' : ` Did you mean \`${cleanText(near, NAME_CHARS)}\`?`
      notes.warnings.add(
        `${kind} \`${cleanText(name, NAME_CHARS)}\` does not occur${place} in the range.${advice}`,
      )
    }
  }
  if (askedEvents?.length) warn('The event', askedEvents, await readEventNames(rows, read))
  if (askedKeys?.length) warn('The property', askedKeys, await readKeys(rows, read))
  for (const { property, value } of values.slice(0, MAX_VALUES)) {
    warn('The value', [value], await readValues(rows, read, property), ` in \`${property}\``)
  }
}

/**
 * The values that filters want a property to equal: those with one value, of a property that queries can
 * name.
 */
export function valuesOfFilters(
  filters: readonly { field: unknown; op: unknown; value: unknown }[],
): AskedValue[] {
  return filters.flatMap(({ field, op, value }) => {
    const property = typeof field === 'string' ? oneSpelling(field) : ''
    return op === 'eq' && typeof value === 'string' && keyOf(property) !== undefined
      ? [{ property, value }]
      : []
  })
}

/** The most frequent values of a property, at most MAX_LISTED. */
async function readValues(rows: ReadRows, read: LakeRead, property: string): Promise<string[]> {
  const { fields, text } = namedValue(property)
  const found =
    await rows(sql`SELECT value, count(*) AS total FROM (SELECT ${text} AS value FROM ${events(read, fields)} AS each_event) AS event_value
    WHERE value IS NOT NULL GROUP BY value ORDER BY total DESC, value LIMIT ${integer(MAX_LISTED)}`)
  return found.map(({ value }) => String(value))
}

/** The most frequent names of the events, at most MAX_LISTED. */
async function readEventNames(rows: ReadRows, read: LakeRead): Promise<string[]> {
  const found =
    await rows(sql`SELECT event, sum(event_count) AS total FROM ${eventCounts(read)} AS counted_event
    GROUP BY event ORDER BY total DESC, event LIMIT ${integer(MAX_LISTED)}`)
  return found.map(({ event }) => String(event))
}

/** The property keys, as a request names them. */
async function readKeys(rows: ReadRows, read: LakeRead): Promise<string[]> {
  const newest = await findNewestEvents(rows, read, SAMPLE)
  return newest === null ? [] : (await readPropertyKeys(rows, newest)).listed.map(nameOfKey)
}
