import { hideHarmless, isListOfNumbers, NUMBER } from './numbers.ts'
import { EMAIL, IBAN, isCompound, isIban, KEY, NAMED, QUERY, RUN } from './patterns.ts'

/**
 * A text, and the element to which it belongs: the nearest one above it that is a link, a cell, a paragraph
 * or the like. Without one all texts belong together.
 */
export type Part = { text: string; owner?: unknown }

/** Without any of these, texts are no secret together. Fewer digits are no number that is masked. */
const MAY_SPREAD = /[@＠%?#:=]|\S{16}|(\p{Nd}\P{Nd}{0,3}){7}|bearer/iu
/** Elements whose texts are read by themselves: a token goes on in a `span`, but not in the next link. */
const OWN_TEXT =
  /^(a|address|article|aside|blockquote|body|button|caption|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|label|legend|li|main|menu|nav|ol|option|p|pre|section|summary|table|td|th|tr|ul)$/i
/** The name of an account, as in `@footfall`. */
const HANDLE = /^[@＠][\p{L}\p{N}_]+$/u
/** A word, also with a number: `iPhone15`. */
const WORD_WITH_NUMBER = /^(?:\p{Ll}?\p{Lu}?\p{Ll}{2,}|\p{Lu}{3,})\p{Nd}{0,3}$/u
const HYPHENATED = /^\p{L}\p{Ll}*(?:-\p{L}\p{Ll}+)+$/u
/** Sizes one after the other may have the sum of an IBAN by chance. */
const SIZE = /^[A-Z]{2}\d{2}$/i
/**
 * Codes of links, cells and items, such as a list of recovery codes, are secrets from so many characters on.
 * A shorter part is a size, such as `EU38`, or a storage, such as `512GB`.
 */
const MIN_CODE_CHARS = 16
const MIN_CODE_PART = 6
/** What holds the parts of an address or a token together. */
const GLUED_END = /[._+~=-]$/
const GLUED_BEGIN = /^[._+~=-]/

export function hasOwnText(tagName: string): boolean {
  return OWN_TEXT.test(tagName)
}

/**
 * Returns whether texts look like a secret only together, such as a number of a card in four parts. Words
 * that stand beside each other are no token, although they have no blanks between them.
 */
export function isSpreadSecret(parts: readonly Part[]): boolean {
  const texts = parts.map(({ text }) => text)
  const joined = texts.join('')
  if (texts.length < 2 || !MAY_SPREAD.test(joined)) return false
  return (
    spreads(texts, NAMED).length > 0 ||
    spreads(texts, QUERY).some(found => found.join('').includes('=') || joined.includes('://')) ||
    spreads(texts, KEY).length > 0 ||
    spreads(texts, IBAN).some(found => isIban(found.join('')) && !found.every(part => SIZE.test(part))) ||
    spreads(apart(parts), EMAIL).length > 0 ||
    spreads(texts.map(hideHarmless), NUMBER).some(found => !isListOfNumbers(found)) ||
    byOwner(parts).some(own => spreads(own, RUN).some(isToken)) ||
    spreads(texts, RUN).some(found => found.filter(isCode).join('').length >= MIN_CODE_CHARS)
  )
}

/** Returns the matches that need more than one text: what each of them has of it. */
function spreads(texts: readonly string[], pattern: RegExp): string[][] {
  return [...texts.join('').matchAll(pattern)]
    .map(match => cut(texts, match.index, match.index + match[0].length))
    .filter(found => found.length > 1)
}

function cut(texts: readonly string[], from: number, to: number): string[] {
  let start = 0
  const found: string[] = []
  for (const text of texts) {
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    if (part.trim() !== '') found.push(part)
    start += text.length
  }
  return found
}

function byOwner(parts: readonly Part[]): string[][] {
  const groups: string[][] = []
  for (const [at, { text, owner }] of parts.entries()) {
    if (at > 0 && parts[at - 1]!.owner === owner) groups.at(-1)!.push(text)
    else groups.push([text])
  }
  return groups
}

/**
 * Returns the texts with a break around a whole address and the name of an account, where they have elements
 * of their own: the word in the link before them is no part of an address.
 */
function apart(parts: readonly Part[]): string[] {
  const isWhole = parts.map(
    ({ text }, at) =>
      text.search(EMAIL) >= 0 || (HANDLE.test(text.trim()) && !GLUED_BEGIN.test(parts[at + 1]?.text ?? '')),
  )
  return parts.map(({ text, owner }, at) => {
    const before = parts[at - 1]
    const isGlued = GLUED_END.test(before?.text ?? '') || GLUED_BEGIN.test(text)
    const isApart = before && before.owner !== owner && !isGlued && (isWhole[at] || isWhole[at - 1])
    return isApart ? `\n${text}` : text
  })
}

/** Words with a price or a year in the next element are no token. What is no word is a part of one. */
function isToken(found: readonly string[]): boolean {
  return /\p{N}/u.test(found.join('')) && found.some(part => /\p{L}/u.test(part) && !isWord(part))
}

function isWord(part: string): boolean {
  if (GLUED_BEGIN.test(part) || GLUED_END.test(part)) return false
  return WORD_WITH_NUMBER.test(part) || HYPHENATED.test(part) || isCompound(part)
}

function isCode(part: string): boolean {
  return part.length >= MIN_CODE_PART && /\p{L}/u.test(part) && /\p{N}/u.test(part) && !isWord(part)
}
