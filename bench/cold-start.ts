import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundleFunctions } from '#lib/bundles'
import { type FunctionName, functions } from '#schemas/functions'

/**
 * `npm run bench:cold-start`: how long each bundle takes to start in a fresh process, from the start of the process to
 * the handler that could be called, beside a bundle that holds nothing. In turns, so that a busy machine slows all.
 *   --rounds 15     processes of each
 */

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })

const run = promisify(execFile)

type Start = {
  /** Until the handler is there, ms. */ wallMs: number /** Of the processor, ms. */
  cpuMs: number
}
type Subject = { name: string; index: string; kilobytes: number; env: Record<string, string> }

/** Prints what the start of the module cost that stands behind it. */
const MEASURE = `
  await import(process.argv[1])
  const { user, system } = process.cpuUsage()
  process.stdout.write(JSON.stringify({ wallMs: performance.now(), cpuMs: (user + system) / 1000 }), () => process.exit())
`

/** Values that no start looks behind. */
const SETTINGS: Record<string, string> = {
  POWERTOOLS_LOG_LEVEL: 'INFO',
  STREAM_ARN: 'arn:aws:kinesis:us-east-1:123456789012:stream/events',
  COMPACTION_MEMORY_MB: '2048',
  EPOCH_MINUTES: '60',
  BASE_URL: 'https://d111111abcdef8.cloudfront.net',
}

function environment(name: FunctionName): Record<string, string> {
  const settings = Object.keys(functions[name].shape).map(key => [key, SETTINGS[key] ?? 'bench'])
  return {
    ...Object.fromEntries(settings),
    AWS_REGION: 'us-east-1',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  }
}

async function start({ index, env }: Subject): Promise<Start> {
  const args = ['--input-type=module', '--eval', MEASURE, pathToFileURL(index).href]
  const { stdout } = await run(process.execPath, args, { env: { ...env, TMPDIR: tmpdir() } })
  return JSON.parse(stdout)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const folder = await mkdtemp(join(tmpdir(), 'footfall-cold-start-'))
try {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64'
  const bundles = await bundleFunctions(folder, { architecture })
  await mkdir(join(folder, 'empty'))
  const empty: Subject = { name: 'empty', index: join(folder, 'empty/index.mjs'), kilobytes: 0, env: {} }
  await writeFile(empty.index, 'export const handler = async () => {}\n')
  const subjects = (Object.keys(bundles) as FunctionName[]).map(name => ({
    name,
    index: join(bundles[name].folder, 'index.mjs'),
    kilobytes: Math.round(bundles[name].bytes / 1_000),
    env: environment(name),
  }))
  const starts = new Map<string, Start[]>()
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const subject of [empty, ...subjects]) {
      starts.set(subject.name, [...(starts.get(subject.name) ?? []), await start(subject)])
    }
  }
  const of = (name: string, what: keyof Start) => median((starts.get(name) ?? []).map(each => each[what]))
  console.table(
    [empty, ...subjects].map(({ name, kilobytes }) => ({
      function: name,
      kB: kilobytes,
      'start ms': Math.round(of(name, 'wallMs')),
      'processor ms': Math.round(of(name, 'cpuMs')),
      'above empty ms': Math.round(of(name, 'wallMs') - of('empty', 'wallMs')),
      'times empty': Number((of(name, 'wallMs') / of('empty', 'wallMs')).toFixed(2)),
    })),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
