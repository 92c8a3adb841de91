import { describe, expect, test } from 'vitest'
import { maskStyles } from '#replay/masking/styles'
import { sanitizeStyles } from '#replay/viewer/sanitize/sanitize-styles'

/** Characters. A quadratic time would be minutes. */
const LARGE = 400_000

const HOSTILE = [
  'url(',
  'url( ',
  'url("\\"',
  '"\\"',
  '\\"',
  "'\\'",
  '/*',
  ' ',
  '"',
  '\\',
  'content:"a',
  "content:'\\a",
  '@import ',
]

describe.each([true, false])('style sheets that mask texts: %s', masksText => {
  test.each(HOSTILE)('a style sheet of 400 KB of `%s` is read', piece => {
    const css = piece.repeat(LARGE / piece.length)
    expect(maskStyles(css, masksText).length).toBeLessThan(10 * LARGE)
    expect(maskStyles(`url("${css}`, masksText).length).toBeLessThan(10 * LARGE)
  })

  test.each([
    ['more than an upload takes', ' '.repeat(8_000_001)],
    ['escapes that no engine reads', `"${'\\"'.repeat(4_000_000)}`],
  ])('%s is left out', (_, css) => {
    expect(maskStyles(css, masksText)).toBe('')
  })
})

test.each(['\\aaaaaa', '\\a', 'a', '\\', `${'\\aaaaaa'.repeat(20)} `, 'u\\r', 'url('])(
  'the viewer reads a style sheet of 400 KB of `%s`',
  piece => {
    expect(sanitizeStyles(piece.repeat(LARGE / piece.length)).length).toBeLessThan(10 * LARGE)
  },
)

test.each([
  ['a{content:"for you"}', 'a{content:"••••• •••••"}'],
  [`a{content:"it's mine"}`, 'a{content:"••••• •••••"}'],
  [`a{content:'an "un" so'}`, "a{content:'••••• ••••• •••••'}"],
  ['a{content:"\\f101"}', 'a{content:"\\f101"}'],
  ['a{content:"›" "ab"}', 'a{content:"›" "•••••"}'],
])('with masked texts %s becomes %s', (css, masked) => {
  expect(maskStyles(css, true)).toBe(masked)
})

test.each([
  // CSS ends an open text at its line, and an open comment or address at the end of the sheet.
  ['a{x:"ann@example.com', 'a{x:"•••••"'],
  ['a{x:"ann@example.com\n}', 'a{x:"•••••"\n}'],
  ['a{}/* ann@example.com', 'a{}'],
  ['a{b:url(/x?token=1', 'a{b:url("/x?token=")'],
  ['a{b:url("/x?token=1', 'a{b:url("/x?token=")'],
  ['a{b:url( "/x?token=1" )}', 'a{b:url("/x?token=")}'],
  ["a{b:url('/x\\'y?token=1')}", 'a{b:url("/x\\\'y?token=")}'],
])('%j becomes %j', (css, masked) => {
  expect(maskStyles(css, false)).toBe(masked)
})
