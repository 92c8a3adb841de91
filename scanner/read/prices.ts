import { plainText } from '#core/text/clean-text'
import type { Plan, Price } from './findings.ts'

const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  円: 'JPY',
  zł: 'PLN',
  zl: 'PLN',
  kr: 'SEK',
  '₺': 'TRY',
  TL: 'TRY',
  R$: 'BRL',
  '₹': 'INR',
}

/**
 * A number before or after a sign or a code of a currency. Each part has a bound, so it looks back nowhere.
 */
const PRICE =
  /(?<![\p{L}\d])(?:(R\$|[$€£¥₺₹]|(?:USD|EUR|GBP|CHF|SEK|PLN|JPY|BRL|TRY)(?=[\s\d]))\s?(\d{1,9}(?:[.,]\d{4,6}|(?:[.,’' ]\d{2,3}){0,3}))(?!\d)|(\d{1,9}(?:[.,]\d{4,6}|(?:[.,’' ]\d{2,3}){0,3}))(?:,[-–])?\s?(€|£|zł|円|₺|kr|TL|EUR|USD|GBP|CHF|SEK|PLN|JPY)(?![\p{L}\d]))/gu

/** A sum from which something is free is no price of anything. */
const THRESHOLD =
  /free (shipping|delivery|returns)|versandkostenfrei|(kostenlos|gratis|frei)\S{0,8} (versand|lieferung)|livraison (offerte|gratuite)|env[ií]o gratis|spedizione gratuita|frete gr[aá]tis|gratis (verzending|bezorging)|darmowa dostawa|fri frakt|送料無料|ücretsiz kargo/i

/** Prices of one page that are read, and characters of a text that is searched. */
const [MAX_PRICES, MAX_TEXT_CHARS] = [60, 400]
/** Less is the price of one call or one message, which nobody pays at once. */
const MIN_AMOUNT = 0.05
/** A plan has its price within so many texts after its name. */
const TEXTS_TO_PRICE = 8

export type FoundPrice = Price & { text: number }

/** The prices in the texts of a page. */
export function findPrices(texts: readonly string[], page: string): FoundPrice[] {
  const prices: FoundPrice[] = []
  for (const [text, whole] of texts.entries()) {
    if (prices.length >= MAX_PRICES) break
    if (!/\d/.test(whole) || THRESHOLD.test(whole.slice(0, MAX_TEXT_CHARS))) continue
    // A price is often in several elements: <span>€</span><span>29</span>.
    const piece = `${whole.trim()}${whole.trim().length <= 3 ? (texts[text + 1] ?? '') : ''}`
    for (const match of piece.slice(0, MAX_TEXT_CHARS).matchAll(PRICE)) {
      const sign = match[1] ?? match[4] ?? ''
      const amount = amountOf(match[2] ?? match[3] ?? '')
      if (amount === null || (amount > 0 && amount < MIN_AMOUNT)) continue
      prices.push({
        page,
        quote: plainText(match[0], 30),
        amount,
        currency: SIGNS[sign] ?? sign,
        text,
      })
    }
  }
  return prices.slice(0, MAX_PRICES)
}

/** The names of plans: short headings that a price follows soon, before the next heading. */
export function findPlans(
  headings: readonly { text: string; end: number }[],
  prices: readonly FoundPrice[],
  page: string,
): Plan[] {
  return headings.flatMap(({ text, end }) => {
    const next = headings.find(other => other.end > end)?.end ?? Number.POSITIVE_INFINITY
    const limit = Math.min(next, end + TEXTS_TO_PRICE)
    const price = prices.find(each => each.text >= end && each.text < limit)
    const isName = text !== '' && text.split(/\s+/).length <= 3 && text.length <= 30
    return isName && price !== undefined ? [{ page, name: text, price: price.quote }] : []
  })
}

/** `1.299,00` and `1,299.00` are the same: the last mark before two digits divides. */
function amountOf(text: string): number | null {
  // A group of three digits never follows a single zero: `0.004` is a part of one.
  if (/^0[.,]\d{3,6}$|^\d{1,9}[.,]\d{4,6}$/.test(text)) return Number(text.replace(',', '.'))
  const fraction = /[.,](\d{2})$/.exec(text)
  const whole = (fraction === null ? text : text.slice(0, -3)).replace(/\D/g, '')
  const amount = Number(`${whole}.${fraction?.[1] ?? '0'}`)
  return Number.isFinite(amount) ? amount : null
}
