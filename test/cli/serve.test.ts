import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findService } from '#cli/find-service'
import type { Env } from '#cli/io'
import { VERSION } from '#cli/version'
import { cleanUp, newFolder } from '#test/support/service-process'
import { runHere, type World } from './world.ts'

/** What `footfall serve` starts; test/package/service-package.test.ts runs it. */
afterAll(cleanUp)

const root = resolve(import.meta.dirname, '../..')

/** Returns a folder with these files, whose content is their text. */
function folderWith(files: Record<string, string>): string {
  const folder = newFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** An installed package of the service. */
const packageOf = (version: string) => ({
  'node_modules/footfall-service/package.json': JSON.stringify({ version }),
  'node_modules/footfall-service/local/backup/main.js': '',
})

/** Runs the command and notes what it starts. */
async function started(args: readonly string[], world: World) {
  const calls: { program: string; words: readonly string[]; env: Env | undefined }[] = []
  const result = await runHere(args, {
    ...world,
    async handOver(program, words, _output, env) {
      calls.push({ program, words, env })
      return 3
    },
  })
  return { ...result, calls }
}

test('serve runs what `npm start` runs, with its options as settings, and ends with the exit code of the service', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { code, calls } = await started(
    ['serve', '--data', '/srv/numbers', '--port', '8000', '--base-url', 'https://stats.example.com'],
    { service: root },
  )
  expect(code).toBe(3)
  const [{ program, words, env } = expect.unreachable()] = calls
  expect(program).toBe(join(root, 'node_modules/.bin/node'))
  const here = words.map(word => word.replace(`file://${root}/`, './').replace(`${root}/`, ''))
  expect(['exec', 'node', ...here].join(' ')).toBe(scripts.start)
  expect(env).toMatchObject({
    ...{ DATA_DIR: '/srv/numbers', PORT: '8000', BASE_URL: 'https://stats.example.com' },
    npm_lifecycle_event: expect.any(String),
  })
})

test('without options the settings of the environment stay, and the data folder is that of the environment', async () => {
  const { calls } = await started(['serve'], { service: root, env: { DATA_DIR: '/srv/other' } })
  expect(Object.keys(calls[0]?.env ?? {}).toSorted()).toEqual(['DATA_DIR', 'npm_lifecycle_event'])
  expect(calls[0]?.env?.DATA_DIR).toBe('/srv/other')
})

test('a package runs on the Node that npm has installed beside it, else on that of this process', async () => {
  const node = { program: '/usr/bin/node', version: '24.0.0', arch: 'x64' }
  const own = `node-${process.platform}-x64/bin/node`
  const nodeOf = async (files: Record<string, string>) => {
    const folder = folderWith({ ...packageOf(VERSION), ...files })
    const service = join(folder, 'node_modules/footfall-service')
    const { calls } = await started(['serve'], { service, node })
    expect(calls[0]?.words.at(-1)).toBe(join(service, 'local/main.js'))
    return calls[0]?.program.replace(folder, '')
  }
  expect(await nodeOf({})).toBe('/usr/bin/node')
  expect(await nodeOf({ [`node_modules/${own}`]: '' })).toBe(`/node_modules/${own}`)
  const nested = `node_modules/footfall-service/node_modules/${own}`
  expect(await nodeOf({ [`node_modules/${own}`]: '', [nested]: '' })).toBe(`/${nested}`)
})

test('no service, one of another version, and a Node that is too old are refused with what to do', async () => {
  const none = await started(['serve'], { service: null })
  expect([none.code, none.stderr, none.calls]).toEqual([
    1,
    expect.stringContaining(`Install the package footfall-service ${VERSION}`),
    [],
  ])
  const service = (version: string) => join(folderWith(packageOf(version)), 'node_modules/footfall-service')
  const other = await started(['serve', '--json'], { service: service('9.9.9') })
  expect([other.code, JSON.parse(other.stderr).error, other.calls]).toEqual([1, 'OTHER_VERSION', []])
  const node = { program: '/usr/bin/node', version: '20.19.0', arch: 'x64' }
  const old = await started(['serve', '--json'], { service: service(VERSION), node })
  expect([old.code, JSON.parse(old.stderr).error, old.calls]).toEqual([1, 'NODE_TOO_OLD', []])
})

test('the service is the clone or the package around the command line, or the package beside it', () => {
  const folder = folderWith({ ...packageOf(VERSION), 'node_modules/footfall/build/cli/footfall.mjs': '' })
  const installed = join(folder, 'node_modules/footfall-service')
  expect(findService(join(folder, 'node_modules/footfall/build/cli'))).toBe(installed)
  expect(findService(join(installed, 'cli'))).toBe(installed)
  expect(findService(join(root, 'build/cli'))).toBe(root)
  expect(findService(newFolder())).toBeNull()
})
