import { eld } from 'eld/extrasmall'

/** Characters of a text that are looked at. */
const SAMPLE_CHARS = 4_000
/** Fewer letters of an alphabet, or signs of a script without one, say nothing about the language. */
const [MIN_LETTERS, MIN_SIGNS] = [120, 20]

/** Letters of alphabets that many languages share. Every other script belongs to few of them. */
const SHARED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}]/gu

/** Languages that the detector cannot tell apart, or does not know: there the page itself decides. */
const SIBLINGS: readonly ReadonlySet<string>[] = [
  ['ms', 'id'],
  ['hr', 'sr', 'bs', 'sl'],
  ['no', 'da'],
  ['cs', 'sk'],
  ['es', 'ca', 'gl', 'pt'],
  ['ru', 'be', 'bg', 'uk', 'mk'],
  ['fa', 'ar', 'ur', 'ku'],
  ['hi', 'mr', 'ne'],
].map(codes => new Set(codes))

/** Other codes for the same language. */
const SAME: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', iw: 'he', in: 'id', fil: 'tl' }

/**
 * The language of a page, as its code: by its text, where that is long enough. Templates often keep
 * `lang="en"` for other languages, so the tag decides only where the text is short, or its language has a
 * close sibling. Null: neither says it.
 */
export function languageOf(text: string, tag: string | undefined): string | null {
  const named = languageOfTag(tag)
  const found = languageOfText(text)
  if (found === null) return named
  const isSibling = named !== null && SIBLINGS.some(codes => codes.has(found) && codes.has(named))
  return isSibling ? named : found
}

/** The language of a text, as its code. Null: too short, or none that is known. */
export function languageOfText(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const shared = sample.match(SHARED)?.length ?? 0
  if (letters - shared > letters / 2 ? letters < MIN_SIGNS : letters < MIN_LETTERS) return null
  const { language } = eld.detect(sample)
  return language === '' ? null : language
}

/** The code of a `lang` attribute or a locale: `de` of `de-AT`. Null: it is no code. */
export function languageOfTag(tag: string | undefined): string | null {
  const code = /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i.exec(tag ?? '')?.[1]?.toLowerCase()
  return code === undefined ? null : (SAME[code] ?? code)
}
