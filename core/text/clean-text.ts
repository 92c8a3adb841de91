import { hideSecrets } from './hide-secrets.ts'

/**
 * Characters that do not show, or that change the order or the place of others: control characters, line and
 * paragraph separators, bidi and zero-width characters, soft hyphens, tags, fillers, variation selectors,
 * lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Longest text of a caller that a message repeats, code points. */
const QUOTED_CHARS = 100

/**
 * A name that somebody else has chosen, for people and agents to read: on one line, with unsafe characters as
 * escapes such as `\u{202e}`, without our secrets, and cut to `maxChars` code points with an ellipsis.
 */
export function cleanText(text: string, maxChars: number): string {
  // An escape is longer than its character, so a longer text need not be read to its end.
  const shown = Array.from(hideSecrets(text.slice(0, 4 * maxChars)).replace(UNSAFE, escaped))
  const isWhole = shown.length <= maxChars && text.length <= 4 * maxChars
  return isWhole ? shown.join('') : `${shown.slice(0, maxChars - 1).join('')}…`
}

/**
 * Text of another program or of a foreign server for a terminal, a file or a pipe: unsafe characters are
 * escapes, but line ends and tabs stay, and nothing is cut or hidden. Only for whole lines, or for texts in
 * which CR and LF stand together.
 */
export function escapedText(text: string): string {
  return text.replace(UNSAFE, (character, at: number) =>
    character === '\n' || character === '\t' || (character === '\r' && text[at + 1] === '\n')
      ? character
      : escaped(character),
  )
}

/**
 * As cleanText, but without the unsafe characters, each run of white space as one space: for pages, where an
 * escape would only puzzle the reader.
 */
export function plainText(text: string, maxChars: number): string {
  const plain = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, ' ')
    .replace(UNSAFE, '')
    .trim()
  return cleanText(plain, maxChars)
}

/**
 * What a caller has sent, for a message to that caller, in quotes. Never use it for text that others have
 * stored: visitors choose the names of events, properties, pages and users.
 */
export function quoted(sent: unknown): string {
  const text = typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? 'nothing')
  return `"${cleanText(text, QUOTED_CHARS).replaceAll('"', '\\"')}"`
}

/** A character as `\u{…}`. */
export function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}
