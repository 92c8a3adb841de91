import { countDigits, replaceNumbers } from './numbers.ts'

/** What stands in a recording for a masked text. It has the same length for every text. */
export const MASK = '•••••'

/** A longer text is masked whole, so that the patterns below take a bounded time. */
const MAX_CHARS = 200_000

/** Without any of these, no pattern matches. Most texts have none. */
const MAY_MATCH = /[@＠%?#:=\p{Nd}]|\S{16}|bearer/iu
/** A query or fragment in an address that a text contains. */
export const QUERY = /(\/[^\s?#/]*)[?#][^\s"')]+/g
/**
 * The value after a name such as `password:` or `"token": `, and a bearer token. The author of a book is
 * none.
 */
export const NAMED =
  /\b((?:token|secret|passw?\w{0,8}|pwd|pin|otp|cvc|cvv|api.?key|key|auth(?!ors?\b)\w{0,12}|session|jwt)["']?\s{0,3}[=:]\s{0,3})(?:bearer\s+)?("[^"]*"?|\S+)|bearer\s+\S+/gi
/** An e-mail address, but not the name of an image such as `logo@2x.png`. */
export const EMAIL =
  /[^\s/@＠?#&=:;,<>"'()[\]]{1,64}(?:@(?![1-4]x\.)|＠|%40)[^%\s/@＠?#&=:;,<>"'()[\]]{1,255}\.\p{L}{2,}/giu
/** A JSON Web Token, and keys whose prefix tells what they are. */
export const KEY =
  /\beyJ[\w-]{5,}(?:\.[\w-]+){0,2}|\b(?:AKIA|ASIA|AIza)[\w-]{12,}|\b(?:aa[a-z]|gh[a-z]|glpat|github_pat|xox[a-z]|sk|pk|rk|whsec|npm|hf)[_-][\w-]{8,}/g
export const IBAN = /\b[A-Z]{2}\d{2}(?:[\s\u00a0-]?[A-Z\d]){11,30}/gi
/**
 * A run that may be a token, a key or a part of one. Texts of Chinese, Japanese, Thai and others have no
 * blanks between their words, and tokens have no letters of theirs.
 */
export const RUN = /[\p{Script=Latin}\p{N}_+~=-]{16,}/gu
/**
 * The parts of a compound such as `USB-C-Ladekabel-2m`: a word, an abbreviation, and a number with its unit.
 * The numbers of a compound have few digits.
 */
const WORD = /^\p{Lu}?\p{Ll}+$/u
const NOUN = /^\p{Lu}\p{Ll}{4,}$/u
const ABBREVIATION = /^\p{Lu}{1,3}$/u
const UNIT = /^(?:\p{Nd}{1,4}\p{L}{0,2}|\p{L}{1,2}\p{Nd}{1,3})$/u
const MAX_COMPOUND_DIGITS = 4
/** A run of letters alone is a word, unless it is longer and has small and capital letters mixed. */
const LONG_RUN_CHARS = 24

/**
 * Replaces what looks like an e-mail address, a card, a phone, an IBAN, a token, a named secret or the query
 * of an address. It rather masks too much: a number of seven digits may be a phone.
 */
export function redactPatterns(text: string): string {
  if (!MAY_MATCH.test(text)) return text
  if (text.length > MAX_CHARS) return MASK
  const redacted = text.replace(QUERY, `$1?${MASK}`).replace(NAMED, (_, name = '') => name + MASK)
  // Tokens before numbers: a number in a token would leave its other parts.
  const withoutRuns = redactForms(redacted).replace(RUN, run => (looksLikeToken(run) ? MASK : run))
  return replaceNumbers(withoutRuns, MASK)
}

/**
 * As redactPatterns, but keeps long runs: names of classes, files and elements often have the form of a
 * token.
 */
export function redactIdentifiers(text: string): string {
  return text.length > MAX_CHARS ? MASK : replaceNumbers(redactForms(text), MASK)
}

function redactForms(text: string): string {
  return text
    .replace(EMAIL, MASK)
    .replace(KEY, MASK)
    .replace(IBAN, iban => (isIban(iban) ? MASK : iban))
}

/**
 * Replaces every word. The number of words and the white space stay, so that the layout is about the same.
 */
export function maskWords(text: string): string {
  return text.replace(/\S+/g, MASK)
}

function looksLikeToken(run: string): boolean {
  if (!/\p{L}/u.test(run)) return false
  if (/\p{N}/u.test(run)) return !isCompound(run)
  return run.length >= LONG_RUN_CHARS && /\p{Ll}\p{Lu}/u.test(run) && /\p{Lu}\P{Lu}*\p{Lu}/u.test(run)
}

/**
 * Returns whether a text is a compound with a noun and few digits, such as `Full-HD-Webcam-1080p`. Groups of
 * a licence key have more digits or no noun.
 */
export function isCompound(text: string): boolean {
  const pieces = text.split('-')
  const words = pieces.filter(piece => WORD.test(piece) || ABBREVIATION.test(piece))
  const others = pieces.filter(piece => !words.includes(piece))
  return (
    pieces.some(piece => NOUN.test(piece)) &&
    others.every(piece => UNIT.test(piece)) &&
    countDigits(others.join('')) <= MAX_COMPOUND_DIGITS
  )
}

/**
 * Returns whether the text begins with an IBAN: its country has a length, which this test does not know, and
 * its sum is right.
 */
export function isIban(text: string): boolean {
  const characters = text.replace(/[^A-Z\d]/gi, '').toUpperCase()
  for (let length = 15; length <= Math.min(34, characters.length); length++)
    if (remainder(characters.slice(4, length) + characters.slice(0, 4)) === 1) return true
  return false
}

/** Returns the remainder of division by 97, as IBANs define it: A is 10, B is 11. */
function remainder(characters: string): number {
  let rest = 0
  for (const character of characters) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}
