/**
 * JavaScript has numbers of 53 bits. A whole number beyond them, such as an id of 64 bits, would silently
 * become another one, so it is read as a text with all of its digits (docs/api/ingestion.md, U62).
 */

/**
 * A value of 16 digits or more, or a text that looks like one: only then the text is read number by number.
 */
const MAY_HAVE_LONG = /[:,[][ \t\r\n]*-?\d{16}/
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const NEXT_IS_COLON = /[ \t\r\n]*:/y
const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39]

/**
 * JSON.parse that reads numbers beyond 2^53 - 1 as texts. Numbers with an exponent stay numbers: nobody
 * writes an id so. Throws SyntaxError.
 */
export function parseExactJson(json: string): unknown {
  return JSON.parse(MAY_HAVE_LONG.test(json) ? quoteLongNumbers(json) : json)
}

/** Valid JSON stays valid, and other texts stay what they are. */
function quoteLongNumbers(json: string): string {
  const parts: string[] = []
  let keptFrom = 0
  for (let at = 0; at < json.length; ) {
    const char = json.charCodeAt(at)
    if (char === QUOTE) at = endOfText(json, at)
    else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      NUMBER.lastIndex = at
      const [number] = NUMBER.exec(json) ?? [json.charAt(at)]
      const end = at + number.length
      if (isLong(number) && !isKey(json, end)) {
        parts.push(json.slice(keptFrom, at), '"', number, '"')
        keptFrom = end
      }
      at = end
    } else at += 1
  }
  return parts.join('') + json.slice(keptFrom)
}

/** The index after a text that begins at `at`. */
function endOfText(json: string, at: number): number {
  for (let end = at + 1; end < json.length; end++) {
    const char = json.charCodeAt(end)
    if (char === BACKSLASH) end += 1
    else if (char === QUOTE) return end + 1
  }
  return json.length
}

function isLong(number: string): boolean {
  return !/e/i.test(number) && Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER
}

/** A number as a key is no JSON, and must not become JSON. */
function isKey(json: string, end: number): boolean {
  NEXT_IS_COLON.lastIndex = end
  return NEXT_IS_COLON.test(json)
}
