import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { untar } from '#providers/chromium/untar'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-untar-'))
  folders.push(folder)
  return folder
}

function pack(folder: string, ...options: string[]): Buffer {
  return execFileSync('tar', ['-c', '-P', '-C', folder, ...options], { maxBuffer: 1e8 })
}

test('files and folders are as they were packed, with the right to run them', async () => {
  const [from, to] = [await makeFolder(), await makeFolder()]
  await mkdir(join(from, 'lib', 'empty'), { recursive: true })
  await writeFile(join(from, 'lib', 'run'), 'x'.repeat(1_025), { mode: 0o755 })
  await writeFile(join(from, 'nothing'), '', { mode: 0o644 })
  await untar(pack(from, '.'), to)
  expect((await readdir(to, { recursive: true })).toSorted()).toEqual([
    'lib',
    'lib/empty',
    'lib/run',
    'nothing',
  ])
  expect(await readFile(join(to, 'lib', 'run'), 'utf8')).toBe('x'.repeat(1_025))
  expect((await stat(join(to, 'lib', 'run'))).mode & 0o777).toBe(0o755)
})

test('an entry that leads out of the folder, and a link, are refused', async () => {
  const [from, to] = [await makeFolder(), await makeFolder()]
  await mkdir(join(from, 'inner'))
  await writeFile(join(from, 'outside'), 'x')
  await expect(untar(pack(join(from, 'inner'), '../outside'), join(to, 'inner'))).rejects.toThrow('outside')
  await symlink('/etc/passwd', join(from, 'inner', 'link'))
  await expect(untar(pack(join(from, 'inner'), 'link'), to)).rejects.toThrow('type 2')
  expect(await readdir(to)).toEqual([])
})
