import { expect, test } from 'vitest'
import { sanitizeAttribute } from '#replay/viewer/sanitize/sanitize-attributes'
import { nothingLeftOut } from '#replay/viewer/sanitize/sanitize-styles'

const styleOf = (value: string) => sanitizeAttribute('p', 'style', value, nothingLeftOut())

test.each([';', 'a:b;', '/* ', 'a:";"', ';/*'])(
  'a style of 2 MB of `%s`, which the player would split for minutes, is left out',
  piece => {
    expect(styleOf(piece.repeat(Math.floor(2_000_000 / piece.length)))).toBeUndefined()
  },
)

test('styles of real elements stay: many declarations, and a long image', () => {
  const many = '--a-variable: 12px;'.repeat(200)
  expect(styleOf(many)).toBe(many)
  const image = `color: red; background: url("data:image/png;base64,${'A'.repeat(200_000)}")`
  expect(styleOf(image)).toBe(image)
})
