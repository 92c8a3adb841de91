import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderError, isOpenToOthers, lockFolder } from '#local/lock'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a folder that does not exist is created', () => {
  const lock = lockFolder(join(folder, 'a', 'b'))
  for (const created of ['a', 'a/b']) expect(statSync(join(folder, created)).mode & 0o777).toBe(0o700)
  expect(() => lockFolder(join(folder, 'a', 'b'))).toThrow(FolderError)
  lock.release()
})

test('a second lock on a folder is refused until the first is released', () => {
  const first = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`Another Footfall service uses ${folder}.`)
  first.release()
  lockFolder(folder).release()
})

test('a killed process leaves no lock', () => {
  const script = `import { lockFolder } from '#local/lock'
    lockFolder(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL')`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: process.cwd() })
  expect(child.signal).toBe('SIGKILL')
  lockFolder(folder).release()
})

test('a path below a file is refused with its name', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => lockFolder(join(file, 'data'))).toThrow(
    `The data folder ${join(file, 'data')} cannot be written`,
  )
})

test('a folder that may not be written is refused with its name', () => {
  // Root may write to any folder, so the test uses /proc for root.
  const readOnly = process.getuid?.() === 0 ? '/proc' : folder
  if (readOnly !== '/proc') chmodSync(readOnly, 0o555)
  expect(() => lockFolder(readOnly)).toThrow(`The data folder ${readOnly} cannot be written`)
})

test('a folder that the system does not create is refused with its name', () => {
  expect(() => lockFolder('/proc/footfall/data')).toThrow(
    'The data folder /proc/footfall/data cannot be written',
  )
})

test('a lock file with other content is refused and not changed', () => {
  const content = 'something else, and longer than a header '.repeat(10)
  writeFileSync(join(folder, 'lock'), content)
  expect(() => lockFolder(folder)).toThrow(FolderError)
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(content)
})

test.each([
  [0o700, false],
  [0o500, false],
  [0o750, true],
  [0o755, true],
  [0o702, true],
])('whether a folder of mode %o is open to others: %s', (mode, isOpen) => {
  const made = join(folder, 'made')
  mkdirSync(made)
  chmodSync(made, mode)
  expect(isOpenToOthers(made)).toBe(isOpen)
})
