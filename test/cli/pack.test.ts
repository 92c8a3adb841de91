import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { builtCommandLine, createRunner, type Result, runProcess } from './built-cli.ts'
import { signIn } from './sign-in.ts'

/** The package of the command line, in an empty folder and without a registry. */

let service: Service
let env: Record<string, string>
let npm: (folder: string, ...line: string[]) => Promise<Result>

beforeAll(async () => {
  service = await startService({ seed: true, env: { DEV_APPROVE: 'true' } })
  env = { AA_CONFIG_DIR: newFolder(), AA_CREDENTIAL_STORE: 'file' }
  await signIn(await createRunner({ ...env, AA_BASE_URL: service.baseUrl }), service)
  const home = newFolder()
  npm = (folder, ...line) =>
    runProcess('sh', ['-c', 'cd "$0" && exec "$@"', folder, ...line], {
      ...env,
      ...{ PATH: process.env.PATH as string, HOME: home, npm_config_cache: join(home, 'cache') },
      ...{ npm_config_registry: 'http://127.0.0.1:9', npm_config_update_notifier: 'false' },
    })
})
afterAll(cleanUp)

test('npm pack of the build is one file, and npx runs it with the service of the last login', async () => {
  const folder = newFolder()
  const packed = await npm(folder, 'npm', 'pack', dirname(await builtCommandLine()), '--json')
  expect(packed).toMatchObject({ code: 0 })
  const [{ filename, files }] = JSON.parse(packed.stdout)
  expect(files.map(({ path }: { path: string }) => path).toSorted()).toEqual(['footfall.mjs', 'package.json'])
  expect(readdirSync(folder)).toEqual([filename])
  const { code, stdout } = await npm(folder, 'npx', '--yes', `./${filename}`, 'stats', 'demo')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^demo, [\s\S]*Visitors/) })
})
