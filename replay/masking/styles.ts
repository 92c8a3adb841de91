import { maskAddress } from './addresses.ts'
import { maskWords, redactIdentifiers, redactPatterns } from './patterns.ts'

/** An address, a text in quotes, or a comment. */
const PART =
  /url\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)"']*)\s*\)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?\*\//g
/** A declaration whose texts the page shows. */
const CONTENT = /(\bcontent\s*:)([^;}]*)/gi
const IMPORT = /@import\b[^;]*;?/gi

/**
 * Cleans a style sheet or a declaration: addresses, quoted texts and comments. With `masksText` the words of
 * `content` are masked, because the page shows them. `redact` is for quoted texts and addresses alone. Names
 * and numbers stay, or nothing would look as it did.
 */
export function maskStyles(css: string, masksText: boolean, redact = (text: string) => text): string {
  const shown = masksText ? css.replace(CONTENT, (_, name, value) => name + maskContent(value)) : css
  return shown.replace(IMPORT, '').replace(PART, (part, address?: string) => {
    if (part.startsWith('/*')) return ''
    if (address !== undefined) return `url("${redact(maskAddress(unquote(address), true))}")`
    return part[0] + redactPatterns(redact(part.slice(1, -1))) + part[0]
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
  return value.replace(
    /(["'])([^"'\\]*\p{L}{2,}[^"'\\]*)\1/gu,
    (_, quote, text) => quote + maskWords(text) + quote,
  )
}

function unquote(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2')
}
