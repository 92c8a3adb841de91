import { describe, expect, test } from 'vitest'
import type { Intent } from '#scanner/read/findings'
import { intentOfAnyWords, intentOfWords } from '#scanner/read/intents'
import { intentOfPath, targetOf } from '#scanner/read/targets'
import { phrasesOf } from '#scanner/read/words'
import { LANGUAGES } from '#scanner/read/words/languages'

/** The intents that every language must know. */
const REQUIRED: Intent[] = [
  'sign_up',
  'log_in',
  'buy',
  'add_to_cart',
  'book',
  'contact',
  'download',
  'search',
  'subscribe',
  'docs',
  'pricing',
  'demo',
]

test('English and at least seven other languages know all common intents', () => {
  expect(Object.keys(LANGUAGES).length).toBeGreaterThanOrEqual(8)
  for (const [code, { intents }] of Object.entries(LANGUAGES)) {
    for (const intent of REQUIRED) expect(intents[intent], `${code} ${intent}`).toBeTruthy()
  }
})

describe.each(Object.entries(LANGUAGES))('%s', (code, { intents }) => {
  /** A phrase that stands under two intents of one language means nothing. */
  test('has each phrase once', () => {
    const phrases = Object.values(intents).flatMap(phrasesOf)
    const repeated = [...Map.groupBy(phrases, each => each)]
      .filter(([, same]) => same.length > 1)
      .map(([each]) => each)
    expect(repeated).toEqual([])
  })

  test('finds the intent of each of its phrases', () => {
    const wrong = Object.entries(intents).flatMap(([intent, list]) =>
      phrasesOf(list).filter(phrase => intentOfWords(phrase, code)?.intent !== intent),
    )
    expect(wrong).toEqual([])
  })
})

test.each([
  ['Start your FREE trial', 'en', 'sign_up'],
  ['JETZT KOSTENLOS TESTEN', 'de', 'sign_up'],
  ['Réserver une table', 'fr', 'book'],
  ['RESERVER UNE TABLE', 'fr', 'book'],
  ['¡Añadir al carrito!', 'es', 'add_to_cart'],
  ['Zaloguj się', 'pl', 'log_in'],
  ['カートに入れる', 'ja', 'add_to_cart'],
  ['Lägg i varukorgen', 'sv', 'add_to_cart'],
  ['Sepete Ekle', 'tr', 'add_to_cart'],
])('%s in %s is %s', (words, language, intent) => {
  expect(intentOfWords(words, language)?.intent).toBe(intent)
})

test.each([
  'How to buy a car without losing your mind and your money',
  'The demo of the unions in Paris was the largest in years',
  '',
  '→',
])('a headline is no intent: %s', words => {
  expect(intentOfWords(words, 'en')).toBeNull()
})

test('words of any language are understood where the language is not known', () => {
  expect(intentOfAnyWords('Tisch reservieren')?.intent).toBe('book')
  expect(intentOfAnyWords('zapisz się do newslettera')?.intent).toBe('subscribe')
  expect(intentOfAnyWords('quantum chromodynamics')).toBeNull()
})

test.each([
  ['/en/pricing.html', 'pricing'],
  ['/preise', 'pricing'],
  ['/a/b/c/d/pricing', null],
  ['/', null],
])('the path %s is %s', (path, intent) => {
  expect(intentOfPath(path)).toBe(intent)
})

test.each([
  ['mailto:a@b.test', 'contact', null, false],
  ['tel:+49', 'call', null, false],
  ['https://calendly.com/me/30?month=1', 'book', 'https://calendly.com/me/30', true],
  ['https://google.co.uk/maps/place/x', 'directions', 'https://google.co.uk/maps/place/x', true],
  ['https://google.x-1.test/maps/place/x', null, 'https://google.x-1.test/maps/place/x', true],
  ['https://www.google.com/maps/place/x', 'directions', 'https://www.google.com/maps/place/x', true],
  ['https://app.shop.test/login?next=%2F', 'log_in', '/login', false],
  ['https://other.co.uk/x', null, 'https://other.co.uk/x', true],
  ['javascript:alert(1)', null, null, false],
  ['#top', null, null, false],
  ['http://[bad', null, null, false],
])('the address %s has the intent %s', (href, intent, target, isExternal) => {
  expect(targetOf(href, 'https://shop.test/a')).toEqual({ intent, target, isExternal })
})

test('two sites under one registry are two sites', () => {
  expect(targetOf('https://other.co.uk/', 'https://shop.co.uk/').isExternal).toBe(true)
  expect(targetOf('https://app.shop.co.uk/', 'https://shop.co.uk/').isExternal).toBe(false)
})
