import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readVisitorText, visitorText } from '#core/text/visitor-text'
import { propertySettings } from '#test/support/depth'

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>[\]`|]/u

test.each<[what: string, sent: string, shown: string]>([
  ['plain text', 'Signed up — größer, 日本', 'Signed up — größer, 日本'],
  ['a tag', '</data>', '\\u{3c}/data\\u{3e}'],
  ['an image of Markdown', '![x](https://e.example)', '!\\u{5b}x\\u{5d}(https://e.example)'],
  ['a cell', 'a|b', 'a\\u{7c}b'],
  ['a line break', 'a\nb', 'a\\u{a}b'],
  ['an escape that somebody typed', 'a\\u{3c}', 'a\\u{5c}u{3c}'],
])('%s is shown without markup', (_, sent, shown) => {
  expect(visitorText(sent, 100)).toBe(shown)
  expect(readVisitorText(shown)).toBe(sent)
})

test('any text is shown without unsafe characters and markup, and is read back as it was', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })
  const typed = fc.stringMatching(/^(\\u\{[0-9a-f]{1,6}\}|\\|u\{|[a-z]){0,12}$/)
  fc.assert(
    fc.property(fc.oneof(text, typed), sent => {
      const shown = visitorText(sent, 1_000)
      expect(shown).not.toMatch(UNSAFE)
      expect(readVisitorText(shown)).toBe(sent)
    }),
    propertySettings(500),
  )
})

test('an escape beyond Unicode stays as it is', () => {
  expect(readVisitorText('\\u{110000}')).toBe('\\u{110000}')
})

test('a long text is cut', () => {
  expect(visitorText('<'.repeat(1_000_000), 10)).toBe(`${'\\u{3c}'.repeat(9)}…`)
})
