import { describe, expect, test } from 'vitest'
import { isDisabled, openStore } from '../../tracker/storage.ts'
import { blockedStorage, memoryStorage } from './memory-storage.ts'

test('a value is kept under the token, percent-encoded, so that two projects on a page do not meet', () => {
  const storage = memoryStorage()
  openStore(() => storage, 'a:b/ü').set('uid', '1')
  expect([...storage.entries]).toEqual([['aa:a%3Ab%2F%C3%BC:uid', '1']])
})

test('a storage that throws is replaced by memory', () => {
  const store = openStore(blockedStorage, 't')
  expect(store.get('uid')).toBeNull()
  store.set('uid', '1')
  expect(store.get('uid')).toBe('1')
})

test('a storage that is full but readable gives what could not be kept from memory', () => {
  const storage = memoryStorage({ 'aa:t:sid': 'old' })
  const full = { ...storage, setItem: blockedStorage }
  const store = openStore(() => full, 't')
  expect(store.get('sid')).toBe('old')
  store.set('sid', 'new')
  expect(store.get('sid')).toBe('new')
})

describe('an opt-out', () => {
  const disabled = (entries: Record<string, string>) => {
    const storage = memoryStorage(entries)
    return isDisabled(
      openStore(() => storage, 't'),
      () => storage,
    )
  }

  test('holds for the project by `disabled`, and for the site by `aa_disabled`', () => {
    expect(disabled({ 'aa:t:disabled': 'true' })).toBe(true)
    expect(disabled({ aa_disabled: 'true' })).toBe(true)
    expect(disabled({ aa_disabled: '1' })).toBe(true)
  })

  test('is not there by default, by the word false, or by that of another project', () => {
    expect(disabled({})).toBe(false)
    expect(disabled({ aa_disabled: 'false' })).toBe(false)
    expect(disabled({ 'aa:other:disabled': 'true' })).toBe(false)
  })

  test('cannot be known where the storage is blocked', () => {
    expect(isDisabled(openStore(blockedStorage, 't'), blockedStorage)).toBe(false)
  })
})
