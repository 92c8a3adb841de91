import { cleanText, escaped } from './clean-text.ts'

/** A backslash that would read as the beginning of an escape. */
const ESCAPE = /\\(?=u\{)/g
/**
 * What Markdown, HTML and tables of text are made of: tags, links, images, code, cells. Visitors need none of
 * it, and a chat must neither load nor follow what they wrote.
 */
const MARKUP = /[<>[\]`|]/g
const SHOWN_ESCAPE = /\\u\{([0-9a-f]{1,6})\}/g
const LAST_CODE_POINT = 0x10_ff_ff

/**
 * Text that a visitor may have written, for a model to read: on one line, of at most `maxChars` code points
 * before the markup is escaped, with unsafe characters and markup as escapes such as `\u{3c}`.
 * `readVisitorText` gives back the text of one that was not cut, so an answer's names are arguments of the
 * next call.
 */
export function visitorText(text: string, maxChars: number): string {
  return cleanText(text.replace(ESCAPE, '\\u{5c}'), maxChars).replace(MARKUP, escaped)
}

/** The text that `visitorText` has shown; any other text stays as it is. */
export function readVisitorText(shown: string): string {
  return shown.replace(SHOWN_ESCAPE, (shownEscape, hex: string) => {
    const codePoint = Number.parseInt(hex, 16)
    return codePoint <= LAST_CODE_POINT ? String.fromCodePoint(codePoint) : shownEscape
  })
}
