import { expect, test } from 'vitest'
import { MASK, maskWords, redactIdentifiers, redactPatterns } from '#replay/masking/patterns'

test.each([
  ['write to Ada.Lovelace+x@mail.example.org, please', `write to ${MASK}, please`],
  ['ada%40example.org', MASK],
  ['用户@例子.公司', MASK],
  ['card 4111 1111 1111 1111', `card ${MASK}`],
  ['4111-1111-1111-1111', MASK],
  ['4111\u200b1111\u200b1111\u200b1111', MASK],
  ['٤١١١١١١١١١١١١١١١', MASK],
  ['+49 (30) 123-4567', `+${MASK}`],
  ['call 0171.2345678 now', `call ${MASK} now`],
  ['IBAN DE89 3704 0044 0532 0130 00', `IBAN ${MASK}`],
  ['iban gb82west12345698765432', `iban ${MASK}`],
  ['SSN 123-45-6789', `SSN ${MASK}`],
  ['from 192.168.100.200', `from ${MASK}`],
  ['key sk_live_abcdefghijkl', `key ${MASK}`],
  ['AKIAABCDEFGHIJKLMNOP', MASK],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc', MASK],
  ['id 9f86d081884c7d659a2feaa0c55ad015', `id ${MASK}`],
  ['session-abcdefgh12345678', MASK],
  ['AbcdefghijklMnopqrstuvwX', MASK],
  ['password: hunter2', `password: ${MASK}`],
  ['{"token": "two words"}', `{"token": ${MASK}}`],
  ['PIN = 1234', `PIN = ${MASK}`],
  ['Authorization: Bearer abc.def', `Authorization: ${MASK}`],
  ['Correct-Horse-Battery', 'Correct-Horse-Battery'],
  ['correct-horse-battery-7', MASK],
  ['Abcde-1234-Fghij-5678', MASK],
  ['ABCD-EFGH-IJKL-1234', MASK],
  ['A1B2-C3D4-E5F6-G7H8', MASK],
  ['550e8400-e29b-41d4-a716-446655440000', MASK],
  ['日本ABCDEF1234567890', `日本${MASK}`],
  ['Authorization: abc', `Authorization: ${MASK}`],
  ['1.299.000', MASK],
  ['4111.111.111.111.111 €', `${MASK} €`],
  ['0171.234.567 €', `${MASK} €`],
  ['01.02.2003.04.05', MASK],
  ['(030) 2019-2026', `(${MASK}`],
  ['+2019-2026', `+${MASK}`],
  ['see https://shop.test/a/b?card=42&x=1#z', `see https://shop.test/a/b?${MASK}`],
])('%j becomes %j', (text, redacted) => {
  expect(redactPatterns(text)).toBe(redacted)
})

test.each([
  'Blue shoes, size 42, 59.90 €',
  'Opened on 2026-11-23 at 12:30, 1,234 visits',
  '2026-11-23 12:30:45',
  '23.11.2026-30.11.2026, 9.00–18.30',
  '© 2019–2026',
  '1.299.000,00 €, $ 2.450.000 or 1 299 000.00 CHF',
  'Author: Jane Austen',
  '3-in-1-Ladestation',
  'logo@2x.png',
  'vue@3.5.1 and @ada',
  'Donaudampfschifffahrtsgesellschaft',
  'Please choose a keyword.',
  'https://shop.test/shoes/red',
  '',
])('%j, which is no secret, stays', text => {
  expect(redactPatterns(text)).toBe(text)
})

test('names of classes and files keep long runs, and lose addresses and numbers', () => {
  expect(redactIdentifiers('css-1q2w3e4r5t6y7u8i9o main')).toBe('css-1q2w3e4r5t6y7u8i9o main')
  expect(redactIdentifiers('user-ada@example.org card-4111111111111111')).toBe(`${MASK} card-${MASK}`)
})

test('every word of a masked text has the same length, and white space stays', () => {
  expect(maskWords(' a longer\n text ')).toBe(` ${MASK} ${MASK}\n ${MASK} `)
})

test('a text that is made to be slow, and a very long one, take a bounded time', () => {
  for (const part of ['@', 'a', 'a@', '1 ', '1', 'key:', '"', 'bearer ', '/', '%40', '-', 'GB00', 'a1_']) {
    const before = process.cpuUsage()
    redactPatterns(part.repeat(60_000))
    const { user, system } = process.cpuUsage(before)
    // A quadratic search would take minutes of the processor.
    expect((user + system) / 1e6).toBeLessThan(20)
  }
  expect(redactPatterns('x'.repeat(200_001))).toBe(MASK)
})
