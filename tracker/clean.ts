/** Bounds of a value that a page hands over (contract 4.6). Lengths are UTF-16 code units. */
const STRING_CHARS = 4096
const OBJECT_KEYS = 100
const ARRAY_ITEMS = 50
const DEPTH = 8
/**
 * Values looked at in one call. No more fit into 8192 bytes anyway, and an object of the page that hangs together with
 * everything (an element of a framework) would else take 100^8 steps.
 */
const VALUES = 8192
/** Longer texts are halved rather than left out when properties are too big together. */
const HALVED_CHARS = 256

export type Properties = Record<string, unknown>

/** Cuts a text, never between the two halves of a pair: the service would store the half as U+FFFD. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}

/**
 * A copy of an object that is safe to send: bounded, without functions, symbols, cycles and keys that contain `email`.
 * Anything but an object gives an empty one. `null` stays, as `set` needs it.
 */
export function cleanProperties(value: unknown): Properties {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  let left = VALUES

  /** The clean copy, or undefined for what is not sent. `above` are the containers that the value stands in. */
  function copy(value: unknown, above: object[]): unknown {
    left -= 1
    if (left < 0) return undefined
    if (typeof value === 'string') return cutText(value, STRING_CHARS)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (above.includes(value)) return '[Circular]'
    if (above.length >= DEPTH) return '[MaxDepth]'
    const within = [...above, value]
    if (Array.isArray(value)) {
      return value
        .slice(0, ARRAY_ITEMS)
        .map(item => copy(item, within))
        .filter(item => item !== undefined)
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), within)
    return copyObject(value, within)
  }

  function copyObject(value: object, within: object[]): Properties {
    // Without a prototype, a key `__proto__` is a key like any other.
    const result: Properties = Object.create(null)
    let kept = 0
    for (const key of Object.keys(value)) {
      if (kept >= OBJECT_KEYS || left <= 0) break
      if (/email/i.test(key)) continue
      try {
        const cleaned = copy((value as Properties)[key], within)
        if (cleaned === undefined) continue
        result[key] = cleaned
        kept += 1
      } catch {
        // A getter of the page that throws: this one value is left out.
      }
    }
    return result
  }

  return copyObject(value, [value])
}

/** Bytes of UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * Keeps properties under `limit` bytes as JSON, since one oversized item would fail its whole batch: long texts are
 * halved and other large values left out, the largest first, until it fits.
 */
export function fitProperties(properties: Properties, limit: number): Properties {
  const fitted = { ...properties }
  /** What each key adds to the JSON object: its name, its value, and a comma. */
  const sizes = new Map<string, number>()
  const measure = (key: string) => byteLength(JSON.stringify({ [key]: fitted[key] })) - 1
  let total = 1
  for (const key of Object.keys(fitted)) {
    const size = measure(key)
    sizes.set(key, size)
    total += size
  }
  while (total >= limit) {
    const [largest, size] = [...sizes].reduce((most, entry) => (entry[1] > most[1] ? entry : most))
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
