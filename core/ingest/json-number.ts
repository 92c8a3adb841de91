/** A double gives back the digits of every number that has no more of them. */
const EXACT_DIGITS = 15
/** JavaScript writes a number with more zeros after the point as 1e-7. */
const MAX_LEADING_ZEROS = 5

const [MINUS, PLUS, POINT, ZERO, NINE, UPPER_E, LOWER_E] = [0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x45, 0x65]

/**
 * The index after the JSON number at `at`; below zero (minus the index) if JSON.stringify may write the
 * number in another way; 0 if there is no number.
 */
export function endOfNumber(json: Uint8Array, at: number): number {
  const first = json[at] === MINUS ? at + 1 : at
  let end = endOfDigits(json, first)
  let digits = end - first
  const startsWithZero = json[first] === ZERO
  if (digits === 0 || (startsWithZero && digits > 1)) return 0
  // -0 is written as 0.
  let isExact = !startsWithZero || first === at || json[end] === POINT
  if (json[end] === POINT) {
    const fraction = end + 1
    end = endOfDigits(json, fraction)
    if (end === fraction) return 0
    digits += end - fraction
    if (json[end - 1] === ZERO || (startsWithZero && zerosAt(json, fraction) > MAX_LEADING_ZEROS))
      isExact = false
  }
  if (json[end] === LOWER_E || json[end] === UPPER_E) {
    const exponent = json[end + 1] === PLUS || json[end + 1] === MINUS ? end + 2 : end + 1
    end = endOfDigits(json, exponent)
    if (end === exponent) return 0
    isExact = false
  }
  return isExact && digits <= EXACT_DIGITS ? end : -end
}

function endOfDigits(json: Uint8Array, from: number): number {
  let end = from
  for (let char = json[end]; char !== undefined && char >= ZERO && char <= NINE; char = json[end]) end += 1
  return end
}

function zerosAt(json: Uint8Array, from: number): number {
  let at = from
  while (json[at] === ZERO) at += 1
  return at - from
}
