type JsonObject = Record<string, unknown>

/** Lists whose rows may hold what visitors have sent. Their values stay as they are. */
const OF_VISITORS = ['events', 'recent_events']

/**
 * The body with `compact=true` (docs/api/reads.md): each list of objects becomes a list of arrays, first the
 * names, then the values of each object in the order of the names. A row without a name has null. Lists of
 * other values, and what visitors have sent, stay as they are.
 */
export function compactLists(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, compactValue(value, OF_VISITORS.includes(name))]),
  )
}

function compactValue(value: unknown, isOfVisitors: boolean): unknown {
  if (isObject(value)) return compactLists(value)
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return value
  const names = [...new Set(value.flatMap(row => Object.keys(row)))]
  const cellOf = (row: JsonObject, name: string): unknown => {
    const cell = Object.hasOwn(row, name) ? row[name] : null
    return isOfVisitors ? cell : compactValue(cell, OF_VISITORS.includes(name))
  }
  return [names, ...value.map(row => names.map(name => cellOf(row, name)))]
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
