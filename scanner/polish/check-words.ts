import { placesOf, withoutPlaces } from './facts.ts'
import { isKnownWord, stemsOf } from './known-words.ts'

/** Letters, spaces and marks of a sentence: no digit, link, code, markup, quotation or line break. */
const PLAIN = /^[A-Za-z ,;:'’()?!–—.-]*$/
/** A dot ends a sentence, and stands in no name. */
const INNER_DOT = /\.(?! |$)/
const SENTENCE = /^[A-Z{].*[.?!]$/
const MAX_GROWTH = 1.4
const MIN_PART = 0.4
/** A short sentence may grow by more than a part, characters. */
const ROOM = 20
/** Part of the different words that the sentence before has too. */
const MIN_SHARED = 0.5

/**
 * Why the words of a text model are not taken in place of a sentence, or null. Both have places for their
 * facts. `broken`: the model does not do what it was asked, so none of its answer is taken. `unfit`: this
 * sentence alone is left as it was.
 */
export function problemOfWords(before: string, after: string): 'broken' | 'unfit' | null {
  const bare = withoutPlaces(after)
  if (placesOf(before) !== placesOf(after)) return 'broken'
  if (!PLAIN.test(bare) || INNER_DOT.test(bare)) return 'broken'
  if (after.length > MAX_GROWTH * before.length + ROOM || after.length < MIN_PART * before.length) {
    return 'unfit'
  }
  if (!SENTENCE.test(after)) return 'unfit'
  const own = new Set(stemsOf(before))
  const stems = new Set(stemsOf(after))
  const shared = [...stems].filter(stem => own.has(stem)).length
  if (shared < MIN_SHARED * stems.size) return 'unfit'
  return [...stems].every(stem => own.has(stem) || isKnownWord(stem)) ? null : 'unfit'
}
