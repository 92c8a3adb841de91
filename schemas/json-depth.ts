import { parseExactJson } from './exact-json.ts'

/**
 * The deepest JSON of strangers that is read, in objects and lists inside each other; some routes have a
 * bound of their own (`maxBodyDepth`). Real requests have fewer than ten levels. JSON.parse takes any depth,
 * but whatever walks, checks or writes the value needs a frame of the stack for each level: JSON.stringify
 * fails at about 4,450.
 */
export const MAX_JSON_DEPTH = 64
/**
 * The most values of a body, in its objects and lists together; some routes have a bound of their own
 * (`maxBodyValues`). A context, the largest of real requests, has 5,000. A schema looks at every entry of a
 * list, however many it takes, and notes what is wrong with each: 520,000 numbers in place of texts took 4.5
 * s and 300 MB, and 10,000 take some 20 ms.
 */
export const MAX_JSON_VALUES = 10_000

const [QUOTE, COMMA, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b, 0x7d]
/** With this bit a square bracket becomes a brace. Of the bytes from 0x5b on only the two pairs do. */
const BRACKET_BIT = 0x20

/**
 * Which bound JSON in UTF-8 is over: `levels` of objects and lists inside each other, or `values` in them;
 * null for none. It looks at each byte once, which takes a quarter of the time of JSON.parse of text. A byte
 * of `[],[],` takes JSON.parse ten times as long, so values have a bound where little bytes may unpack to
 * much. For bytes that are not JSON the result has no meaning.
 */
export function excessOf(
  json: Uint8Array,
  { levels, values = Number.POSITIVE_INFINITY }: { levels: number; values?: number },
): 'levels' | 'values' | null {
  let depth = 0
  // Each value but the first of its list or object stands behind a comma.
  let found = 0
  const end = json.length
  for (let at = 0; at < end; at++) {
    const byte = json[at] as number
    if (byte === QUOTE) {
      for (at += 1; at < end; at++) {
        const inText = json[at] as number
        if (inText === QUOTE) break
        if (inText === BACKSLASH) at += 1
      }
    } else if (byte === COMMA) {
      found += 1
      if (found > values) return 'values'
    } else if (byte >= OPEN_LIST) {
      const brace = byte | BRACKET_BIT
      if (brace === CLOSE_OBJECT) depth -= 1
      if (brace !== OPEN_OBJECT) continue
      depth += 1
      found += 1
      if (depth > levels) return 'levels'
      if (found > values) return 'values'
    }
  }
  return null
}

/** Whether JSON in UTF-8 has more than `levels` objects and lists inside each other. */
export function isDeeperThan(json: Uint8Array, levels: number): boolean {
  return excessOf(json, { levels }) !== null
}

/** Reads JSON of a stranger. Throws SyntaxError, also for JSON of more than MAX_JSON_DEPTH levels. */
export function parseJson(json: string): unknown {
  if (isDeeperThan(new TextEncoder().encode(json), MAX_JSON_DEPTH))
    throw new SyntaxError(`JSON of more than ${MAX_JSON_DEPTH} levels`)
  return parseExactJson(json)
}
