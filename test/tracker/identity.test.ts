import { expect, test } from 'vitest'
import { type Entries, openNodePage } from './node-page.ts'

async function openPage(local: Entries | null = {}) {
  const { anonymousId, identifiedId, userId, ...page } = await openNodePage({ local })
  return { ...page, ids: () => [anonymousId(), identifiedId(), userId()] }
}

test('a random id is a prefix and up to 20 digits, different each time', async () => {
  const { randomId } = await openPage()
  const ids = Array.from({ length: 200 }, () => randomId('sess_'))
  for (const id of ids) expect(id).toMatch(/^sess_\d{8,20}$/)
  expect(new Set(ids).size).toBe(200)
})

test.each([[{}], [null]])('a user keeps the same anonymous id with the storage %j', async local => {
  const { ids } = await openPage(local)
  const [anonymous, identified, user] = ids()
  expect([anonymous, identified]).toEqual([expect.stringMatching(/^anon_\d{8,20}$/), null])
  expect(user).toBe(anonymous)
  expect(ids()).toEqual([anonymous, identified, user])
})

test('an identified user has both ids, and events carry the identified one', async () => {
  const { ids } = await openPage({ 'aa:t:uid': 'anon_1', 'aa:t:identified_uid': 'ada' })
  expect(ids()).toEqual(['anon_1', 'ada', 'ada'])
})
