import { endOfNumber } from './json-number.ts'
import { addToHash, createKeySet, startHash } from './key-set.ts'

/** What scanObject has found. */
export type ScannedObject = {
  /** The index after the object. */
  end: number
  /** The bytes between its values, names and marks that JSON.stringify does not write. */
  blanks: number
  /** Whether the text is what JSON.stringify(JSON.parse(…)) writes, apart from the blanks. */
  isExact: boolean
}

/** An object or a list that is not closed yet. */
type Open = {
  close: number
  /** Its number among all objects and lists. */
  number: number
  /**
   * The last numeric key, or infinity after another key. Numeric keys above it are in the order of
   * JavaScript.
   */
  highestKey: number
}

/** A deeper object is left to JSON.parse. */
const MAX_DEPTH = 64
/** JavaScript treats a larger number as a text when it is a key. */
const MAX_KEY = 2 ** 32 - 2
const MAX_KEY_DIGITS = 10

const code = (char: string): number => char.charCodeAt(0)
const QUOTE = code('"')
const BACKSLASH = code('\\')
const COMMA = code(',')
const COLON = code(':')
const OPEN_OBJECT = code('{')
const CLOSE_OBJECT = code('}')
const OPEN_LIST = code('[')
const CLOSE_LIST = code(']')
const ZERO = code('0')
const NINE = code('9')
const SPACE = code(' ')
const BLANKS = new Set([...' \n\r\t'].map(code))
const LITERALS = ['true', 'false', 'null'].map(word => Buffer.from(word))
/** JSON.stringify writes these characters with the same escapes. */
const SAME_ESCAPES = new Set([...'"\\bfnrt'].map(code))

/** What may come next, besides blanks. */
const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const AFTER_KEY = 4
const AFTER_VALUE = 5
const MAY_END = [false, true, false, true, false, true]

/**
 * Reads over the JSON object at `start` without making an object: for hundreds of keys, JSON.parse and
 * JSON.stringify take twenty times as long. What JSON.stringify may write in another way (a repeated key, a
 * number as a key after a text, 1.0, \u00e9) is not exact. Returns null for bytes that are no JSON object,
 * and for an object that is too deep. The caller checks that the bytes are UTF-8. It is one loop over local
 * variables, because functions that share them take four times as long.
 */
export function scanObject(json: Uint8Array, start: number): ScannedObject | null {
  if (json[start] !== OPEN_OBJECT) return null
  const keys = createKeySet()
  const opened: Open[] = []
  let open: Open = { close: 0, number: 0, highestKey: 0 }
  let objects = 0
  let next = VALUE
  let at = start
  let blanks = 0
  let isExact = true
  while (at < json.length) {
    const char = json[at] as number
    if (char <= SPACE) {
      if (!BLANKS.has(char)) return null
      blanks += 1
      at += 1
    } else if (char === QUOTE && next < AFTER_KEY) {
      const from = at + 1
      const isKey = next >= KEY
      let hash = startHash(open.number)
      for (at = from; json[at] !== QUOTE; at++) {
        const byte = json[at] as number
        // Not true for the end of the bytes too.
        if (!(byte >= SPACE)) return null
        // Only keys are compared.
        if (isKey) hash = addToHash(hash, byte)
        if (byte !== BACKSLASH) continue
        at += 1
        if (isKey) hash = addToHash(hash, json[at] as number)
        if (!SAME_ESCAPES.has(json[at] as number)) isExact = false
      }
      if (isKey) {
        const key = numericKey(json, from, at)
        if (!keys.add(hash) || (key !== null && key <= open.highestKey)) isExact = false
        open.highestKey = key ?? Number.POSITIVE_INFINITY
        next = AFTER_KEY
      } else next = AFTER_VALUE
      at += 1
    } else if (next === AFTER_KEY) {
      if (char !== COLON) return null
      at += 1
      next = VALUE
    } else if (next === AFTER_VALUE && char === COMMA) {
      at += 1
      next = open.close === CLOSE_OBJECT ? KEY : VALUE
    } else if (char === open.close && MAY_END[next]) {
      at += 1
      next = AFTER_VALUE
      opened.pop()
      const outer = opened.at(-1)
      if (outer === undefined) return { end: at, blanks, isExact }
      open = outer
    } else if (next !== VALUE && next !== VALUE_OR_END) {
      return null
    } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (opened.length === MAX_DEPTH) return null
      objects += 1
      open = { close: char === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST, number: objects, highestKey: -1 }
      opened.push(open)
      at += 1
      next = char === OPEN_OBJECT ? KEY_OR_END : VALUE_OR_END
    } else {
      const end = endOfNumber(json, at) || endOfLiteral(json, at)
      if (end === 0) return null
      if (end < 0) isExact = false
      at = Math.abs(end)
      next = AFTER_VALUE
    }
  }
  return null
}

/** The index after true, false or null; 0 for anything else. */
function endOfLiteral(json: Uint8Array, at: number): number {
  const word = LITERALS.find(each => each[0] === json[at])
  return word?.every((char, i) => json[at + i] === char) === true ? at + word.length : 0
}

/** The number that a key is for JavaScript, which puts such keys first; null for another key. */
function numericKey(json: Uint8Array, from: number, to: number): number | null {
  const first = json[from] as number
  if (first < ZERO || first > NINE || to - from > MAX_KEY_DIGITS || (first === ZERO && to - from > 1))
    return null
  let key = 0
  for (let i = from; i < to; i++) {
    const char = json[i] as number
    if (char < ZERO || char > NINE) return null
    key = key * 10 + char - ZERO
  }
  return key > MAX_KEY ? null : key
}

/** Copies the bytes of an object that scanObject has read, without the blanks. */
export function withoutBlanks(json: Uint8Array, start: number, { end, blanks }: ScannedObject): Uint8Array {
  if (blanks === 0) return json.subarray(start, end)
  const compact = new Uint8Array(end - start - blanks)
  let length = 0
  let isText = false
  for (let at = start; at < end; at++) {
    const char = json[at] as number
    if (!isText && char <= SPACE) continue
    compact[length++] = char
    if (char === QUOTE) isText = !isText
    if (char === BACKSLASH) {
      at += 1
      compact[length++] = json[at] as number
    }
  }
  return compact
}
