import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { bundleFunctions } from '#lib/bundles'
import { type FunctionName, functions } from '#schemas/functions'
import { median } from './percentile.ts'

/**
 * `npm run bench -- cold-start`: measures how long each bundle takes to start in a new process, from the
 * start of the process until the handler is loaded. An empty bundle is measured too, for comparison. The
 * bundles take turns, so other load on the machine slows all of them equally. --rounds 15 processes per
 * bundle
 */

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })

const run = promisify(execFile)

type StartTimes = {
  /** Time until the handler is loaded, ms. */
  wallMs: number
  /** Processor time, ms. */
  cpuMs: number
}
type Bundle = { name: string; index: string; kilobytes: number; env: Record<string, string> }

/** Script that imports the module of its first argument and prints StartTimes. */
const MEASURE = `
  await import(process.argv[1])
  const { user, system } = process.cpuUsage()
  process.stdout.write(JSON.stringify({ wallMs: performance.now(), cpuMs: (user + system) / 1000 }), () => process.exit())
`

/** Valid values for the settings. No bundle connects to anything when it starts. */
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

async function measureStart({ index, env }: Bundle): Promise<StartTimes> {
  const args = ['--input-type=module', '--eval', MEASURE, pathToFileURL(index).href]
  const { stdout } = await run(process.execPath, args, { env: { ...env, TMPDIR: tmpdir() } })
  return JSON.parse(stdout)
}

const folder = await mkdtemp(join(tmpdir(), 'footfall-cold-start-'))
try {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64'
  const bundles = await bundleFunctions(folder, { architecture })
  await mkdir(join(folder, 'empty'))
  const empty: Bundle = { name: 'empty', index: join(folder, 'empty/index.mjs'), kilobytes: 0, env: {} }
  await writeFile(empty.index, 'export const handler = async () => {}\n')
  const measuredBundles = (Object.keys(bundles) as FunctionName[]).map(name => ({
    name,
    index: join(bundles[name].folder, 'index.mjs'),
    kilobytes: Math.round(bundles[name].bytes / 1_000),
    env: environment(name),
  }))
  const starts = new Map<string, StartTimes[]>()
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const bundle of [empty, ...measuredBundles]) {
      starts.set(bundle.name, [...(starts.get(bundle.name) ?? []), await measureStart(bundle)])
    }
  }
  const medianOf = (name: string, time: keyof StartTimes) =>
    median((starts.get(name) ?? []).map(start => start[time]))
  console.table(
    [empty, ...measuredBundles].map(({ name, kilobytes }) => ({
      function: name,
      kB: kilobytes,
      'start, ms': Math.round(medianOf(name, 'wallMs')),
      'processor, ms': Math.round(medianOf(name, 'cpuMs')),
      'more than empty, ms': Math.round(medianOf(name, 'wallMs') - medianOf('empty', 'wallMs')),
      'ratio to empty': Number((medianOf(name, 'wallMs') / medianOf('empty', 'wallMs')).toFixed(2)),
    })),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
