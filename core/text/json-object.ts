/** A JSON object from JSON.parse. Keys such as `__proto__` are ordinary keys. */
export type JsonObject = Record<string, unknown>

/** Returns whether a value is a JSON object: not an array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
