import { expect, test } from 'vitest'
import { DEFAULT_RETURN_PATH, safeReturnPath } from '#core/access/return-path'

test.each(['/', '/settings/sessions', '/agent-sessions/authorize/req_1?x=1&y=%20'])('%s is kept', path => {
  expect(safeReturnPath(path)).toBe(path)
})

test.each([
  undefined,
  '',
  'settings',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/a\\b',
  '/a\nb',
  'javascript:alert(1)',
  `/${'a'.repeat(600)}`,
])('%j leads to the default page', path => {
  expect(safeReturnPath(path)).toBe(DEFAULT_RETURN_PATH)
})
