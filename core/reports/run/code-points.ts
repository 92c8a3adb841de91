/** Orders texts by Unicode code point (U39); JavaScript orders them by UTF-16 code unit. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
