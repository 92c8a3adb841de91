import { describe, expect, test } from 'vitest'
import { type Entries, openNodePage } from './node-page.ts'

test('the key of a value has the percent-encoded token, so two projects on a page do not share values', async () => {
  const local: Entries = {}
  const { write } = await openNodePage({ local, dataset: { token: 'a:b/ü' } })
  write('uid', '1')
  expect(local).toEqual({ 'aa:a%3Ab%2F%C3%BC:uid': '1' })
})

test('without a token, the key has the name of the project', async () => {
  const local: Entries = {}
  const { write } = await openNodePage({ local, dataset: { project: 'shop' } })
  write('uid', '1')
  expect(local).toEqual({ 'aa:shop:uid': '1' })
})

test('values of the browser session are kept apart from those of the user', async () => {
  const [local, tab]: Entries[] = [{}, {}]
  const { write } = await openNodePage({ local: local!, tab: tab! })
  for (const name of ['uid', 'identified_uid', 'consent', 'ft', 'sc', 'fv']) write(name, '1')
  for (const name of ['utm', 'sid', 'last_activity']) write(name, '1')
  expect(Object.keys(local!)).toEqual([
    'aa:t:uid',
    'aa:t:identified_uid',
    'aa:t:consent',
    'aa:t:ft',
    'aa:t:sc',
    'aa:t:fv',
  ])
  expect(Object.keys(tab!)).toEqual(['aa:t:utm', 'aa:t:sid', 'aa:t:last_activity'])
})

test('values under old keys, which name no project, are not read', async () => {
  const { read } = await openNodePage({ local: { uid: 'anon_1', aa_uid: 'anon_1', 'aa:uid': 'anon_1' } })
  expect(read('uid')).toBeUndefined()
})

test('memory replaces a storage that throws', async () => {
  const { read, write } = await openNodePage({ local: null })
  expect(read('uid')).toBeUndefined()
  write('uid', '1')
  expect(read('uid')).toBe('1')
})

test('values that do not fit into a full storage are read from memory', async () => {
  const { read, write } = await openNodePage({ tab: Object.freeze({ 'aa:t:sid': 'old' }) })
  expect(read('sid')).toBe('old')
  write('sid', 'new')
  expect(read('sid')).toBe('new')
})

describe('consent', () => {
  const required = { token: 't', requireConsent: 'true' }

  test('that is missing keeps new values in memory, and storing it stores them', async () => {
    const local: Entries = {}
    const { isHeld, read, write, storeConsent } = await openNodePage({ local, dataset: required })
    write('uid', '1')
    expect([!!isHeld(), read('uid'), local]).toEqual([true, '1', {}])
    storeConsent()
    expect([!!isHeld(), local]).toEqual([false, { 'aa:t:uid': '1', 'aa:t:consent': 'granted' }])
  })

  test('of an earlier page counts', async () => {
    const { isHeld } = await openNodePage({ local: { 'aa:t:consent': 'granted' }, dataset: required })
    expect(!!isHeld()).toBe(false)
  })

  test('is needed from `requireConsent` on, and one of an earlier page counts there too', async () => {
    for (const [local, held] of [
      [{}, true],
      [{ 'aa:t:consent': 'granted' }, false],
    ] as const) {
      const { isHeld, requireConsent } = await openNodePage({ local: { ...local } })
      expect(!!isHeld()).toBe(false)
      requireConsent()
      expect(!!isHeld()).toBe(held)
    }
  })

  test('that cannot be removed from the storage counts as removed', async () => {
    const { isHeld, write } = await openNodePage({
      local: Object.freeze({ 'aa:t:consent': 'granted' }),
      dataset: required,
    })
    expect(!!isHeld()).toBe(false)
    write('consent', null)
    expect(!!isHeld()).toBe(true)
  })
})

describe('an opt-out', () => {
  const isDisabled = async (local: Entries | null) => (await openNodePage({ local })).hasOptedOut()

  test('is the text true in `disabled` for the project, or in `aa_disabled` for all projects', async () => {
    expect(await isDisabled({ 'aa:t:disabled': 'true' })).toBe(true)
    expect(await isDisabled({ aa_disabled: 'true' })).toBe(true)
  })

  test('is not set by default, by other texts, or by another project', async () => {
    const others: Entries[] = [
      {},
      { aa_disabled: 'false' },
      { aa_disabled: '1' },
      { 'aa:other:disabled': 'true' },
    ]
    for (const entries of others) expect(await isDisabled(entries)).toBe(false)
  })

  test('can be a variable of the page', async () => {
    const page = globalThis as { aa_disabled?: unknown }
    page.aa_disabled = true
    try {
      expect(await isDisabled(null)).toBe(true)
    } finally {
      delete page.aa_disabled
    }
  })

  test('is not set when the storage is blocked', async () => {
    expect(await isDisabled(null)).toBeFalsy()
  })
})
