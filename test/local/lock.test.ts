import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderError, lockFolder } from '#local/lock'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a folder that does not exist is made', () => {
  const lock = lockFolder(join(folder, 'a', 'b'))
  expect(() => lockFolder(join(folder, 'a', 'b'))).toThrow(FolderError)
  lock.release()
})

test('a second lock on the same folder is refused by name, until the first is released', () => {
  const first = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`another Footfall service runs on ${folder}`)
  first.release()
  lockFolder(folder).release()
})

test('a process that is killed leaves the folder free', () => {
  const script = `import { lockFolder } from '#local/lock'
    lockFolder(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL')`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: process.cwd() })
  expect(child.signal).toBe('SIGKILL')
  lockFolder(folder).release()
})

test('a path that cannot be a folder is refused by name', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => lockFolder(join(file, 'data'))).toThrow(
    `the data folder ${join(file, 'data')} cannot be written`,
  )
})

test('a folder that the system does not let be made is refused by name', () => {
  expect(() => lockFolder('/proc/footfall/data')).toThrow(
    'the data folder /proc/footfall/data cannot be written',
  )
})

test('a lock file that is not ours to read is refused and left as it is', () => {
  writeFileSync(join(folder, 'lock'), 'something else, and longer than a header '.repeat(10))
  expect(() => lockFolder(folder)).toThrow(FolderError)
})
