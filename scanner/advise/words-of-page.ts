import { plainText } from '#core/text/clean-text'

/** Longest words of a page in a sentence, characters. */
const MAX_CHARS = 60

/**
 * Words of a page for a sentence of ours: in quotes, on one line, without quotes and backticks of their own,
 * so that they cannot end the quotation. A stranger has written them: they are data and never a sentence of
 * the advice.
 */
export function pageWords(text: string, maxChars = MAX_CHARS): string {
  return `"${bareWords(text, maxChars)}"`
}

/** The same without the quotes, for a value that gets its own. */
export function bareWords(text: string, maxChars = MAX_CHARS): string {
  return plainText(text, maxChars)
    .replace(/["`“”„«»]/g, "'")
    .replace(/[{}<>]/g, ' ')
    .trim()
}
