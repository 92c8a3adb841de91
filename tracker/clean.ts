/** Limits for values from the page (contract 4.6). Lengths are in UTF-16 code units. */
const STRING_CHARS = 4096
const OBJECT_KEYS = 100
const ARRAY_ITEMS = 50
const DEPTH = 8
/**
 * Maximum number of values in one call. More do not fit into 8192 bytes. Without this limit, an object that refers to large
 * parts of the page (such as an element of a framework) could take 100^8 steps.
 */
const VALUES = 8192
/** When the properties are too big, texts longer than this are halved instead of removed. */
const HALVED_CHARS = 256

export type Properties = Record<string, unknown>

/** Cuts a text, but never inside a surrogate pair, because the service would store the half as U+FFFD. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}

/**
 * Returns a copy of an object that is safe to send: limited in size, without functions, symbols, cycles, and keys that
 * contain `email`. A value that is not an object gives an empty object. `null` values stay, because `set` needs them.
 */
export function cleanProperties(value: unknown): Properties {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  let valuesLeft = VALUES

  /** Returns a clean copy, or undefined for a value that is not sent. `ancestors` are the containers of the value. */
  function copy(value: unknown, ancestors: object[]): unknown {
    valuesLeft -= 1
    if (valuesLeft < 0) return undefined
    if (typeof value === 'string') return cutText(value, STRING_CHARS)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (ancestors.includes(value)) return '[Circular]'
    if (ancestors.length >= DEPTH) return '[MaxDepth]'
    const path = [...ancestors, value]
    if (Array.isArray(value)) {
      return value
        .slice(0, ARRAY_ITEMS)
        .map(item => copy(item, path))
        .filter(item => item !== undefined)
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), path)
    return copyObject(value, path)
  }

  function copyObject(value: object, path: object[]): Properties {
    // The object has no prototype, so that `__proto__` is a normal key.
    const result: Properties = Object.create(null)
    let keyCount = 0
    for (const key of Object.keys(value)) {
      if (keyCount >= OBJECT_KEYS || valuesLeft <= 0) break
      if (/email/i.test(key)) continue
      try {
        const cleanValue = copy((value as Properties)[key], path)
        if (cleanValue === undefined) continue
        result[key] = cleanValue
        keyCount += 1
      } catch {
        // A getter of the page has thrown. Only this value is left out.
      }
    }
    return result
  }

  return copyObject(value, [value])
}

/** Returns the length of the text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * Makes properties smaller than `limit` bytes of JSON, because one oversized event would fail its whole batch. It halves long
 * texts and removes other values, the largest first, until the properties fit.
 */
export function fitProperties(properties: Properties, limit: number): Properties {
  const fitted = { ...properties }
  /** Bytes of each key in the JSON object: its name, its value and a comma. */
  const sizes = new Map<string, number>()
  const measure = (key: string) => byteLength(JSON.stringify({ [key]: fitted[key] })) - 1
  let total = 1
  for (const key of Object.keys(fitted)) {
    const size = measure(key)
    sizes.set(key, size)
    total += size
  }
  while (total >= limit) {
    const [largest, size] = [...sizes].reduce((largestEntry, entry) =>
      entry[1] > largestEntry[1] ? entry : largestEntry,
    )
    const value = fitted[largest]
    total -= size
    if (typeof value === 'string' && value.length > HALVED_CHARS) {
      fitted[largest] = cutText(value, value.length >> 1)
      sizes.set(largest, measure(largest))
      total += sizes.get(largest)!
    } else {
      delete fitted[largest]
      sizes.delete(largest)
    }
  }
  return fitted
}
