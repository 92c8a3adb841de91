import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { cleanUp, newFolder } from '#test/support/service-process'
import { runProcess } from './built-cli.ts'
import { shellWords } from './shell-words.ts'
import { runHere } from './world.ts'

/** The commands of copies; test/local/backup has their program. */

const root = resolve(import.meta.dirname, '../..')
let dataDir: string
let folder: string
beforeAll(() => {
  dataDir = join(newFolder(), 'data')
  cpSync(join(root, 'test/fixtures/editions/1/data'), dataDir, { recursive: true })
  folder = newFolder()
})
afterAll(cleanUp)

test('the examples of the three commands run one after the other, in another folder than /tmp', async () => {
  const examples = ['backup', 'verify', 'restore'].map(
    name => commands.find(command => command.name === name)?.example ?? expect.unreachable(name),
  )
  for (const words of await shellWords(examples.map(example => `footfall ${example}`))) {
    const moved = words.map(word => word.replace('/tmp', folder))
    expect(moved).not.toEqual(words)
    const { code, stdout, stderr } = await runHere(moved, { env: { DATA_DIR: dataDir } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(folder)
  }
  const key = (data: string) => readFileSync(join(data, 'api-key'), 'utf8')
  expect(key(join(folder, 'footfall-restored'))).toBe(key(dataDir))
})

test('the command line of a clone finds the service; --json is an object, and a failure is the exit code', async () => {
  const env = { PATH: process.env.PATH as string, HOME: folder }
  const run = (...words: string[]) =>
    runProcess(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'cli/entry.ts'), ...words],
      env,
    )
  const made = await run('backup', join(folder, 'json'), '--data', dataDir, '--json')
  expect([made.code, JSON.parse(made.stdout)]).toMatchObject([
    0,
    { isCounted: false, files: expect.any(Number) },
  ])
  const none = await run('verify', newFolder())
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('has no copy')])
})

test('a command line without the service beside it says where to run it', async () => {
  const { code, stderr } = await runHere(['backup', folder], { service: null })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/Install the package footfall-service .* In a clone: npm run build:cli/),
  ])
})
