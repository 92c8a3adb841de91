import { expect, test } from 'vitest'
import { KNOWN_SOURCES } from '#core/reports/sources/known-sources'
import { sourceName } from '#dashboard/source-names'

test('every source that the service knows is shown with capitals, and it is the same word', () => {
  const names = new Set(KNOWN_SOURCES.filter(({ kind }) => kind !== 'payment').map(({ name }) => name))
  expect(names.size).toBeGreaterThan(80)
  for (const name of names) {
    const shown = sourceName(name)
    expect(shown, name).not.toBe(name)
    const bare = shown.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
    expect(bare.replaceAll(' ', '')).toBe(name.replaceAll(' ', ''))
  }
})

test('a source that a link of the site has named stays as it is, with its hidden letters shown', () => {
  expect(sourceName('spring-mail')).toBe('spring-mail')
  expect(sourceName('constructor')).toBe('constructor')
  expect(sourceName('a\u202eb')).toBe(String.raw`a\u{202e}b`)
})
