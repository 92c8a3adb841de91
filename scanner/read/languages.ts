import { LANGUAGES } from './words/languages.ts'
import { plainLetters, wordsOf } from './words.ts'

/** Fewer words say nothing about the language of a text. */
const MIN_WORDS = 30
/** Share of the words of a text that are frequent words of its language. */
const MIN_SHARE = 0.06
/** Characters of a text that are looked at. */
const SAMPLE_CHARS = 20_000

const FREQUENT = Object.entries(LANGUAGES)
  .filter(([, { isUnspaced }]) => !isUnspaced)
  .map(([code, { frequent }]) => ({ code, words: new Set(wordsOf(frequent)) }))

/**
 * The language of a text, as its code: by the letters of Japanese, else by frequent words. Null: too short,
 * or none that is known. Templates often keep `lang="en"` for other languages, so the words go first.
 */
export function languageOfText(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const kana = sample.match(/[\u3040-\u30ff]/gu)?.length ?? 0
  if (letters >= MIN_WORDS && kana / letters > 0.15) return 'ja'
  const words = wordsOfSample(sample)
  if (words.length < MIN_WORDS) return null
  const counts = FREQUENT.map(({ code, words: frequent }) => ({
    code,
    count: words.filter(word => frequent.has(word)).length,
  })).toSorted((a, b) => b.count - a.count)
  const best = counts[0]
  return best !== undefined && best.count / words.length >= MIN_SHARE ? best.code : null
}

/** The code of a `lang` attribute or a locale: `de` of `de-AT`. Null: it is no code. */
export function languageOfTag(tag: string | undefined): string | null {
  const code = /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase()
  return code ?? null
}

function wordsOfSample(sample: string): string[] {
  return plainLetters(sample).match(/\p{L}+/gu) ?? []
}
