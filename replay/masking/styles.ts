import { maskAddress } from './addresses.ts'
import { maskWords, redactIdentifiers, redactPatterns } from './patterns.ts'

/**
 * An address, a text in quotes, or a comment. One without an end goes as far as CSS reads it, so no attempt
 * fails after its first character, and the time is linear.
 */
const PART =
  /url\(\s*("[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|[^)"']*)\s*\)?|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|\/\*[\s\S]*?(?:\*\/|$)/g
/** A declaration whose texts the page shows. */
const CONTENT = /(\bcontent\s*:)([^;}]*)/gi
const IMPORT = /@import\b[^;]*;?/gi
/** A longer style sheet is left out: no upload would take it (replay/recorder/uploads.ts). */
const MAX_CHARS = 8_000_000
/**
 * One with more is left out, too: engines give up on a text in quotes with millions of escapes. Fonts of
 * icons have 10,000.
 */
const MAX_ESCAPES = 500_000

/**
 * Cleans a style sheet or a declaration: addresses, quoted texts and comments. With `masksText` the words of
 * `content` are masked, because the page shows them. `redact` is for quoted texts and addresses alone. Names
 * and numbers stay, or nothing would look as it did.
 */
export function maskStyles(css: string, masksText: boolean, redact = (text: string) => text): string {
  if (css.length > MAX_CHARS || css.split('\\', MAX_ESCAPES + 2).length > MAX_ESCAPES + 1) return ''
  const shown = masksText ? css.replace(CONTENT, (_, name, value) => name + maskContent(value)) : css
  return shown.replace(IMPORT, '').replace(PART, (part, address?: string) => {
    if (part.startsWith('/*')) return ''
    if (address !== undefined) return `url("${redact(maskAddress(unquote(address), true))}")`
    const [quote = ''] = part
    return quote + redactPatterns(redact(unquote(part))) + quote
  })
}

/**
 * Returns the value of one declaration without addresses and secrets. Unquoted values are names and numbers.
 */
export function maskStyleValue(value: string, masksText: boolean, redact?: (text: string) => string): string {
  return /["'(]/.test(value) ? maskStyles(value, masksText, redact) : redactIdentifiers(value)
}

/** A text with a backslash is the code of an icon. */
function maskContent(value: string): string {
  return value.replace(/"([^"\\]*)"|'([^'\\]*)'/g, (part, double?: string, single?: string) =>
    /\p{L}{2}/u.test(double ?? single ?? '') ? part[0] + maskWords(part.slice(1, -1)) + part[0] : part,
  )
}

/** The text between the quotes, of which the last may be missing. */
function unquote(text: string): string {
  const quoted = text.trim()
  const [quote = ''] = quoted
  if (quote !== '"' && quote !== "'") return quoted
  const isClosed = quoted.length > 1 && quoted.endsWith(quote)
  return quoted.slice(1, isClosed ? -1 : undefined)
}
