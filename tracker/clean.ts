import { attempt } from './api.ts'
import { IS_FULL } from './parts.ts'

/** Limits for values from the page (docs/api/tracker.md). Lengths are in UTF-16 code units. */
const STRING_CHARS = 4096
const OBJECT_KEYS = 100
const ARRAY_ITEMS = 50
const DEPTH = 8
/**
 * The service accepts up to 8192 bytes (docs/api/ingestion.md), with those that it adds (U137). Properties
 * stay below that, and so do traits.
 */
const PROPERTIES_BYTES = 8000
/**
 * Maximum size of one call: each value counts 1, and a text also its length. More does not fit into 8192
 * bytes. Without this limit, an object that refers to large parts of the page (such as an element of a
 * framework) could take 100^8 steps.
 */
const TOTAL_SIZE = 65_536
/** When the properties are too big, texts longer than this are halved instead of removed. */
const HALVED_CHARS = 256

export type Properties = Record<string, unknown>

/**
 * Returns a copy of an object that is safe to send: limited in size, without functions, symbols, cycles, and
 * keys that contain `email`. A value that is not an object gives an empty object. `null` values stay, because
 * `set` needs them.
 */
export function cleanProperties(properties: unknown): Properties {
  if (!IS_FULL) return flatProperties(properties)
  let sizeLeft = TOTAL_SIZE

  /**
   * Returns a clean copy, or undefined for a value that is not sent. `ancestors` are the containers of the
   * value.
   */
  function copy(original: unknown, ancestors: unknown[], key: string): unknown {
    // A library may give all arrays a `toJSON`, which makes texts of them, and dates one that quotes twice.
    const form = (original as Date | null)?.toISOString && +(original as Date) ? 'toISOString' : 'toJSON'
    const method = typeof original === 'object' && (original as Date | null)?.[form]
    const value =
      method && !Array.isArray(original) && method !== ({} as Date)[form]
        ? (original as Date)[form]()
        : original
    const type = typeof value
    if (sizeLeft-- < 0 || /^(func|sym)|email/i.test(type + key)) return
    if (/str|big/.test(type)) {
      const text = String(value).slice(0, STRING_CHARS)
      sizeLeft -= text.length
      return text
    }
    if (type !== 'object' || !value) return value
    if (ancestors.includes(value)) return '[Circular]'
    if (ancestors[DEPTH - 1]) return '[MaxDepth]'
    const isArray = Array.isArray(value)
    // A copy has no prototype: so `__proto__` is a normal key, and JSON.stringify finds no `toJSON` that a
    // library of the page has given all arrays or objects. For the same reason all else that is sent is
    // `bare`.
    const result = Object.setPrototypeOf(isArray ? [] : {}, null)
    for (const key of Object.keys(value).slice(0, isArray ? ARRAY_ITEMS : OBJECT_KEYS)) {
      // A getter of the page may throw. Then only its value is left out.
      attempt(() => {
        const copied = copy((value as never)[key], [...ancestors, value], key)
        if (copied !== undefined) result[isArray ? result.length : key] = copied
      })
    }
    return result
  }

  return bare((typeof properties === 'object' && copy(properties, [], '')) as Properties)
}

/** Returns the properties that are texts, numbers, true, false or null. The small script sends no others. */
function flatProperties(properties: unknown): Properties {
  const result: Properties = bare({})
  for (const [key, value] of Object.entries(Object(properties)).slice(0, OBJECT_KEYS))
    if (/str|num|bool/.test(value === null ? 'num' : typeof value) && !/email/i.test(key))
      result[key] = (value as string)?.slice?.(0, STRING_CHARS) ?? value
  return result
}

/** Returns a copy of an object without a prototype. */
export function bare<T extends object>(object: T | false): T {
  return { __proto__: null, ...object } as unknown as T
}

/** Returns the length of the text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * Makes properties smaller than 8192 bytes of JSON, because one oversized event would fail its whole batch.
 * It halves long texts and removes other values, the largest first, until the properties fit.
 */
export function fitProperties(properties: Properties): Properties {
  const size = (value: unknown) => byteLength(JSON.stringify(value))
  while (size(properties) >= PROPERTIES_BYTES) {
    const largest = Object.keys(properties).sort((a, b) => size(properties[b]) - size(properties[a]))[0]!
    const value = properties[largest] as string
    properties[largest] = value[HALVED_CHARS] && value.slice?.(0, value.length >> 1)
  }
  return properties
}
