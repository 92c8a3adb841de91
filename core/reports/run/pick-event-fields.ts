import { type EventRow, eventRow } from '#schemas/event'
import { bareKey } from '#schemas/property-names'

/** The fields of an event row. Other names are those of properties (U69). */
const ROW_FIELDS = new Set(Object.keys(eventRow.shape))

type Picked = Record<string, unknown>

/** The rows with the named fields alone, in the order of the request; all fields without names. */
export function pickEventFields(
  events: readonly EventRow[],
  fields: readonly string[] | undefined,
): (EventRow | Picked)[] {
  if (fields === undefined) return [...events]
  return events.map(event => Object.fromEntries(fields.map(field => [field, fieldOf(event, field)])))
}

function fieldOf(event: EventRow, field: string): unknown {
  if (ROW_FIELDS.has(field)) return event[field as keyof EventRow] ?? null
  const { properties } = event
  const key = bareKey(field)
  return properties !== null && Object.hasOwn(properties, key) ? properties[key] : null
}

/** The property keys of the request that no row has. */
export function missingFields(rows: readonly Picked[], fields: readonly string[] = []): string[] {
  const missing = fields.filter(
    field => !ROW_FIELDS.has(field) && rows.every(row => (row[field] ?? null) === null),
  )
  return missing.map(bareKey)
}
