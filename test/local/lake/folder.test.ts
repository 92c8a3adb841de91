import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolderLake, deleteUnfinished } from '#local/lake/folder'
import { lakeContract } from '#test/contract/lake'

const createFolder = () => mkdtempSync(join(tmpdir(), 'footfall-lake-'))

lakeContract('a folder', async () => createFolderLake(createFolder()))

test('an unfinished file of a crashed process is not listed, and the next start deletes it', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  await lake.put('hot/epoch=1/a', new Uint8Array(3))
  writeFileSync(join(folder, 'hot/epoch=1/b.123-0.unfinished'), 'half')
  expect((await lake.list('hot/')).map(object => object.key)).toEqual(['hot/epoch=1/a'])
  await deleteUnfinished(folder)
  expect(readdirSync(join(folder, 'hot/epoch=1'))).toEqual(['a'])
})

test('a partition is deleted with its last file, and can be written again', async () => {
  const folder = createFolder()
  const lake = createFolderLake(folder)
  await lake.put('hot/epoch=1/a', new Uint8Array(3))
  await lake.delete(['hot/epoch=1/a'])
  expect(readdirSync(folder)).toEqual([])
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
  expect(readdirSync(folder)).toEqual(['hot'])
})

test('a key that leads out of the folder is refused', async () => {
  await expect(createFolderLake(createFolder()).get('../secret')).rejects.toThrow('Not a key of the lake')
})
