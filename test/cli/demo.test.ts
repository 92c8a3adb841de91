import { existsSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { widthOf } from '#cli/print/width'
import { needsSignIn } from '#cli/program'
import { cleanUp, newFolder } from '#test/support/service-process'
import { builtCommandLine, type Result, type Runner, runProcess } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { shellWords } from './shell-words.ts'
import { signIn } from './sign-in.ts'
import { createRunner, runHere } from './world.ts'

/** The command line in a pipe, against the demo of a running service. */

let service: DemoService
let run: Runner
let runAsOwner: Runner
/** By example. */
let wordsOf: ReadonlyMap<string, readonly string[]>
const configDir = newFolder()

beforeAll(async () => {
  service = await demoService()
  const env = { AA_BASE_URL: service.baseUrl, DATA_DIR: service.dataDir, COLUMNS: '80' }
  run = createRunner({ ...env, AA_CONFIG_DIR: configDir })
  runAsOwner = createRunner({ ...env, AA_CONFIG_DIR: newFolder() })
  await signIn(runAsOwner, service)
  await runAsOwner(['portfolios', 'create', 'acme', '--name', 'Acme'])
  const examples = commands.map(({ example }) => example)
  const words = await shellWords(examples.map(example => `footfall ${example}`))
  wordsOf = new Map(examples.map((example, i) => [example, words[i] as string[]]))
})
afterAll(cleanUp)

const results = new Map<string, Promise<Result>>()

/** Each example runs once, in a new configuration. */
function resultOf(words: readonly string[] = []): Promise<Result> {
  const key = words.join(' ')
  const result = results.get(key) ?? run(words, { AA_CONFIG_DIR: newFolder() })
  results.set(key, result)
  return result
}

const reads = commands.filter(({ example, group }) => example.startsWith('--demo ') && group !== 'Tools')

test('every command of the service has an example on the demo', () => {
  const without = commands
    .filter(({ effect, group }) => effect === undefined && group !== 'Tools')
    .filter(({ name }) => !SIGNED_IN.includes(name))
  expect(without.filter(command => !reads.includes(command)).map(({ name }) => name)).toEqual([])
})

/** A demo session has no portfolios and no right to read replays. */
const SIGNED_IN = commands.filter(needsSignIn).map(({ name }) => name)
/**
 * Examples with the id of a replay run in replays.test.ts, where there is one, those of exports in
 * exports.test.ts, and those that write files in backup.test.ts and pull.test.ts.
 */
const ELSEWHERE = [
  ...['replays get', 'replays open', 'backup', 'restore', 'verify', 'pull', 'serve'],
  ...['exports list', 'exports get', 'exports download'],
]

test.each(commands.map(({ name, example }) => [name, example] as const))(
  'the help of %s ends with an example that a shell runs as it stands',
  async (name, example) => {
    const help = await runHere([...name.split(' '), '--help'])
    expect(help.stdout.trimEnd().split('\n').at(-1)).toBe(`  footfall ${example}`)
    if (ELSEWHERE.includes(name)) return
    const words = wordsOf.get(example) as readonly string[]
    const { code, stderr } = SIGNED_IN.includes(name) ? await runAsOwner(words) : await resultOf(words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/\n {4}at |bug/) })
    expect(help.stdout.includes('Example, after footfall login:')).toBe(SIGNED_IN.includes(name))
  },
)

describe.each(reads.map(({ name, example }) => [name, example] as const))(
  'the example of %s',
  (name, example) => {
    test('prints a result that fits a terminal of 80 columns', async () => {
      const { code, stdout, stderr } = await resultOf(wordsOf.get(example))
      // The service may add sentences to a result, as about a range that is longer than the data.
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/\n {4}at |bug/) })
      expect(stdout.split('\n').filter(line => widthOf(line) > 80)).toEqual([])
      expect(stdout).not.toContain('\u001b')
      expect(stdout).not.toMatch(/undefined|NaN|\[object/)
      if (!['live', 'portfolios list', 'segments list', 'upgrade-link'].includes(name))
        expect(stdout.trim().split('\n').length).toBeGreaterThan(1)
    })
  },
)

test('tables and pictures fit 40 columns, and are whole at 200', async () => {
  for (const command of ['sessions demo --limit 3', 'heatmap demo']) {
    for (const width of [40, 200]) {
      const { code, stdout } = await run(['--demo', ...command.split(' ')], { COLUMNS: String(width) })
      expect({ code, command, wide: stdout.split('\n').filter(line => widthOf(line) > width) }).toEqual({
        code: 0,
        command,
        wide: [],
      })
      if (width === 200) expect(stdout).not.toContain('too narrow')
    }
  }
})

test('--json is the raw response, --fields a part of it, and --csv a table with raw values', async () => {
  const [json, part, csv, other] = await Promise.all([
    run(['--demo', 'stats', 'demo', '--json']),
    run(['stats', 'demo', '--demo', '--json', '--fields', 'totals.total_events,events.event']),
    run(['--demo', 'stats', 'demo', '--csv']),
    run(['--demo', 'stats', 'demo', '--csv', '--table', 'events', '--fields', 'count,event']),
  ])
  const stats = JSON.parse(json.stdout)
  expect(JSON.parse(part.stdout)).toEqual({
    totals: { total_events: stats.totals.total_events },
    events: stats.events.map(({ event }: { event: string }) => ({ event })),
  })
  expect(csv.stdout.split('\n')[1]).toBe(`${stats.timeSeries[0].bucket},${stats.timeSeries[0].total_events}`)
  expect(other.stdout.split('\n').slice(0, 2)).toEqual([
    'count,event',
    `${stats.events[0].count},${stats.events[0].event}`,
  ])
})

test('the people behind a step and a cell are a table', async () => {
  const funnel = ['funnel', 'demo', '--steps', 'page_view,signup', '--people-of', '2']
  const { cohorts } = JSON.parse((await run(['--demo', 'retention', 'demo', '--json'])).stdout)
  const [{ date, retained }] = cohorts
  const cell = ['retention', 'demo', '--people-of', date, '--people-offset', '1']
  const [passed, returned, dropped, shown] = await Promise.all([
    run(['--demo', ...funnel, '--csv', '--table', 'people']),
    run(['--demo', ...cell, '--csv', '--table', 'people']),
    run(['--demo', ...cell, '--people-dropped', '--json']),
    run(['--demo', ...cell]),
  ])
  expect(passed.stdout).toMatch(/^id,at,session_id,replay\n[^,]+,\d{13},[^,]+,\n/)
  expect(returned.stdout.trim().split('\n')).toHaveLength(1 + Math.min(retained[1], 1_000))
  expect(JSON.parse(dropped.stdout).people).toHaveLength(Math.min(retained[0] - retained[1], 1_000))
  expect(shown.stdout).toContain('People, the latest first')
})

test('the demo reads and writes no configuration, and changes nothing', async () => {
  const elsewhere = `${configDir}/none`
  await run(['--demo', 'list'], { AA_CONFIG_DIR: elsewhere })
  expect(existsSync(elsewhere)).toBe(false)
  expect(readdirSync(configDir)).toEqual([])
})

test('help is text or data, and complete', async () => {
  const [help, data, one] = await Promise.all([
    run(['--help']),
    run(['help', '--json']),
    run(['help', 'experiments', 'get']),
  ])
  // What a person looks for comes first, and options that are the same everywhere last.
  const places = ['Reports:', 'Tools:', 'Options:', 'Everywhere:'].map(title =>
    help.stdout.indexOf(`\n${title}\n`),
  )
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  for (const { name } of commands) expect(help.stdout).toContain(name.split(' ')[0])
  expect(JSON.parse(data.stdout).commands.map(({ name }: { name: string }) => name)).toEqual(
    commands.map(({ name }) => name),
  )
  expect(one.stdout).toContain('footfall --demo experiments get exp_demo_signup_cta')
  expect([help.code, data.code, one.code]).toEqual([0, 0, 0])
})

test('a warning of the service is said once', async () => {
  const { stdout, stderr } = await run(['--demo', 'funnel', 'demo', '--steps', 'page_view,sign_up'])
  expect(stdout).not.toContain('did not occur')
  expect(stderr.match(/"sign_up" did not occur/g)).toHaveLength(1)
})

test('a list that a limit of groups has cut names that limit', async () => {
  const steps = ['funnel', 'demo', '--steps', 'page_view,signup', '--breakdown', 'country']
  const { stderr } = await run(['--demo', ...steps, '--breakdown-limit', '2'])
  expect(stderr).toMatch(/a part of \d+ rows: a larger --breakdown-limit shows more\./)
})

test('numbers of the demo are not taken for those of another project that the call names', async () => {
  const { code, stderr } = await run(['--demo', 'stats', 'shop'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('of it, and not of shop.')])
  expect((await run(['--demo', 'stats', 'demo'])).stderr).not.toContain('and not of')
})

test('the commands that demo names run as they stand', async () => {
  const { examples } = JSON.parse((await run(['demo', '--json'])).stdout) as {
    examples: { command: string }[]
  }
  expect(examples.length).toBeGreaterThan(5)
  for (const words of await shellWords(examples.map(({ command }) => command)))
    expect(await resultOf(words)).toMatchObject({ code: 0 })
})

test('the examples of `footfall demo` are whole at 40 columns, so that they can be copied', async () => {
  const { stdout } = await run(['demo'], { COLUMNS: '40' })
  expect(stdout).toContain('footfall --demo funnel demo --steps page_view,signup_started,signup\n')
})

test('a reader that ends early, such as `head`, is no error', async () => {
  const file = await builtCommandLine()
  const script = 'set -o pipefail; "$0" "$1" --demo paths demo --goal signup | head -1; echo $?'
  const env = { PATH: process.env.PATH as string, AA_BASE_URL: service.baseUrl }
  const { stdout, stderr } = await runProcess('bash', ['-c', script, process.execPath, file], env)
  expect({ lines: stdout.trim().split('\n').length, code: stdout.trim().at(-1), stderr }).toEqual({
    ...{ lines: 2, code: '0', stderr: expect.not.stringContaining('EPIPE') },
  })
})
