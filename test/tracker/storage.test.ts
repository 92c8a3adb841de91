import { describe, expect, test } from 'vitest'
import { isDisabled, openStore } from '../../tracker/storage.ts'
import { blockedStorage, memoryStorage } from './memory-storage.ts'

test('the key of a value has the percent-encoded token, so two projects on a page do not share values', () => {
  const storage = memoryStorage()
  openStore(() => storage, 'a:b/ü').set('uid', '1')
  expect([...storage.entries]).toEqual([['aa:a%3Ab%2F%C3%BC:uid', '1']])
})

test('memory replaces a storage that throws', () => {
  const store = openStore(blockedStorage, 't')
  expect(store.get('uid')).toBeNull()
  store.set('uid', '1')
  expect(store.get('uid')).toBe('1')
})

test('values that do not fit into a full storage are read from memory', () => {
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

  test('is `disabled` for the project, or `aa_disabled` for the whole site', () => {
    expect(disabled({ 'aa:t:disabled': 'true' })).toBe(true)
    expect(disabled({ aa_disabled: 'true' })).toBe(true)
    expect(disabled({ aa_disabled: '1' })).toBe(true)
  })

  test('is not set by default, by the text false, or by another project', () => {
    expect(disabled({})).toBe(false)
    expect(disabled({ aa_disabled: 'false' })).toBe(false)
    expect(disabled({ 'aa:other:disabled': 'true' })).toBe(false)
  })

  test('is not set when the storage is blocked', () => {
    expect(isDisabled(openStore(blockedStorage, 't'), blockedStorage)).toBe(false)
  })
})
