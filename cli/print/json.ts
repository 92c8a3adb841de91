const UNSAFE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * JSON text with unsafe characters (control, bidi, zero-width) as `\uXXXX`: the same data for every reader,
 * and nothing that changes a terminal. JSON has no such characters outside its texts, except CR, which
 * becomes a blank.
 */
export function safeJson(json: string): string {
  return json
    .replaceAll('\r', ' ')
    .replace(UNSAFE, character =>
      Array.from(
        { length: character.length },
        (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
      ).join(''),
    )
}

/**
 * The fields that dotted names choose: `totals.unique_users`, and of lists the field of each entry:
 * `events.event`. Null: there is no such field.
 */
export function picked(value: unknown, names: readonly string[]): unknown {
  const parts = names.map(name => pickedPath(value, name.split('.')))
  return parts.includes(undefined) ? null : parts.reduce(merged, undefined)
}

function pickedPath(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value
  if (Array.isArray(value)) {
    const entries = value.map(entry => pickedPath(entry, [name, ...rest]))
    return entries.length > 0 && entries.every(entry => entry === undefined)
      ? undefined
      : entries.map(entry => entry ?? {})
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const inner = pickedPath((value as Record<string, unknown>)[name], rest)
  return inner === undefined ? undefined : { [name]: inner }
}

function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return a.map((entry, i) => merged(entry, b[i]))
  if (!isRecord(a) || !isRecord(b)) return b
  const both = { ...a }
  for (const [name, value] of Object.entries(b))
    both[name] = Object.hasOwn(a, name) ? merged(a[name], value) : value
  return both
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
