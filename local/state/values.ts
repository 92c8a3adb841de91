import { isDeepStrictEqual } from 'node:util'
import { sum, sumOf } from '#core/sum'
import { invalid, unsupported } from './item-error.ts'

/** An item as the document client has it: attributes by name. */
export type Item = Record<string, unknown>

/** Returns an attribute of an item, or undefined: `constructor` is a name like others. */
export function attributeOf(item: Item, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined
}

/** DynamoDB refuses an item of more bytes. */
const MAX_ITEM_BYTES = 409_600
/** No character of JavaScript takes more bytes in UTF-8. */
const MAX_CHARACTER_BYTES = 3

/** A row of the file. `expires_at`: Unix seconds, DynamoDB's time to live. */
export type ItemRow = { pk: string; sk: string; item: string; expires_at: number | null }

/** The row of an item that has a key. Throws as encodeItem does. */
export function toRow(item: Item): ItemRow {
  const { pk, sk, expires_at } = item
  return {
    pk: String(pk),
    sk: String(sk),
    item: encodeItem(item),
    expires_at: typeof expires_at === 'number' ? expires_at : null,
  }
}

/**
 * The text of an item in the file: JSON, in which a map, bytes and a set have their type of DynamoDB around
 * them: {"M": {…}}, {"B": base64}, {"SS": […]}, {"NS": […]}. Throws ValidationException for values that the
 * document client or DynamoDB refuses.
 */
function encodeItem(item: Item): string {
  const text = JSON.stringify(packMap(item))
  // An item of fewer characters is small enough without counting: most are.
  if (text.length * MAX_CHARACTER_BYTES > MAX_ITEM_BYTES && mapSize(item) > MAX_ITEM_BYTES)
    throw invalid('Item size has exceeded the maximum allowed size')
  return text
}

export function decodeItem(text: string): Item {
  return unpackMap(JSON.parse(text))
}

/** Returns a copy as the table would return it: without undefined values, and with bytes as Uint8Array. */
export function copyValue(value: unknown): unknown {
  return unpack(pack(value))
}

function pack(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return checkNumber(value)
  if (Array.isArray(value)) return value.filter(element => element !== undefined).map(pack)
  if (value instanceof Uint8Array)
    return { B: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
  if (value instanceof Set) return packSet(value)
  if (isMap(value)) return { M: packMap(value) }
  throw invalid(`Unsupported type passed: ${typeof value}`)
}

function checkNumber(value: number): number {
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  throw invalid(`Number ${value} is not finite or not exact`)
}

function packSet(set: ReadonlySet<unknown>): unknown {
  const elements = [...set]
  const [type] = new Set(elements.map(element => typeof element))
  if (elements.length === 0) throw invalid('An empty set cannot be stored')
  if (elements.some(element => typeof element !== type)) throw invalid('A set has elements of several types')
  if (type === 'string') return { SS: elements }
  if (type === 'number') return { NS: elements.map(pack) }
  throw unsupported('a set of elements that are neither texts nor numbers')
}

function isMap(value: unknown): value is Item {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  return prototype === Object.prototype || prototype === null
}

function packMap(map: Item): Item {
  const entries = Object.entries(map).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, pack(value)]))
}

type Packed = { B?: string; M?: Item; SS?: string[]; NS?: number[] }

function unpack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(unpack)
  const { B, M, SS, NS } = value as Packed
  if (B !== undefined) return new Uint8Array(Buffer.from(B, 'base64'))
  return M === undefined ? new Set<unknown>(SS ?? NS) : unpackMap(M)
}

function unpackMap(map: Item): Item {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, unpack(value)]))
}

/** The size by which DynamoDB bounds items: the bytes of names and values, and some for each list and map. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1
  if (value instanceof Uint8Array) return value.length
  if (value instanceof Set) return sum([...value].map(sizeOf))
  if (Array.isArray(value)) return 3 + sumOf(value, element => 1 + sizeOf(element))
  return isMap(value) ? 3 + Object.keys(value).length + mapSize(value) : 1
}

/** The size of an item in bytes, as DynamoDB counts it. */
export function mapSize(map: Item): number {
  return sum(Object.entries(map).map(([name, value]) => Buffer.byteLength(name) + sizeOf(value)))
}

/** Whether two values are the same to DynamoDB. A missing value equals nothing. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return false
  return a === b || (typeof a === 'object' && isDeepStrictEqual(copyValue(a), copyValue(b)))
}

/**
 * Negative, 0 or positive as DynamoDB orders texts (by their bytes in UTF-8), numbers and bytes; NaN for
 * other values.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return Number.NaN
}
