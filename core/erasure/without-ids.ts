/** The ids of a person, as they are looked for in what an owner has written. */
export type NamedIds = {
  all: ReadonlySet<string>
  /** Those that are looked for within texts, by their lengths. */
  telling: ReadonlyMap<number, ReadonlySet<string>>
}

/**
 * An id that is shorter, or has letters alone, is not looked for within texts: `7`, `shop` or `summer` is
 * usually something else there.
 */
const TELLING_CHARS = 6
/** What stands in the place of an id. It is no longer than one, so a text keeps the bound of its field. */
export const ERASED_TEXT = 'erased'

const NOT_A_LETTER = /[^\p{L}]/u
const WORD = /[\p{L}\p{N}_]/u
/** Between two words these make one of them, as in `ada-3f1c` and `ada@example.com`. */
const JOINER = /[-.@]/

export function namedIds(ids: Iterable<string>): NamedIds {
  const all = new Set(ids)
  const telling = new Map<number, Set<string>>()
  for (const id of all) {
    if (id.length < TELLING_CHARS || !NOT_A_LETTER.test(id)) continue
    const ofLength = telling.get(id.length) ?? new Set()
    telling.set(id.length, ofLength.add(id))
  }
  return { all, telling }
}

/**
 * Puts ERASED_TEXT in the place of each id of a person that stands by itself, not as a part of a longer word.
 */
export function withoutIds(text: string, { telling }: Pick<NamedIds, 'telling'>): string {
  if (telling.size === 0) return text
  let rest = ''
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (isInWord(text, at)) continue
    const length = lengthAt(at)
    if (length === 0) continue
    rest += text.slice(copied, at) + ERASED_TEXT
    copied = at + length
    at = copied - 1
  }
  return copied === 0 ? text : rest + text.slice(copied)

  /** The length of the longest id that stands here; 0 without one. */
  function lengthAt(at: number): number {
    let longest = 0
    for (const [length, ids] of telling) {
      const end = at + length
      if (length <= longest || end > text.length || isInWord(text, end)) continue
      if (ids.has(text.slice(at, end))) longest = length
    }
    return longest
  }
}

/**
 * The same for a name, a label or a title: if it is an id and nothing else, it is replaced whatever the id
 * looks like.
 */
export function nameWithoutIds(name: string, ids: NamedIds): string {
  return ids.all.has(name) ? ERASED_TEXT : withoutIds(name, ids)
}

/** Whether the characters before and at a position belong to one word. */
function isInWord(text: string, at: number): boolean {
  const isWord = (i: number) => WORD.test(text.charAt(i))
  const isJoiner = (i: number) => JOINER.test(text.charAt(i)) && isWord(i - 1) && isWord(i + 1)
  return (isWord(at - 1) || isJoiner(at - 1)) && (isWord(at) || isJoiner(at))
}
