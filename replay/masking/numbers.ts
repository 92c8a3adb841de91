/** Seven or more digits of any script, also in groups, as in numbers of cards and phones. */
export const NUMBER = /\p{Nd}(?:[\s().\-\u00ad\u200b-\u200f\u2010-\u2015\u2060]{0,3}\p{Nd}){6,63}/gu
/** The same for any number of digits. */
const DIGITS = /\p{Nd}(?:[\s().\-\u00ad\u200b-\u200f\u2010-\u2015\u2060]{0,3}\p{Nd}){0,63}/gu
const MIN_DIGITS = 7

const ISO_DATE = /(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)/g
/** `30.11.2026`, `2019–2026` and `9.00-18.30`, but no part of a longer number. */
const MOMENT =
  /(?<![\d.])(?:[0-3]?\d([.-])[01]?\d\1(?:19|20)\d\d|(?:19|20)\d\d\s?[-\u2010-\u2015]\s?20\d\d|(?:[01]?\d|2[0-4])\.[0-5]\d\s?[-\u2010-\u2015]\s?(?:[01]?\d|2[0-4])\.[0-5]\d)(?!\.?\d)/g
/** What may stand beside a date without being part of a phone: an hour, or the number of a row. */
const MAX_BESIDE = 2

/** An amount in groups of three digits. It has at most twelve digits, and a card has more. */
const AMOUNT = /^[1-9]\d{0,2}(?:[.\s]\d{3}){1,3}(?:\.\d\d)?$/
const CURRENCY_BEFORE = /(?:\p{Sc}|\b(?:EUR|USD|GBP|CHF|PLN|RUB|VND|IDR|COP|CLP|Rp))\s?$/u
const CURRENCY_AFTER =
  /^(?:,\d\d)?\s?(?:\p{Sc}|(?:EUR|USD|GBP|CHF|PLN|CZK|HUF|RUB|VND|IDR|KRW|COP|CLP|zł|Kč|Ft|kr|руб|đ)(?!\p{L})|[円元원])/u
/** How far beside a number its currency may stand. */
const CURRENCY_CHARS = 8

/** A price such as `59.90`, and how many there are of something. */
const PRICE = /^(?:0|[1-9]\d{0,3})\.\d\d$/
const COUNT = /^[1-9]\d{0,2}$/
/** A page, a size or a year. */
const SIZE = /^(?:0|[1-9]\d{0,3})(?:\.\d)?$/
/** Two numbers may be the halves of one. */
const MIN_LIST = 3
/**
 * Sizes differ by so much, or each by the same that is not more than this. Numbers of cards differ by more.
 */
const SMALL_STEP = 3
const MAX_STEP = 100

/**
 * Returns a text whose numbers of seven or more digits are replaced, except dates, hours and amounts of
 * money.
 */
export function replaceNumbers(text: string, mask: string): string {
  return text.replace(NUMBER, (number, at: number) => (isHarmless(number, at, text) ? number : mask))
}

/**
 * Returns a text whose dates, hours and amounts of money are letters, so that they are no part of a number
 * with the texts beside it.
 */
export function hideHarmless(text: string): string {
  return text.replace(DIGITS, (number, at: number) =>
    isAmount(number, at, text) || countDigits(number.replace(ISO_DATE, '').replace(MOMENT, '')) === 0
      ? 'x'
      : number,
  )
}

/**
 * Returns whether the parts of a number are numbers of their own: pages, sizes or years one after the other,
 * or prices, also with how many there are.
 */
export function isListOfNumbers(parts: readonly string[]): boolean {
  const values: string[] = []
  for (const part of parts) {
    const found = toAscii(part).match(/\d+(?:\.\d+)*/g) ?? []
    if (found.length > 1) return false
    values.push(...found)
  }
  if (values.length < MIN_LIST) return false
  const prices = values.filter(value => PRICE.test(value)).length
  if (prices * 2 >= values.length && values.every(value => PRICE.test(value) || COUNT.test(value)))
    return true
  return values.every(value => SIZE.test(value)) && isEven(values.map(Number))
}

function isEven(values: readonly number[]): boolean {
  const steps = values.slice(1).map((value, at) => value - values[at]!)
  const [first = 0] = steps
  if (first === 0 || Math.abs(first) > MAX_STEP) return false
  return steps.every(step => step === first) || steps.every(step => step > 0 && step <= SMALL_STEP)
}

function isHarmless(number: string, at: number, text: string): boolean {
  const rest = number.replace(ISO_DATE, '')
  if (countDigits(rest) < MIN_DIGITS || isAmount(number, at, text)) return true
  // The number of a country makes it a phone.
  return text[at - 1] !== '+' && countDigits(rest.replace(MOMENT, '')) <= MAX_BESIDE
}

function isAmount(number: string, at: number, text: string): boolean {
  if (!AMOUNT.test(number)) return false
  const end = at + number.length
  return (
    CURRENCY_BEFORE.test(text.slice(Math.max(0, at - CURRENCY_CHARS), at)) ||
    CURRENCY_AFTER.test(text.slice(end, end + CURRENCY_CHARS))
  )
}

export function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0
}

/** Digits of Arabic, Persian and the full width of Chinese and Japanese as those of English. */
function toAscii(text: string): string {
  return text.replace(/[٠-٩۰-۹０-９]/g, digit => String(digit.charCodeAt(0) & 15))
}
