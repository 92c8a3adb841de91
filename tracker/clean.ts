/** Limits for values from the page (contract 4.6). Lengths are in UTF-16 code units. */
const STRING_CHARS = 4096
const OBJECT_KEYS = 100
const ARRAY_ITEMS = 50
const DEPTH = 8
/**
 * Maximum size of one call: each value counts 1, and a text also its length. More does not fit into 8192 bytes. Without this
 * limit, an object that refers to large parts of the page (such as an element of a framework) could take 100^8 steps.
 */
const TOTAL_SIZE = 65_536
/** When the properties are too big, texts longer than this are halved instead of removed. */
const HALVED_CHARS = 256

export type Properties = Record<string, unknown>

/** Cuts a text, but never inside a surrogate pair, because the service would store the half as U+FFFD. */
export function cutText(text: string, chars: number): string {
  return text.length > chars ? text.slice(0, chars).replace(/[\ud800-\udbff]$/, '') : text
}

/**
 * Returns a copy of an object that is safe to send: limited in size, without functions, symbols, cycles, and keys that
 * contain `email`. A value that is not an object gives an empty object. `null` values stay, because `set` needs them.
 */
export function cleanProperties(value: unknown): Properties {
  let sizeLeft = TOTAL_SIZE

  /** Returns a clean copy, or undefined for a value that is not sent. `ancestors` are the containers of the value. */
  function copy(value: unknown, ancestors: unknown[]): unknown {
    const type = typeof value
    if (sizeLeft-- < 0 || /^(func|sym)/.test(type)) return
    if (/^(str|big)/.test(type)) {
      const text = cutText(String(value), STRING_CHARS)
      sizeLeft -= text.length
      return text
    }
    if (type !== 'object' || value === null) return value
    if (ancestors.includes(value)) return '[Circular]'
    if (ancestors.length >= DEPTH) return '[MaxDepth]'
    const path = [...ancestors, value]
    const container = value as Properties
    if (typeof container.toJSON === 'function') return copy(container.toJSON(), path)
    const items = Array.isArray(value) ? value : null
    // The copy has no prototype, so that `__proto__` is a normal key.
    const result: Properties = Object.create(null)
    let count = items ? ARRAY_ITEMS : OBJECT_KEYS
    for (const key of Object.keys(items?.slice(0, count) || container)) {
      if (!count || sizeLeft < 0) break
      try {
        const cleanValue = /email/i.test(key) ? undefined : copy(container[key], path)
        if (cleanValue !== undefined) {
          result[key] = cleanValue
          count--
        }
      } catch {
        // A getter of the page has thrown. Only this value is left out.
      }
    }
    return items ? Object.values(result) : result
  }

  const cleaned = Array.isArray(value) ? null : copy(value, [])
  return typeof cleaned === 'object' && cleaned ? (cleaned as Properties) : {}
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
  const size = (value: unknown) => byteLength(JSON.stringify(value))
  while (size(fitted) >= limit) {
    const [key, value] = Object.entries(fitted).reduce((a, b) => (size(b) > size(a) ? b : a))
    if (typeof value === 'string' && value.length > HALVED_CHARS)
      fitted[key] = cutText(value, value.length >> 1)
    else delete fitted[key]
  }
  return fitted
}
