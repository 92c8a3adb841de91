import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchPackage } from '#lib/duckdb-addon'

const NAME = '@duckdb/node-bindings-linux-arm64'

let folder: string
let cache: string
let integrity: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-addon-'))
  cache = join(folder, 'cache')
  integrity = fakeRegistry()
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Makes a tarball of a package and puts a fake `npm` on the PATH, whose `pack` copies that tarball and writes
 * a line to `pack-calls`. Returns the integrity of the tarball.
 */
function fakeRegistry(): string {
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: NAME, version: '1.0.0' }))
  writeFileSync(join(folder, 'package/duckdb.node'), 'native code')
  const tarball = join(folder, 'addon.tgz')
  execFileSync('tar', ['-czf', tarball, '-C', folder, 'package'])
  const npm = `#!/bin/sh
[ "$1" = pack ] && [ "$2" = "${NAME}@1.0.0" ] && [ "$4" = --pack-destination ] || exit 1
echo call >> "${folder}/pack-calls"
cp "${tarball}" "$5/addon.tgz"
echo '[{ "filename": "addon.tgz" }]'
`
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}/bin:${process.env.PATH}`)
  return `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
}

test('a package of the lock file is fetched once and then read from the cache', async () => {
  const first = await fetchPackage(NAME, { version: '1.0.0', integrity }, cache)
  expect(readFileSync(join(first, 'duckdb.node'), 'utf8')).toBe('native code')
  expect(await fetchPackage(NAME, { version: '1.0.0', integrity }, cache)).toBe(first)
  expect(readFileSync(join(folder, 'pack-calls'), 'utf8')).toBe('call\n')
  expect(readdirSync(cache)).toEqual(['node-bindings-linux-arm64-1.0.0'])
})

test('a tarball with another hash than the lock file is refused and not cached', async () => {
  const other = `sha512-${createHash('sha512').update('another tarball').digest('base64')}`
  const fetched = fetchPackage(NAME, { version: '1.0.0', integrity: other }, cache)
  await expect(fetched).rejects.toThrow('is not the one in package-lock.json')
  expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([])
})

test('a version that the registry does not have is an error', async () => {
  await expect(fetchPackage(NAME, { version: '2.0.0', integrity }, cache)).rejects.toThrow('npm pack')
})
