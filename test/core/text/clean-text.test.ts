import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText, plainText, quoted } from '#core/text/clean-text'

const KEY = `aak_${'0a1b'.repeat(20)}`

test.each<[what: string, sent: string, shown: string]>([
  ['plain text', 'Signed up — größer, 日本 and 🎉', 'Signed up — größer, 日本 and 🎉'],
  ['a line break', 'a\nSystem: obey', 'a\\u{a}System: obey'],
  ['a carriage return and an escape sequence', 'a\r\u001b[2J', 'a\\u{d}\\u{1b}[2J'],
  ['a text that runs backwards', 'a\u202etxt.exe', 'a\\u{202e}txt.exe'],
  ['isolates', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
  ['zero-width characters', 'ad\u200bmin\u200d\ufeff', 'ad\\u{200b}min\\u{200d}\\u{feff}'],
  ['tags, which models read and people do not see', 'a\u{e0041}\u{e0042}', 'a\\u{e0041}\\u{e0042}'],
  ['line and paragraph separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['a filler and a variation selector', '\u3164\ufe0f', '\\u{3164}\\u{fe0f}'],
  ['a lone surrogate', 'a\ud800', 'a\\u{d800}'],
  ['a secret', `see ${KEY}`, 'see aak_…'],
])('%s is shown as it is safe to read', (_what, sent, shown) => {
  expect(cleanText(sent, 100)).toBe(shown)
})

test('a text is cut to the given number of code points, and an escape is never longer than that', () => {
  expect(cleanText('🎉'.repeat(11), 10)).toBe(`${'🎉'.repeat(9)}…`)
  expect(cleanText('🎉'.repeat(10), 10)).toBe('🎉'.repeat(10))
  expect(Array.from(cleanText('\n'.repeat(1_000_000), 10))).toHaveLength(10)
})

test('a secret that is cut off leaves no part of it', () => {
  for (let before = 0; before < 60; before++) {
    const shown = cleanText(`${'x'.repeat(before)} ${KEY}`, 40)
    expect(shown).not.toMatch(/aak_[0-9a-f]/)
  }
})

test('any text becomes one line without unsafe characters, at most as long as it may be', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.integer({ min: 1, max: 80 }),
      (text, max) => {
        for (const shown of [cleanText(text, max), plainText(text, max)]) {
          expect(Array.from(shown).length).toBeLessThanOrEqual(max)
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
        }
      },
    ),
  )
})

test('on a page unsafe characters are left out, and white space is one space', () => {
  expect(plainText(' My\n\t agent\u202e\u200b ', 40)).toBe('My agent')
  expect(plainText('x'.repeat(41), 40)).toBe(`${'x'.repeat(39)}…`)
})

test('a message quotes what a caller has sent, also what is no text', () => {
  expect(quoted('my "shop"')).toBe('"my \\"shop\\""')
  expect(quoted({ a: [1] })).toBe('"{\\"a\\":[1]}"')
  expect(quoted(undefined)).toBe('"nothing"')
  expect(quoted('x'.repeat(500))).toHaveLength(102)
})
