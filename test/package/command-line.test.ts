import { linkSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProcessRunner, type Result, runProcess } from '#test/cli/built-cli'
import { signIn } from '#test/cli/sign-in'
import { packedPackage } from '#test/support/packed-package'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'

/** The package of this repository, in an empty folder and without a registry. */

let service: Service
let env: Record<string, string>
let npm: (folder: string, ...line: string[]) => Promise<Result>

beforeAll(async () => {
  service = await startService({ seed: true, env: { DEV_APPROVE: 'true' } })
  env = { AA_CONFIG_DIR: newFolder(), AA_CREDENTIAL_STORE: 'file' }
  await signIn(await createProcessRunner({ ...env, AA_BASE_URL: service.baseUrl }), service)
  const home = newFolder()
  npm = (folder, ...line) =>
    runProcess('sh', ['-c', 'cd "$0" && exec "$@"', folder, ...line], {
      ...env,
      ...{ PATH: process.env.PATH as string, HOME: home, npm_config_cache: join(home, 'cache') },
      ...{ npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
      ...{ npm_config_audit: 'false', npm_config_update_notifier: 'false' },
    })
})
afterAll(cleanUp)

test('npm pack has the command line in one file and the construct, and nothing else of the sources', async () => {
  const packed = await packedPackage()
  const [{ filename, files }] = JSON.parse(readFileSync(join(dirname(packed), 'packed.json'), 'utf8'))
  expect(filename).toBe(basename(packed))
  const paths = files.map(({ path }: { path: string }) => path)
  expect(paths.filter((path: string) => !path.startsWith('build/cdk/')).toSorted()).toEqual([
    ...['LICENSE', 'README.md', 'build/cli/footfall.mjs', 'package.json'],
  ])
})

test('npx runs the packed package in an empty folder, with the service of the last login', async () => {
  const folder = newFolder()
  const filename = basename(await packedPackage())
  linkSync(await packedPackage(), join(folder, filename))
  const { code, stdout } = await npm(folder, 'npx', '--yes', `./${filename}`, 'stats', 'demo')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^demo, [\s\S]*Visitors/) })
  expect(readdirSync(folder)).toEqual([filename])
})

test('an installation of the packed package brings no other package', async () => {
  const folder = newFolder()
  const { code, stderr } = await npm(folder, 'npm', 'install', '--prefix', '.', await packedPackage())
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
  const installed = readdirSync(join(folder, 'node_modules')).filter(name => !name.startsWith('.'))
  expect(installed).toEqual(['footfall'])
})
