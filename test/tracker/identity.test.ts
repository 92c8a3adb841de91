import { expect, test } from 'vitest'
import { randomId, readIdentity } from '../../tracker/identity.ts'
import { openStore } from '../../tracker/storage.ts'
import { memoryStorage } from './memory-storage.ts'

const storeOf = (entries: Record<string, string>) => {
  const storage = memoryStorage(entries)
  return openStore(() => storage, 't')
}

test('a random id is a prefix and 16 base36 characters, different each time', () => {
  const ids = Array.from({ length: 200 }, () => randomId('sess'))
  for (const id of ids) expect(id).toMatch(/^sess_[0-9a-z]{16}$/)
  expect(new Set(ids).size).toBe(200)
  expect(new Set(ids.join('').replaceAll('sess_', '')).size).toBe(36)
})

test('a user keeps the same anonymous id', () => {
  const store = storeOf({})
  const first = readIdentity(store)
  expect(first).toEqual({ anonymousId: expect.stringMatching(/^anon_[0-9a-z]{16}$/), userId: null })
  expect(readIdentity(store)).toEqual(first)
})

test('an identified user has both ids', () => {
  expect(readIdentity(storeOf({ 'aa:t:uid': 'anon_1', 'aa:t:identified_uid': 'ada' }))).toEqual({
    anonymousId: 'anon_1',
    userId: 'ada',
  })
})

test('a stored id that is too long is replaced', () => {
  const store = storeOf({ 'aa:t:uid': 'x'.repeat(257), 'aa:t:identified_uid': '' })
  expect(readIdentity(store)).toEqual({ anonymousId: expect.stringMatching(/^anon_/), userId: null })
})
