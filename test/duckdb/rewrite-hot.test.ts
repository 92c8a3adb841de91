import { expect, test } from 'vitest'
import { userHash } from '#core/lake/erase/tombstones'
import type { Lake } from '#core/ports'
import { writeBatch } from '#test/support/add-erasure'
import { openCompactorLake, request, START } from '#test/support/compactor-lake'
import { withoutColumns } from '#test/support/old-files'

/** A lake that notes the keys of hot files that are read as a whole, and of those that are written. */
async function openNotedLake() {
  const read: string[] = []
  const written: string[] = []
  const noted = (lake: Lake): Lake => ({
    ...lake,
    get(key, last) {
      if (key.startsWith('hot/') && last === undefined) read.push(key)
      return lake.get(key, last)
    },
    put(key, bytes) {
      if (key.startsWith('hot/')) written.push(key)
      return lake.put(key, bytes)
    },
  })
  const opened = await openCompactorLake({}, noted)
  /** Writes a hot file with events of these users, as long as `project` does not say another one. */
  const store = async (users: string[], project = 'proj_1') => {
    const events = users.map(user_id => ({ user_id, event: `by ${user_id}` }))
    const { key } = await opened.writeHot(1, [request({ project, events })])
    return key
  }
  const erase = async (users: string[] | null, project_id = 'proj_1') => {
    const hashes = users?.map(userHash) ?? null
    const batch = await writeBatch(opened.lake, { project_id, users: hashes, until: START })
    const keys = await opened.keys('hot/')
    read.length = 0
    written.length = 0
    const files = await opened.compactor.rewriteHot({ keys, buckets: [{ bucket: 7, tombstones: [batch] }] })
    expect(files).toBe(written.length)
    return { read: read.splice(0), written: written.splice(0) }
  }
  return { ...opened, store, erase }
}

test('an erasure reads and writes the hot files of the person, and of nobody else', async () => {
  const { store, erase, keys } = await openNotedLake()
  const ofAnna = await store(['anna', 'bert'])
  for (let i = 0; i < 5; i++) await store(['bert', `user ${i}`])
  await store(['anna'], 'proj_2')
  expect(await erase(['anna'])).toEqual({ read: [ofAnna], written: [ofAnna] })
  expect(await keys('hot/')).toHaveLength(7)
})

test('a file that was written anew says whose events it still has', async () => {
  const { store, erase } = await openNotedLake()
  const file = await store(['anna', 'bert'])
  await erase(['anna'])
  expect(await erase(['anna'])).toEqual({ read: [], written: [] })
  expect(await erase(['bert'])).toEqual({ read: [file], written: [file] })
  expect(await erase(null)).toEqual({ read: [], written: [] })
})

test('an erasure of a project takes the files of all its users, and of those without one', async () => {
  const { store, erase } = await openNotedLake()
  const files = [await store(['anna']), await store(['bert'])]
  await store(['carl'], 'proj_2')
  expect(await erase(null)).toEqual({ read: files, written: files })
})

test('a hot file whose end is damaged is read as a whole', async () => {
  const { lake, store, erase } = await openNotedLake()
  const files: string[] = []
  for (const before of [4, 8, 12]) {
    const key = await store(['anna'])
    const bytes = Buffer.from((await lake.get(key)) as Uint8Array)
    bytes.writeUInt8(0xff, bytes.lastIndexOf('FFU1') - before + 3)
    await lake.put(key, bytes)
    files.push(key)
  }
  expect((await erase(['anna'])).read.toSorted()).toEqual(files)
})

test('a hot file of a version before these ends is read as a whole', async () => {
  const { lake, store, erase } = await openNotedLake()
  const files = [await store(['anna']), await store(['bert'])]
  for (const key of files)
    await lake.put(key, await withoutColumns(key, (await lake.get(key)) as Uint8Array, ['lag_ms']))
  const { read, written } = await erase(['anna'])
  expect([read, written]).toEqual([files, files.slice(0, 1)])
})

test('events of the person that arrived after the erasure stay', async () => {
  const { lake, store, erase, keys, compactor } = await openNotedLake()
  const file = await store(['anna'])
  const batch = await writeBatch(lake, {
    project_id: 'proj_1',
    users: [userHash('anna')],
    until: START - 1,
  })
  const job = { keys: await keys('hot/'), buckets: [{ bucket: 7, tombstones: [batch] }] }
  expect(await compactor.rewriteHot(job)).toBe(0)
  expect((await erase(['anna'])).written).toEqual([file])
})

test('a file that was deleted since it was listed is left out', async () => {
  const { lake, store, compactor, keys } = await openNotedLake()
  const gone = await store(['anna'])
  await store(['anna'])
  const listed = await keys('hot/')
  await lake.delete([gone])
  const batch = await writeBatch(lake, { project_id: 'proj_1', users: [userHash('anna')], until: START })
  expect(await compactor.rewriteHot({ keys: listed, buckets: [{ bucket: 7, tombstones: [batch] }] })).toBe(1)
})
