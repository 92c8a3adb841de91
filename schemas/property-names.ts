/** What names of properties mean wherever a request names one (U70, U90). */

/** Property keys that queries can name (docs/api/properties.md). */
export const PROPERTY_KEY = /^[A-Za-z0-9_]{1,128}$/

/** Fields of an event with text: their bare names are theirs, not those of properties. */
export const TEXT_FIELDS = ['event', 'user_id', 'session_id', 'country'] as const
/** Its fields with a time. */
export const TIME_FIELDS = ['date', 'timestamp'] as const

export type TextField = (typeof TEXT_FIELDS)[number]

/** The key of a property that a request names by `x` or `properties.x`. */
export function bareKey(name: string): string {
  return name.replace(/^properties\./, '')
}

/**
 * One spelling for each meaning: `path` for `properties.path`, but `properties.country`, because `country` is
 * that of the event. `others`: further names that a report knows, such as `source`.
 */
export function oneSpelling(name: string, others: readonly string[] = []): string {
  const key = bareKey(name)
  const isBuiltIn = [...TEXT_FIELDS, ...TIME_FIELDS, ...others].includes(key)
  return isBuiltIn ? name : key
}

/** The field of an event that a name means; undefined for the name of a property. */
export function textFieldOf(name: string): TextField | undefined {
  return TEXT_FIELDS.find(field => field === name)
}

/** The key of the property that a name means; undefined for a field of the event. */
export function propertyOf(name: string): string | undefined {
  return textFieldOf(name) === undefined ? bareKey(name) : undefined
}

/** Whether a name is that of a time of the event, by which values are not grouped. */
export function isTimeField(name: string): boolean {
  return TIME_FIELDS.some(field => field === name)
}

/** What to send instead of the name of a field that a report cannot read. */
export function propertyInstead(name: string): string {
  return `\`${name}\` is a field of the event itself. Send \`properties.${name}\` for the property of this name.`
}
