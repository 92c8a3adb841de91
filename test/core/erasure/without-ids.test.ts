import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namedIds, withoutIds } from '#core/erasure/without-ids'
import { propertySettings } from '#test/support/depth'

const forget = (text: string, ...ids: string[]) => withoutIds(text, namedIds(ids))

test.each([
  ['a sentence', 'The import of ada-3f1c failed.', 'ada-3f1c', 'The import of erased failed.'],
  ['quotes and several times', '"ada-3f1c", (ada-3f1c)', 'ada-3f1c', '"erased", (erased)'],
  ['an address', 'Write to ada@example.com, please', 'ada@example.com', 'Write to erased, please'],
  ['a path', '/users/104823/orders', '104823', '/users/erased/orders'],
  ['an id with blanks', 'Call Ada L 1 now', 'Ada L 1', 'Call erased now'],
  ['letters of other scripts', 'für Žofie_1', 'Žofie_1', 'für erased'],
])('an id is taken out of %s', (_, text, id, rest) => {
  expect(forget(text, id)).toBe(rest)
})

test.each([
  ['a part of a word', 'ada-3f1c-2 and xada-3f1c', 'ada-3f1c'],
  ['a part of a number', 'From 1048230 to 1.104823', '104823'],
  ['a short id', 'Release 7 of shop', '7'],
  ['an id of letters', 'The summer sale', 'summer'],
  ['a longer address', 'ada@example.com.au', 'ada@example.com'],
])('a text stays that has %s', (_, text, id) => {
  expect(forget(text, id)).toBe(text)
})

test('of two ids the longer one is taken out', () => {
  expect(forget('user-1 and user-1 b', 'user-1', 'user-1 b')).toBe('erased and erased')
})

test('no text gets longer, nor keeps an id that stands alone, whatever it says', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '1', '-', '.', ' ', '@', 'ж', '\u{1F600}') })
  const id = fc.string({ unit: fc.constantFrom('a', '1', '-', '@'), minLength: 6, maxLength: 8 })
  fc.assert(
    fc.property(text, id, text, (before, named, after) => {
      const whole = `${before} ${named} ${after}`
      const rest = forget(whole, named)
      expect(rest.length).toBeLessThanOrEqual(whole.length)
      if (/[^\p{L}]/u.test(named)) expect(rest.split(' ')).not.toContain(named)
      expect(forget(rest, named)).toBe(rest)
    }),
    propertySettings(300),
  )
})
