/** Words of ASCII, and every other character. */
const PIECES = /[A-Za-z0-9]+|[^\sA-Za-z0-9]|\n/gu

/** How many tokens pieces of each kind have for a model, at most; the first kind that fits counts. */
const kinds: readonly [kind: RegExp, tokens: (piece: string) => number][] = [
  // A word of a language: vocabularies have most of them, or their parts.
  [/^[A-Z]?[a-z]*$/, word => Math.ceil(word.length / 6)],
  [/^[0-9]+$/, number => Math.ceil(number.length / 3)],
  // An id: random letters and digits are in no vocabulary.
  [/^[A-Za-z0-9]+$/, id => Math.ceil(id.length * 0.75)],
  [/^\p{ASCII}|\p{L}$/u, () => 1],
  // Emoji and rare signs are up to three bytes that stand alone.
  [/^/, () => 3],
]

/**
 * How many tokens a text has for a model, about, and rarely fewer than it has: its test compares it with two
 * vocabularies. It needs none, because a vocabulary has megabytes.
 */
export function estimateTokens(text: string): number {
  return (text.match(PIECES) ?? []).reduce((sum, piece) => {
    const [, tokens] = kinds.find(([kind]) => kind.test(piece)) as (typeof kinds)[number]
    return sum + tokens(piece)
  }, 0)
}
