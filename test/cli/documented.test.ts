import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Command, optionKey } from '#cli/command'
import { commands } from '#cli/commands/all'
import { globalFlags, guardsOf } from '#cli/program'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { shellWords } from './shell-words.ts'
import { signIn } from './sign-in.ts'
import { createRunner } from './world.ts'

/** Every command line that a document shows. */

const root = resolve(import.meta.dirname, '../..')
const PAGES = ['README.md', 'CHANGELOG.md', 'cli/README.md', 'docs/*.md', 'docs/api/*.md']
const texts = globSync(PAGES, { cwd: root }).map(path => readFileSync(resolve(root, path), 'utf8'))

/** The lines of code blocks, without what the shell does with the result, and without comments. */
const lines = texts.flatMap(text =>
  [...text.matchAll(/^(?: {4}|\$ |sudo )*(?:footfall|node build\/cli\/footfall\.mjs) (.*)$/gm)].map(
    ([, words = '']) => `footfall ${words.replace(/ +#.*| > .*| \| .*/, '')}`,
  ),
)
/** The commands in sentences, of which some are names alone. */
const mentioned = texts.flatMap(text =>
  [...text.matchAll(/`(footfall [^`]*)`/g)].map(([, words]) => `${words}`),
)

const copies = newFolder()
let service: DemoService
let run: Runner
beforeAll(async () => {
  service = await demoService()
  run = createRunner({
    AA_BASE_URL: service.baseUrl,
    AA_CONFIG_DIR: newFolder(),
    DATA_DIR: service.dataDir,
    COLUMNS: '80',
  })
  await signIn(run, service)
  await run(['create', 'shop', '--domain', 'https://shop.example'])
})
afterAll(cleanUp)

const hasDuckdb = spawnSync('duckdb', ['--version']).status === 0

test('every command of a code block runs as it stands', async () => {
  expect(lines.length).toBeGreaterThan(6)
  for (const [i, words] of (await shellWords(lines)).entries()) {
    if (words[0] === 'sql' && !hasDuckdb && !words.includes('--print')) continue
    // Copies go to a folder of this test, one command after the other.
    const { code, stderr } = await run(words.map(word => word.replace('/var/backups', copies)))
    expect({ line: lines[i], code, stderr }).toMatchObject({ code: 0 })
  }
})

test('every command in a sentence is one, with options that it has', async () => {
  expect(mentioned.length).toBeGreaterThan(15)
  for (const [i, words] of (await shellWords(mentioned)).entries())
    expect({ mentioned: mentioned[i], problem: problemOf(words) }).toMatchObject({ problem: null })
})

test('every command in a sentence with --demo runs as it stands', async () => {
  const whole = mentioned.filter(text => text.includes(' --demo '))
  expect(whole.length).toBeGreaterThan(2)
  for (const words of await shellWords(whole)) expect(await run(words)).toMatchObject({ code: 0 })
})

/** Null: the words may be written so. A word in capitals stands for any. */
function problemOf(all: readonly string[]): string | null {
  const words = all[0] === '--demo' ? all.slice(1) : all
  if (words[0] === 'COMMAND' || words[0] === 'help' || words[0]?.startsWith('-')) return null
  const two = `${words[0]} ${words[1]}`
  const command = commands.find(({ name }) => name === two) ?? commands.find(({ name }) => name === words[0])
  if (command === undefined) return `no command ${words[0]}`
  const options = [...command.flags, ...globalFlags, ...guardsOf(command as Command)].map(optionKey)
  const unknown = words
    .filter(word => word.startsWith('--') && word !== '--help')
    .filter(word => !options.includes(optionKey({ flags: word })))
  return unknown.length === 0 ? null : `no option ${unknown}`
}
