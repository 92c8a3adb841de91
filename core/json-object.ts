/** A JSON object as it was sent; keys such as `__proto__` are plain own keys, as JSON.parse makes them. */
export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
