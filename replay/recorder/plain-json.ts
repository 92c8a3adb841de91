/**
 * Writes values as JSON, without any `toJSON` that a library of the page has given all arrays or objects
 * (Prototype.js 1.6 does). Only there it is done by hand, which takes longer.
 */
export function plainJson(value: unknown): string {
  const [list, object] = [[], {}] as { toJSON?: unknown }[]
  return list?.toJSON || object?.toJSON ? writeJson(value) : JSON.stringify(value)
}

function writeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(entry => writeJson(entry ?? null)).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${writeJson(entry)}`).join()}}`
}
