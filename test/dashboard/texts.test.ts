import { expect, test } from 'vitest'
import { escapedText } from '#core/text/clean-text'
import { eventLabel, pathLabel, valueLabel, visible } from '#dashboard/texts'

/** Texts of visitors as the dashboard shows them. */

test('a path is shown in the letters of its language, and one that cannot be decoded as it is', () => {
  expect(pathLabel('/%C3%BCber-uns')).toBe('/über-uns')
  expect(pathLabel(`/${encodeURIComponent('مدونة')}`)).toBe('/مدونة')
  expect(pathLabel('/100%')).toBe('/100%')
})

test('two different paths never look the same: what separates the parts of an address stays encoded', () => {
  expect(pathLabel('/a%2Fb%3Fc')).toBe('/a%2Fb%3Fc')
})

test('a path, a value and a name that are empty or missing have a name', () => {
  expect([pathLabel(''), pathLabel(null), valueLabel(''), valueLabel(null)]).toEqual([
    '(empty path)',
    '(no page)',
    '(empty)',
    '(not set)',
  ])
  expect([eventLabel(''), eventLabel('page_view'), eventLabel('constructor')]).toEqual([
    '(empty)',
    'Page view',
    'constructor',
  ])
})

test('letters that turn the order of others, or do not show, are escapes as in the command line, also when they came encoded', () => {
  const hostile = '/pay\u202eexe\u200b\u2066x\u0000'
  expect(visible(hostile)).toBe('/pay\\u{202e}exe\\u{200b}\\u{2066}x\\u{0}')
  expect(visible(hostile)).toBe(escapedText(hostile))
  expect(pathLabel('/pay%E2%80%AEexe')).toBe('/pay\\u{202e}exe')
})
