/** What stands in a recording for a masked text. It has the same length for every text. */
export const MASK = '•••••'

/** A longer text is masked whole, so that the patterns below take a bounded time. */
const MAX_CHARS = 200_000

/** Without any of these, no pattern matches. Most texts have none. */
const MAY_MATCH = /[@＠%?#:=\p{Nd}]|\S{16}|bearer/iu
/** The same for texts together. Fewer digits are no number that is masked. */
const MAY_SPREAD = /[@＠%?#:=]|\S{16}|(\p{Nd}\P{Nd}{0,3}){7}|bearer/iu
/** A query or fragment in an address that a text contains. */
const QUERY = /(\/[^\s?#/]*)[?#][^\s"')]+/g
/** The value after a name such as `password:` or `"token": `, and a bearer token. */
const NAMED =
  /\b((?:token|secret|passw?\w{0,8}|pwd|pin|otp|cvc|cvv|api.?key|key|auth\w{0,12}|session|jwt)["']?\s{0,3}[=:]\s{0,3})(?:bearer\s+)?("[^"]*"?|\S+)|bearer\s+\S+/gi
/** An e-mail address, but not the name of an image such as `logo@2x.png`. */
const EMAIL =
  /[^\s/@＠?#&=:;,<>"'()[\]]{1,64}(?:@(?![1-4]x\.)|＠|%40)[^%\s/@＠?#&=:;,<>"'()[\]]{1,255}\.\p{L}{2,}/giu
/** A JSON Web Token, and keys whose prefix tells what they are. */
const KEY =
  /\beyJ[\w-]{5,}(?:\.[\w-]+){0,2}|\b(?:AKIA|ASIA|AIza)[\w-]{12,}|\b(?:aa[a-z]|gh[a-z]|glpat|github_pat|xox[a-z]|sk|pk|rk|whsec|npm|hf)[_-][\w-]{8,}/g
const IBAN = /\b[A-Z]{2}\d{2}(?:[\s\u00a0-]?[A-Z\d]){11,30}/gi
/** Seven or more digits of any script, also in groups, as in numbers of cards and phones. */
const NUMBER = /\p{Nd}(?:[\s().\-\u00ad\u200b-\u200f\u2010-\u2015\u2060]{0,3}\p{Nd}){6,63}/gu
const DATE = /(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)/g
const MIN_DIGITS = 7
/** A run that may be a token, a key or a part of one. */
const RUN = /[\p{L}\p{N}_+~=-]{16,}/gu
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
  return redactNumbers(redactForms(redacted).replace(RUN, run => (looksLikeToken(run) ? MASK : run)))
}

/**
 * As redactPatterns, but keeps long runs: names of classes, files and elements often have the form of a
 * token.
 */
export function redactIdentifiers(text: string): string {
  return text.length > MAX_CHARS ? MASK : redactNumbers(redactForms(text))
}

function redactForms(text: string): string {
  return text
    .replace(EMAIL, MASK)
    .replace(KEY, MASK)
    .replace(IBAN, iban => (isIban(iban) ? MASK : iban))
}

function redactNumbers(text: string): string {
  return text.replace(NUMBER, number => (countDigits(number.replace(DATE, '')) >= MIN_DIGITS ? MASK : number))
}

/** Returns whether texts look like a secret only together, such as a number of a card in four parts. */
export function isSpreadSecret(texts: readonly string[]): boolean {
  if (texts.length < 2 || !MAY_SPREAD.test(texts.join(''))) return false
  return redactPatterns(texts.join('')) !== texts.map(redactPatterns).join('')
}

/**
 * Replaces every word. The number of words and the white space stay, so that the layout is about the same.
 */
export function maskWords(text: string): string {
  return text.replace(/\S+/g, MASK)
}

function looksLikeToken(run: string): boolean {
  if (!/\p{L}/u.test(run)) return false
  return (
    /\p{N}/u.test(run) ||
    (run.length >= LONG_RUN_CHARS && /\p{Ll}\p{Lu}/u.test(run) && /\p{Lu}\P{Lu}*\p{Lu}/u.test(run))
  )
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0
}

/**
 * Returns whether the text begins with an IBAN: its country has a length, which this test does not know, and
 * its sum is right.
 */
function isIban(text: string): boolean {
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
