import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject } from '#core/text/json-object'
import { EVENT_LIMITS } from '#schemas/event'
import { parseExactJson } from '#schemas/exact-json'
import { isDeeperThan } from '#schemas/json-depth'
import { WrittenProperties } from './properties.ts'
import { scanObject, withoutBlanks } from './scan-object.ts'

/** Properties of fewer bytes are faster parsed. */
const WIDE_BYTES = 2_000

const NAME = Buffer.from('"properties"')
const OPEN_OBJECT = 0x7b
/** A colon and blanks. */
const SEPARATORS = new Set([0x3a, 0x20, 0x0a, 0x0d, 0x09])
/** Stands for properties while the rest of a body is parsed. Nobody else knows it. */
const placeholder = randomUUID()
/** Throws on bytes that are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of POST /track or /track/batch like JSON.parse, but leaves wide properties as text: to make
 * objects of 800 keys and to write them again takes most of the time of a request.
 * Returns null for a body without wide properties, and for one that JSON.parse should decide about.
 */
export function parseWideBody(body: Uint8Array): JsonObject | null {
  if (body.length < WIDE_BYTES || body[0] !== OPEN_OBJECT) return null
  try {
    const { rest, properties } = cutProperties(Buffer.from(body.buffer, body.byteOffset, body.length))
    if (properties.size === 0) return null
    if (isDeeperThan(rest, EVENT_LIMITS.bodyDepth)) return null
    const json: unknown = parseExactJson(utf8.decode(rest))
    return isJsonObject(json) && putBack(json, properties) ? json : null
  } catch {
    return null
  }
}

/** Puts a placeholder in place of each wide object that follows the name `properties`. */
function cutProperties(body: Buffer): { rest: Buffer; properties: Map<unknown, unknown> } {
  const properties = new Map<unknown, unknown>()
  const parts: Uint8Array[] = []
  let keptFrom = 0
  for (let name = body.indexOf(NAME); name !== -1; ) {
    // Where the next name is so near, the object between them is small. So go on at the last name nearby.
    const near = body.lastIndexOf(NAME, name + WIDE_BYTES - 1)
    if (near > name) {
      name = near
      continue
    }
    const next = body.indexOf(NAME, name + WIDE_BYTES)
    const isWide = (next === -1 ? body.length : next) - name >= WIDE_BYTES
    const start = isWide ? startOfValue(body, name + NAME.length) : 0
    if (isWide && start >= keptFrom && body[start] === OPEN_OBJECT) {
      const mark = `${placeholder} ${properties.size}`
      const { value, end } = readObject(body, start)
      properties.set(mark, value)
      parts.push(body.subarray(keptFrom, start), Buffer.from(`"${mark}"`))
      keptFrom = end
    }
    name = next
  }
  return { rest: Buffer.concat([...parts, body.subarray(keptFrom)]), properties }
}

/** The index of the value after a name that ends at `at`. */
function startOfValue(body: Buffer, at: number): number {
  let start = at
  while (SEPARATORS.has(body[start] as number)) start += 1
  return start
}

/** Throws where JSON.parse should decide. */
function readObject(body: Buffer, start: number): { value: unknown; end: number } {
  const found = scanObject(body, start)
  if (found === null) throw new SyntaxError('no object')
  const { end, blanks, isExact } = found
  if (!isExact || end - start - blanks > EVENT_LIMITS.propertiesBytes)
    return { value: parseExactJson(utf8.decode(body.subarray(start, end))), end }
  const written = withoutBlanks(body, start, found)
  if (!isUtf8(written)) throw new TypeError('not UTF-8')
  return { value: new WrittenProperties(written), end }
}

/** Returns whether all placeholders were properties of events. */
function putBack(body: JsonObject, properties: ReadonlyMap<unknown, unknown>): boolean {
  let found = 0
  for (const item of [body, ...(Array.isArray(body.events) ? body.events : [])]) {
    const value = isJsonObject(item) ? properties.get(item.properties) : undefined
    if (value === undefined) continue
    item.properties = value
    found += 1
  }
  return found === properties.size
}
