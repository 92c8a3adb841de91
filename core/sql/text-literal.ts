/** Control characters. Engines and transports treat them differently within quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** A text as one quoted token. A lone surrogate becomes U+FFFD, because events are stored so (R3). */
export function textLiteral(value: string): string {
  const text = value.toWellFormed()
  if (CONTROL.test(text)) return `from_utf8(from_hex('${Buffer.from(text).toString('hex').toUpperCase()}'))`
  return `'${text.replaceAll("'", "''")}'`
}
