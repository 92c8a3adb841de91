/** A value as text, objects and arrays as JSON; null for null and absent values. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
