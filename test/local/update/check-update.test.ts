import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { EDITION } from '#core/lake/model/edition'
import { checkUpdate } from '#local/update/check-update'
import { runProcess } from '#test/cli/built-cli'

/** What an update would change, in clones of a small repository; and an update while the service runs. */

const root = mkdtempSync(join(tmpdir(), 'footfall-update-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let upstream: string
let clone: string

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main']
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' })
}

function commit(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(upstream, path), text)
  git(upstream, 'add', '-A')
  git(upstream, 'commit', '-m', 'a change')
}

const edition = (number: number) => ({ 'core/lake/model/edition.ts': `export const EDITION = ${number}\n` })

beforeEach(() => {
  const folder = mkdtempSync(join(root, 'f-'))
  upstream = join(folder, 'upstream')
  clone = join(folder, 'clone')
  mkdirSync(join(upstream, 'core/lake/model'), { recursive: true })
  git(upstream, 'init')
  commit({ ...edition(EDITION), 'CHANGELOG.md': '# Changes\n\n- Old: a line.\n', 'package-lock.json': '{}' })
  git(folder, 'clone', upstream, clone)
})

test('a clone that has everything is up to date', async () => {
  expect(await checkUpdate(clone)).toMatchObject({ behind: 0, changes: [], raises_edition_to: null })
})

test('a newer version says how far it is, and with which lines of the change log', async () => {
  commit({ 'CHANGELOG.md': '# Changes\n\n- New: a thing.\n- Old: a line.\n' })
  commit({ 'other.txt': 'x' })
  expect(await checkUpdate(clone)).toMatchObject({
    behind: 2,
    changes: ['- New: a thing.'],
    has_other_packages: false,
    raises_edition_to: null,
  })
})

test('other packages and a higher edition are named before anything is installed', async () => {
  commit({ ...edition(EDITION + 1), 'package-lock.json': '{"a":1}' })
  expect(await checkUpdate(clone)).toMatchObject({ has_other_packages: true, raises_edition_to: EDITION + 1 })
})

test('at most thirty lines of changes are read', async () => {
  commit({ 'CHANGELOG.md': Array.from({ length: 50 }, (_, i) => `- Line ${i}.\n`).join('') })
  expect((await checkUpdate(clone)).changes).toHaveLength(30)
})

test('a folder that is no clone, and an upstream that is gone, are named', async () => {
  await expect(checkUpdate(mkdtempSync(join(root, 'none-')))).rejects.toThrow('needs a git clone')
  rmSync(upstream, { recursive: true })
  await expect(checkUpdate(clone)).rejects.toThrow('upstream that can be reached')
})

test.skipIf(process.platform === 'win32')(
  '`npm start` after a pull installs nothing while a service uses the packages',
  async () => {
    const folder = mkdtempSync(join(root, 'run-'))
    mkdirSync(join(folder, 'scripts'))
    mkdirSync(join(folder, '.footfall'))
    cpSync(resolve(import.meta.dirname, '../../../scripts/install.cjs'), join(folder, 'scripts/install.cjs'))
    const packages = { '': {}, 'node_modules/a': { version: '1.0.0' } }
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
    const service = createServer(socket => socket.end())
    await new Promise<void>(done => void service.listen(join(folder, '.footfall/admin.sock'), done))
    const args = [join(folder, 'scripts/install.cjs'), '--service']
    const { code, stderr } = await runProcess(process.execPath, args, { PATH: process.env.PATH as string })
    service.close()
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`A Footfall service runs on ${folder}/.footfall`),
    ])
    expect(stderr).toContain('Stop it first')
  },
)
