/** A JSON object as it was sent; keys such as `__proto__` are plain own keys, as JSON.parse makes them. */
export type SentObject = Record<string, unknown>

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is SentObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
