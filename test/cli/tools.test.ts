import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder } from '#test/support/service-process'
import { type Result, type Runner, runProcess } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { closeTerminals, openTerminal } from './terminal.ts'
import { createRunner, runHere } from './world.ts'

/** Commands that work with the machine: completion, the browser, DuckDB. */

let service: DemoService
let run: Runner
let env: Record<string, string>

beforeAll(async () => {
  service = await demoService()
  env = {
    ...{ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), DATA_DIR: service.dataDir },
    ...{ AA_CREDENTIAL_STORE: 'file', PATH: process.env.PATH as string },
  }
  run = createRunner(env)
  await signIn(run, service)
  await run(['create', 'web-shop', '--domain', '*'])
})
afterAll(async () => {
  closeTerminals()
  await cleanUp()
})

/** What bash offers after the words; the last one is unfinished. */
async function offered(...words: string[]): Promise<string[]> {
  const line = ['footfall', ...words].map(word => `'${word}'`).join(' ')
  const { stdout: completion } = await run(['completion', 'bash'])
  // A command that offers what it gets shows what the script sends. shells.test.ts has the real one.
  const script = `footfall() { cat; }
${completion}COMP_WORDS=(${line}); COMP_CWORD=${words.length}
_footfall; printf '%s\\n' "\${COMPREPLY[@]}"`
  const sent = await runProcess('bash', ['-c', script], { HOME: newFolder(), ...env })
  expect(sent.stderr).toBe('')
  return (await asked(sent.stdout, env)).stdout.split('\n').filter(word => word !== '')
}

/** What the scripts of all shells ask. */
function asked(stdin: string, variables: Record<string, string>): Promise<Result> {
  return runHere(['completion', 'bash', '--words'], { stdin, env: variables })
}

test.each([
  ['the beginning of a command', ['sta'], ['stats']],
  ['the second word of a command', ['experiments', 'c'], ['complete', 'create']],
  ['a project of the account', ['stats', 'we'], ['web-shop']],
  ['a project after an option with a value', ['--base-url', 'X', 'stats', 'de'], ['demo']],
  ['a project of a command of two words', ['context', 'get', 'w'], ['web-shop']],
  ['the project of the demo', ['--demo', 'stats', ''], ['demo']],
  ['an option', ['stats', 'demo', '--gr'], ['--group-by']],
  ['a value of an option', ['stats', 'demo', '--group-by', 'w'], ['week']],
  ['a shell', ['completion', ''], ['bash', 'fish', 'zsh']],
  ['nothing, so that the shell offers files', ['funnel', 'demo', '--steps-json', 'x'], []],
  ['no project for a new one', ['create', 'we'], []],
])('the completion of bash offers %s', async (_, words, expected) => {
  const known = words.map(word => (word === 'X' ? service.baseUrl : word))
  expect(await offered(...known)).toEqual(expected)
})

test('without a service completion is silent, and offers commands still', async () => {
  const away = { AA_BASE_URL: 'http://127.0.0.1:9' }
  const ask = (lines: string) => asked(lines, { ...env, ...away })
  expect(await ask('stats\n\n')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await ask('ins\n')).toEqual({ code: 0, stdout: 'insights\n', stderr: '' })
})

test('each shell gets a script that asks the command line, and another shell gets the names of these', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await run(['completion', shell])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`completion ${shell} --words`),
    })
  }
  const { code, stderr } = await run(['completion', 'csh'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('bash, zsh, fish') })
})

test('open prints the address of the dashboard, and opens it when a program for it is named', async () => {
  const opened = join(newFolder(), 'opened')
  const browser = join(newFolder(), 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.part'; mv '${opened}.part' '${opened}'\n`, {
    mode: 0o755,
  })
  const url = `${service.baseUrl}/app?project=web-shop`
  expect(await run(['open', 'web-shop', '--json'])).toMatchObject({ code: 0, stdout: `{"url":"${url}"}\n` })
  expect(existsSync(opened)).toBe(false)
  await run(['open', 'web-shop'], { AA_OPEN_COMMAND: browser })
  expect(await eventually(() => readFileSync(opened, 'utf8'))).toBe(url)
  const elsewhere = await run(['open'], { AA_DASHBOARD_URL: 'https://numbers.example/app' })
  expect(elsewhere.stdout).toContain('https://numbers.example/app')
  expect(await run(['open'], { AA_DASHBOARD_URL: 'javascript:alert(1)' })).toMatchObject({ code: 1 })
})

/** DuckDB's shell in small: it runs the file of -init and the statement of -c, and prints rows as JSON. */
const DUCKDB = `
const { DuckDBInstance } = await import('${createRequire(import.meta.url).resolve('@duckdb/node-api')}')
import { readFileSync } from 'node:fs'
const args = process.argv.slice(2)
const connection = await (await DuckDBInstance.create()).connect()
await connection.run(readFileSync(args[args.indexOf('-init') + 1], 'utf8'))
if (!args.includes('-c')) { console.log('D shell'); process.exit(7) }
const reader = await connection.runAndReadAll(args[args.indexOf('-c') + 1])
console.log(args.includes('-json') ? JSON.stringify(reader.getRowObjectsJson()) : reader.getRowsJson().join('\\n'))
process.exit(0)
`

function withDuckdb(): Record<string, string> {
  const folder = newFolder()
  const program = join(folder, 'duckdb.mjs')
  writeFileSync(program, DUCKDB)
  const script = `#!/bin/sh\n[ "$1" = --version ] || exec '${process.execPath}' '${program}' "$@"\n`
  writeFileSync(join(folder, 'duckdb'), script, { mode: 0o755 })
  return { PATH: `${folder}:${process.env.PATH}` }
}

test('sql runs a statement over the events of the project, all of them and no others', async () => {
  const { totals } = JSON.parse((await run(['stats', 'demo', '--since', '3650d', '--json'])).stdout)
  const statement = 'SELECT count(*)::int AS n, count(properties) > 0 AS has, min(path) AS path FROM events'
  const { code, stdout, stderr } = await run(['sql', 'demo', '--json', '--command', statement], withDuckdb())
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual([{ n: totals.total_events, has: true, path: '/' }])
  const empty = await run(['sql', 'web-shop', '--command', 'SELECT count(*)::int FROM events'], withDuckdb())
  expect(empty).toEqual({ code: 0, stdout: '0\n', stderr: '' })
})

test('sql with the dialect runs a statement of a read', async () => {
  const statement = "SELECT json_extract_scalar('{\"a\":1}', '$.a') AS a, cardinality([1, 2]) AS n"
  const args = ['sql', 'demo', '--dialect', '--json', '--command', statement]
  expect(JSON.parse((await run(args, withDuckdb())).stdout)).toEqual([{ a: '1', n: '2' }])
})

/** A program in the place of DuckDB that writes this to stdout and stderr, whatever it is asked. */
function withProgram(text: string, code = 0): Record<string, string> {
  const folder = newFolder()
  writeFileSync(join(folder, 'output'), text)
  const script = `#!/bin/sh\n[ "$1" = --version ] || { cat '${folder}/output'; cat '${folder}/output' >&2; exit ${code}; }\n`
  writeFileSync(join(folder, 'duckdb'), script, { mode: 0o755 })
  return { PATH: `${folder}:${process.env.PATH}` }
}

const HOSTILE = 'é😀\u001b]0;x\u0007\u009b2J\u202e'
const ESCAPED = 'é😀\\u{1b}]0;x\\u{7}\\u{9b}2J\\u{202e}'

test.each([
  ['a table', [], `│ ${HOSTILE} │\n`, `│ ${ESCAPED} │\n`],
  ['CSV', ['--csv'], `a,b\r\n"${HOSTILE}\n=1",\t2\r\n\r`, `a,b\r\n"${ESCAPED}\n=1",\t2\r\n\\u{d}`],
  ['JSON', ['--json'], `[{"a":${JSON.stringify(HOSTILE)}},\n{"a":1}]\n`, null],
])(
  'sql prints %s of DuckDB without characters that change the terminal',
  async (_, options, written, shown) => {
    const args = ['sql', 'demo', ...options, '--command', 'SELECT 1']
    const { code, stdout, stderr } = await run(args, withProgram(written))
    expect(code).toBe(0)
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\r\n\t]|\p{Cf}/u)
    if (shown === null) expect(JSON.parse(stdout)).toEqual(JSON.parse(written))
    else expect({ stdout, stderr }).toEqual({ stdout: shown, stderr: shown })
  },
)

test('sql prints rows on a terminal without characters that change it, and ends with the exit code of DuckDB', async () => {
  const terminal = await openTerminal(['sql', 'demo', '--command', 'SELECT 1'], {
    columns: 80,
    env: { ...env, ...withProgram(`${HOSTILE}\n`, 7) },
  })
  expect(await terminal.ended).toBe(7)
  expect(terminal.screen()).toContain(ESCAPED)
})

test('sql on a terminal opens the shell, and ends with its exit code', async () => {
  const terminal = await openTerminal(['sql', 'demo'], { columns: 80, env: { ...env, ...withDuckdb() } })
  expect(await terminal.ended).toBe(7)
  expect(terminal.screen()).toContain('D shell')
})

test('sql without a terminal, without duckdb or without the files prints what to run, and what is missing', async () => {
  const expectScript = ({ code, stdout }: Result) =>
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^CREATE TABLE[\s\S]*CREATE VIEW events/),
    })
  const piped = await run(['sql', 'demo'], withDuckdb())
  expectScript(piped)
  const elsewhere = await run(['sql', 'demo'], { DATA_DIR: newFolder(), ...withDuckdb() })
  expectScript(elsewhere)
  expect(elsewhere.stderr).toContain('--lake')
  expect(await run(['sql', 'demo', '--print'], withDuckdb())).toMatchObject({ code: 0, stderr: '' })
  const { code, stderr } = await run(['sql', 'demo', '--command', 'SELECT 1', '--json'])
  expect({ code, error: JSON.parse(stderr).error }).toEqual({ code: 1, error: 'NO_DUCKDB' })
})
