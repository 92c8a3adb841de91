import { expect, test } from 'vitest'
import { isSpreadSecret } from '#replay/masking/spread-secret'

/** Texts of one element, or each of an element of its own. */
const together = (...texts: string[]) => isSpreadSecret(texts.map(text => ({ text })))
const apart = (...texts: string[]) => isSpreadSecret(texts.map((text, owner) => ({ text, owner })))

test('texts that are a secret only together are found, and one secret among other texts is no reason', () => {
  expect(together('4111', ' ', '1111', ' ', '1111', ' ', '1111')).toBe(true)
  expect(together('ada', '@', 'example.org')).toBe(true)
  expect(together('Password:', ' ', 'hunter2')).toBe(true)
  expect(together('Write to ', 'ada@example.org', ' now')).toBe(false)
  expect(together('4111 1111 1111 1111')).toBe(false)
})

test('a key, a number and an address are found over elements of any kind', () => {
  expect(apart('sk_', 'live_abcdefgh')).toBe(true)
  expect(apart('GB82 WEST', '1234 5698', '7654 32')).toBe(true)
  expect(apart('(555)', '123', '-', '4567')).toBe(true)
  expect(apart('ada', '@', 'example.org')).toBe(true)
  expect(apart('ada', '@example', '.org')).toBe(true)
  expect(apart('ada.', 'lovelace@example.org')).toBe(true)
  expect(apart('https://shop.test/reset', '?abcdef')).toBe(true)
})

test('a token is found in one element, and words of several elements are none', () => {
  expect(together('9f86d081', '884c7d65', '9a2feaa0')).toBe(true)
  expect(together(...'9f86d081884c7d659a2f')).toBe(true)
  expect(together('WDCA-R', 'TML-WQ', '98-859', '4')).toBe(true)
  expect(together('ABCD-', '1234-', 'EFGH-', '5678')).toBe(true)
  expect(together('T-Shirts', 'Sneakers', '59', '90')).toBe(false)
  expect(together('Products', 'About', 'Contact', '2026')).toBe(false)
  expect(apart('iPhone15', 'S24', 'Pixel9', 'MacBookM3')).toBe(false)
})

test('codes of several elements are found, and sizes and storages are none', () => {
  expect(apart('Codes', 'a1b2c-3d4e5', 'f6g7h-8i9j0')).toBe(true)
  expect(apart('9f86d081', '884c7d65')).toBe(true)
  expect(apart('EU36', 'EU37', 'EU38', 'EU39', 'EU40')).toBe(false)
  expect(apart('128GB', '256GB', '512GB', '1024GB')).toBe(false)
})

test('a whole address beside words of other elements is no reason', () => {
  expect(apart('Contact', 'ada@example.org', 'Imprint')).toBe(false)
  expect(together('ada', 'lovelace@example.org')).toBe(true)
  expect(apart('Follow us', '@ada', 'www.example.org')).toBe(false)
})

test('pages, sizes, years and prices are no number together, and others are', () => {
  expect(apart('1', '2', '3', '4', '5', '6', '7')).toBe(false)
  expect(apart('92', '98', '104', '110', '116')).toBe(false)
  expect(apart('2023', '2024', '2025')).toBe(false)
  expect(apart('2', '59.90', '119.80')).toBe(false)
  expect(apart('1111', '2222', '3333', '4444')).toBe(true)
  expect(apart('01', '23', '45', '67', '89')).toBe(true)
  expect(apart('20', '31', '45', '67')).toBe(true)
  expect(apart('7', '1', '4', '2', '9', '3', '6')).toBe(true)
  expect(apart('86.48', '81.03')).toBe(true)
  expect(apart('0171', '23.45', '67.89')).toBe(true)
})
