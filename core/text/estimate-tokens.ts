/**
 * Runs that the vocabularies of language models mostly have as one token: up to five letters of ASCII, up to
 * three digits, or one other character that is no space. It counts more than any of them: see its test.
 */
const PIECES = /[A-Za-z]{1,5}|[0-9]{1,3}|[^\sA-Za-z0-9]|\n/gu
/** A character beyond the common scripts takes up to this many tokens. */
const TOKENS_OF_RARE = 3
const RARE = /[^\s\p{ASCII}]/gu

/** How many tokens a text has for a model, at most. It needs no vocabulary, which has megabytes. */
export function estimateTokens(text: string): number {
  const pieces = text.match(PIECES)?.length ?? 0
  const rare = text.match(RARE)?.length ?? 0
  return pieces + rare * (TOKENS_OF_RARE - 1)
}
