import type { Intent } from './findings.ts'
import { countWords, createPhraseIndex } from './phrase-index.ts'
import { LANGUAGES } from './words/languages.ts'

/** Labels of more words are sentences: what they name is not what a click does. */
const MAX_LABEL_WORDS = 8

const INDEXES = Object.entries(LANGUAGES).map(([code, { intents, isUnspaced = false }]) => ({
  code,
  isUnspaced,
  index: createPhraseIndex(Object.entries(intents) as [Intent, string][], { isUnspaced }),
}))

export type IntentOfWords = { intent: Intent; certainty: number; language: string }

/**
 * What the words of a link, a button or a form say that it is for. The share of the phrase in the words
 * decides how sure that is: `Book a table` surely books, `How we book our year` hardly. The language of the
 * page goes first, because one word has two meanings: Swedish `rea` is a sale. Null: the words say nothing.
 */
export function intentOfWords(words: string, language: string | null): IntentOfWords | null {
  const own = INDEXES.filter(({ code }) => code === language || code === 'en')
  return (
    best(words, own.length > 0 ? own : INDEXES, language) ?? (language ? null : best(words, INDEXES, null))
  )
}

/** The same for words of any language, such as the `focus` of a request. */
export function intentOfAnyWords(words: string): IntentOfWords | null {
  return best(words, INDEXES, null)
}

/** Whether a text of any length names the intent, in its language or English. */
export function mentions(text: string, intent: Intent, language: string | null): boolean {
  return INDEXES.some(
    ({ code, index }) =>
      (code === language || code === 'en' || language === null) &&
      index.find(text).some(({ value }) => value === intent),
  )
}

function best(words: string, indexes: typeof INDEXES, language: string | null): IntentOfWords | null {
  const found = indexes.flatMap(({ code, index, isUnspaced }) => {
    const total = countWords(words, isUnspaced)
    if (total === 0 || total > MAX_LABEL_WORDS) return []
    return index.find(words).map(({ value, words: length, isFirst, phrase }) => {
      const share = Math.min(1, length / total)
      const certainty = share === 1 ? 1 : Math.min(0.95, share + (isFirst ? 0.25 : 0.05))
      const isOwn = code === language ? 0.02 : 0
      return { intent: value, certainty, language: code, rank: certainty + isOwn + phrase.length / 1000 }
    })
  })
  const first = found.filter(({ certainty }) => certainty >= 0.45).toSorted((a, b) => b.rank - a.rank)[0]
  return first === undefined
    ? null
    : { intent: first.intent, certainty: first.certainty, language: first.language }
}
