/** What events of a page have in their fields is not sure, so fields are copied by name and by kind. */
export type Fields = Record<string, unknown>

/** Returns the entries of a list, or none. */
export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value : []
}

/** Returns the fields that are numbers, lists of numbers, truth values or null. */
export function pick(value: object, names: readonly string[]): Fields {
  const fields: Fields = {}
  for (const name of names) {
    const field = (value as Fields)[name]
    if (isPlain(field) || (Array.isArray(field) && field.every(isPlain))) fields[name] = field
  }
  return fields
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value === null
}

/** Returns the fields that are numbers. */
export function numbers(value: unknown): Fields {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, field]) => typeof field === 'number'))
}
