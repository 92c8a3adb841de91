import { phrasesOf, plainLetters, wordsOf } from './words.ts'

/** A phrase that a text has, and how many of the words of the text it is. */
export type Match<T> = { value: T; words: number; phrase: string; isFirst: boolean }

type Phrase<T> = { value: T; words: string[]; phrase: string }

export type PhraseIndex<T> = {
  /** The phrases in a text, the longest first. */
  find(text: string): Match<T>[]
}

/**
 * Finds the phrases of a table in texts. A search takes time in proportion to the text: phrases are found by
 * the first letters of their first word. `isInflected`: words may have other endings. Of a language without
 * blanks each phrase is looked for, so its texts must be short.
 */
export function createPhraseIndex<T>(
  table: Iterable<readonly [T, string]>,
  { isUnspaced = false, isInflected = false }: { isUnspaced?: boolean; isInflected?: boolean } = {},
): PhraseIndex<T> {
  const phrases = [...table].flatMap(([value, list]) =>
    phrasesOf(list).map(phrase => ({ value, phrase, words: wordsOf(phrase) })),
  )
  const find = isUnspaced
    ? findParts(phrases)
    : findWords(phrases, isInflected ? isSameStem : (a, b) => a === b)
  return { find: text => find(text).toSorted((a, b) => b.phrase.length - a.phrase.length) }
}

/** Letters that two forms of a word share at least, and letters that their endings may have. */
const [STEM_LETTERS, ENDING_LETTERS] = [5, 2]

/** Whether two words differ in their endings alone, such as `vacante` and `vacantes`. Short ones never do. */
function isSameStem(a: string, b: string): boolean {
  if (a === b) return true
  const shared = Math.max(STEM_LETTERS, Math.min(a.length, b.length) - ENDING_LETTERS + 1)
  const isNear = Math.max(a.length, b.length) - shared <= ENDING_LETTERS
  return isNear && a.length >= shared && b.length >= shared && a.slice(0, shared) === b.slice(0, shared)
}

function findWords<T>(
  phrases: readonly Phrase<T>[],
  isSame: (a: string, b: string) => boolean,
): (text: string) => Match<T>[] {
  const byStart = Map.groupBy(phrases, ({ words }) => startOf(words[0]))
  return text => {
    const words = wordsOf(text)
    return words.flatMap((word, i) =>
      (byStart.get(startOf(word)) ?? [])
        .filter(phrase => phrase.words.every((each, j) => isSame(words[i + j] ?? '', each)))
        .map(({ value, phrase, words: { length } }) => ({ value, phrase, words: length, isFirst: i === 0 })),
    )
  }
}

function startOf(word = ''): string {
  return word.slice(0, STEM_LETTERS)
}

/** Characters of a text without blanks that are searched. */
const MAX_UNSPACED_CHARS = 400
/** A character stands for so many words. */
const WORDS_OF_A_CHARACTER = 0.5

function findParts<T>(phrases: readonly Phrase<T>[]): (text: string) => Match<T>[] {
  const plain = phrases.map(each => ({ ...each, part: plainLetters(each.phrase).replace(/\s/g, '') }))
  return text => {
    const searched = plainLetters(text.slice(0, MAX_UNSPACED_CHARS)).replace(/\s/g, '')
    return plain
      .filter(({ part }) => searched.includes(part))
      .map(({ value, phrase, part }) => ({
        value,
        phrase,
        words: part.length * WORDS_OF_A_CHARACTER,
        isFirst: searched.startsWith(part),
      }))
  }
}

/** How many words a text has, in the measure of a match. */
export function countWords(text: string, isUnspaced = false): number {
  return isUnspaced
    ? plainLetters(text.slice(0, MAX_UNSPACED_CHARS)).replace(/[\s\p{P}]/gu, '').length * WORDS_OF_A_CHARACTER
    : wordsOf(text).length
}
