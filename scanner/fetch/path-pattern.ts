/**
 * Longest path that is compared with stars, characters. The protocol of sitemaps allows no longer addresses.
 */
export const MAX_COMPARED_PATH = 2_048

/** A pattern of a robots.txt: `*` is any text, and `$` at the end the end of the path. */
export type PathPattern = {
  /** The text before the first star. A path that matches begins with it. */
  prefix: string
  hasStar: boolean
  /** Whether the path matches. Takes time in proportion to its length, whatever the pattern is. */
  matches(path: string): boolean
}

/** A text to look for, and how much of it still stands after a character that does not fit. */
type Part = { text: string; borders: Uint32Array }

export function parsePathPattern(pattern: string): PathPattern {
  const isWhole = pattern.endsWith('$')
  const [prefix = '', ...texts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const suffix = isWhole ? texts.pop() : undefined
  const parts = texts.map(text => ({ text, borders: bordersOf(text) }))

  function matches(path: string): boolean {
    if (!path.startsWith(prefix)) return false
    if (isWhole && suffix === undefined) return path === prefix
    let at = prefix.length
    for (const part of parts) {
      const end = findEnd(path, part, at)
      if (end < 0) return false
      at = end
    }
    return suffix === undefined || (path.length - suffix.length >= at && path.endsWith(suffix))
  }

  return { prefix, hasStar: parts.length > 0 || suffix !== undefined, matches }
}

/**
 * Finds a text from `from` on, and returns where it ends, or -1. No character of the path is read twice
 * (Knuth, Morris, Pratt); `indexOf` reads some as often as the text is long.
 */
function findEnd(path: string, { text, borders }: Part, from: number): number {
  let fitting = 0
  let at = from
  for (; fitting < text.length; at++) {
    if (at >= path.length) return -1
    const char = path.charCodeAt(at)
    while (fitting > 0 && text.charCodeAt(fitting) !== char) fitting = borders[fitting - 1] as number
    if (text.charCodeAt(fitting) === char) fitting++
  }
  return at
}

/** For each beginning of a text: the length of its longest shorter beginning that is also its end. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  for (let at = 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    let border = borders[at - 1] as number
    while (border > 0 && text.charCodeAt(border) !== char) border = borders[border - 1] as number
    borders[at] = text.charCodeAt(border) === char ? border + 1 : 0
  }
  return borders
}
