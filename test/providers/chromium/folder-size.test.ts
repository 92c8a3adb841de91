import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderSize } from '#providers/chromium/folder-size'

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-folder-size-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('files of all folders below count, and each entry takes a block at least', async () => {
  const folder = await openFolder()
  expect(await folderSize(folder)).toBe(0)
  await mkdir(join(folder, 'a/b'), { recursive: true })
  await writeFile(join(folder, 'a/b/c'), Buffer.alloc(1_000_000, 1))
  for (let i = 0; i < 100; i++) await writeFile(join(folder, 'a', String(i)), '')
  const size = await folderSize(folder)
  expect(size).toBeGreaterThanOrEqual(1_000_000 + 100 * 4_096)
  expect(size).toBeLessThan(2_000_000)
})

test('holes, and what a link leads to, do not count', async () => {
  const folder = await openFolder()
  await writeFile(join(folder, 'holes'), '')
  await truncate(join(folder, 'holes'), 1_000_000_000)
  await symlink('/', join(folder, 'root'))
  expect(await folderSize(folder)).toBe(2 * 4_096)
})

test('it stops to count beyond the bound', async () => {
  const folder = await openFolder()
  for (let i = 0; i < 100; i++) await writeFile(join(folder, String(i)), '')
  expect(await folderSize(folder, 10 * 4_096)).toBe(11 * 4_096)
})

test('a folder that does not exist takes nothing', async () => {
  expect(await folderSize(join(await openFolder(), 'nowhere'))).toBe(0)
})
