import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolderLake, deleteDays, deleteUnfinished } from '#local/lake/folder'
import { lakeContract } from '#test/contract/lake'

const createFolder = () => mkdtempSync(join(tmpdir(), 'footfall-lake-'))

lakeContract('a folder', async () => createFolderLake(createFolder()))

test('an unfinished file of a crashed process is not listed, and the next start deletes it', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  await lake.put('hot/epoch=1/a', new Uint8Array(3))
  writeFileSync(join(folder, '.unfinished/1'), 'half')
  // As an older version wrote it.
  writeFileSync(join(folder, 'hot/epoch=1/b.123-0.unfinished'), 'half')
  for (const prefix of ['', 'hot/']) {
    expect((await lake.list(prefix)).map(object => object.key)).toEqual(['hot/epoch=1/a'])
  }
  await deleteUnfinished(folder)
  expect(readdirSync(folder)).toEqual(['hot'])
})

test('a start reads no folder of objects, except the first one after an older version', async () => {
  const folder = createFolder()
  mkdirSync(join(folder, 'replays/2026-11-01'), { recursive: true })
  const old = join(folder, 'replays/2026-11-01/a.123-0.unfinished')
  writeFileSync(old, 'half')
  await deleteUnfinished(folder)
  expect(existsSync(old)).toBe(false)
  createFolderLake(folder)
  writeFileSync(old, 'of a copy')
  await deleteUnfinished(folder)
  expect(existsSync(old)).toBe(true)
})

test('only the folders of days before the given one are deleted', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  const kept = ['hot/epoch=1/a', 'replays/2026-10-30/b/0', 'replays/2026-11-29/c/0', 'replays/notes/d/0']
  const old = ['replays/2025-12-31/e/0', 'replays/2026-10-29/f/0', 'replays/2026-10-29/g/1']
  for (const key of [...kept, ...old]) await lake.put(key, new Uint8Array(1))
  await deleteDays(folder, 'replays/', '2026-10-30')
  expect((await lake.list('')).map(({ key }) => key)).toEqual(kept)
  await deleteDays(folder, 'replays/', '2026-10-30')
  await deleteDays(folder, 'nothing/', '2026-10-30')
})

test('a partition is deleted with its last file, and can be written again', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  await lake.put('hot/epoch=1/a', new Uint8Array(3))
  await lake.delete(['hot/epoch=1/a'])
  expect(readdirSync(folder)).toEqual(['.unfinished'])
  await lake.put('hot/epoch=1/a', new Uint8Array(3))
  expect(await lake.list('hot/')).toHaveLength(1)
})

test('a write that the disk refuses rejects with UNAVAILABLE and Retry-After, and leaves no file', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  writeFileSync(join(folder, 'hot'), 'a file where a folder should be')
  await expect(lake.put('hot/epoch=1/a', new Uint8Array(3))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    // The path is the operator's.
    message: 'The lake cannot be written now. Try again later.',
    extras: { retryAfter: expect.any(Number) },
  })
  expect(readdirSync(folder)).toEqual(['.unfinished', 'hot'])
  expect(readdirSync(join(folder, '.unfinished'))).toEqual([])
})

test('a key that leads out of the folder is refused', async () => {
  await expect(createFolderLake(createFolder()).get('../secret')).rejects.toThrow('Not a key of the lake')
})
