import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { generateLake, SMALL_EVENTS } from './generated-lake.ts'

/**
 * `npm run bench:reads`: measures GET /stats of the real service over a month of traffic: the first request after a start
 * and the later ones. For comparison it also measures DuckDB alone on the same columns in one file.
 *   --events 1M     number of events of the large project, such as 10M; 99 other projects are small
 *   --step-hours 24 hours of traffic that form one epoch, which is compacted to warm and to cold
 *   --repeat 10     later requests per project and time range
 */

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1M' },
    'step-hours': { type: 'string', default: '24' },
    repeat: { type: 'string', default: '10' },
  },
})
const events = parseCount(options.events)
const stepHours = Number(options['step-hours'])
const WINDOWS = ['1d', '7d', '30d']

const cache = join(tmpdir(), 'footfall-bench')
// The traffic ends when the lake was generated, so a lake is used for one day.
const today = new Date().toISOString().slice(0, 10)
const folder = join(cache, `reads-${events}-${stepHours}h-${today}`)
mkdirSync(cache, { recursive: true })
for (const name of readdirSync(cache)) {
  if (name.startsWith('reads-') && !name.endsWith(today)) rmSync(join(cache, name), { recursive: true })
}
if (!existsSync(folder)) {
  const started = performance.now()
  const reportProgress = (text: string) => process.stdout.write(`\r\x1b[KGenerating the lake: ${text}`)
  await generateLake(folder, { events, stepHours, reportProgress })
  console.log(`\nGenerated in ${Math.round((performance.now() - started) / 1_000)} s`)
}

printSizes()
const hasColdCache = canDropCaches()
console.log(
  `\nGET /stats, ms (first: the first request after a start${hasColdCache ? ', with an empty file cache' : ''})`,
)
console.log('project         window    first   median      max')
for (const project of ['demo', 'small']) {
  const size = project === 'demo' ? events : SMALL_EVENTS
  for (const since of WINDOWS) {
    if (hasColdCache) dropCaches()
    const service = await startService()
    try {
      const times: number[] = []
      for (let i = 0; i <= Number(options.repeat); i += 1) {
        const { ms, total } = await measureStats(service, project, since)
        times.push(ms)
        if (since === '30d' && total !== size)
          throw new Error(`The response counts ${total} of ${size} events.`)
      }
      const [first, ...later] = times as [number, ...number[]]
      const sorted = later.toSorted((a, b) => a - b)
      const figures = [first, sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
      const name = `${size} events`.padEnd(15)
      console.log(`${name} ${since.padStart(6)} ${figures.map(ms => ms.toFixed(0).padStart(8)).join(' ')}`)
    } finally {
      await service.stop()
    }
  }
}
await printLimit()

type RunningService = { baseUrl: string; apiKey: string; stop(): Promise<void> }

async function startService(): Promise<RunningService> {
  const main = join(import.meta.dirname, '../local/main.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...process.env, DATA_DIR: folder, PORT: '0', SEED_DEMO: 'false' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', chunk => {
      output += chunk
      if (/^ready /m.test(output)) resolve()
    })
    child.on('exit', () => reject(new Error(`The service has ended:\n${output}`)))
  })
  const { base_url, api_key } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))
  const exit = new Promise<void>(resolve => child.on('exit', () => resolve()))
  return {
    baseUrl: base_url,
    apiKey: api_key,
    stop() {
      child.kill('SIGINT')
      return exit
    },
  }
}

async function measureStats({ baseUrl, apiKey }: RunningService, project: string, since: string) {
  const started = performance.now()
  const response = await fetch(`${baseUrl}/stats?project=${project}&since=${since}`, {
    headers: { 'X-API-Key': apiKey },
  })
  const { totals } = (await response.json()) as { totals?: { total_events: number } }
  const ms = performance.now() - started
  if (!totals || totals.total_events === 0)
    throw new Error(`The response with status ${response.status} counts no events.`)
  return { ms, total: totals.total_events }
}

/** Prints the stored bytes per event of a lake in which all events are cold. */
function printSizes(): void {
  const total = events + SMALL_EVENTS + (98 * SMALL_EVENTS) / 10
  console.log(`${total} events of 100 projects and 30 days, all cold`)
  let sum = 0
  for (const table of ['hot', 'warm', 'cold', 'sessions', 'activity']) {
    const sizes = filesBelow(join(folder, 'lake', table)).map(path => statSync(path).size)
    const bytes = sizes.reduce((all, size) => all + size, 0)
    sum += bytes
    console.log(
      `${table.padEnd(9)} ${String(sizes.length).padStart(7)} files ${(bytes / total).toFixed(2).padStart(8)} bytes an event`,
    )
  }
  console.log(`total     ${''.padStart(13)} ${(sum / total).toFixed(2).padStart(8)} bytes an event`)
}

/** Measures the lower limit of a report: DuckDB alone reads the rows of the large project from one sorted file. */
async function printLimit(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' })
  const connection = await instance.connect()
  const file = (table: string) => join(cache, `limit-${table}.parquet`)
  const big = `(SELECT project_id FROM read_parquet('${folder}/lake/activity/*/*/*.parquet')
    GROUP BY 1 ORDER BY sum(event_count) DESC LIMIT 1)`
  for (const table of ['activity', 'sessions', 'cold']) {
    await connection.run(`COPY (SELECT * FROM read_parquet('${folder}/lake/${table}/*/*/*.parquet', hive_partitioning = true)
      WHERE project_id = ${big} ORDER BY date) TO '${file(table)}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)`)
  }
  const queries: [string, string][] = [
    [
      'number of events and of users, from the events',
      `SELECT count(*), count(DISTINCT user_id) FROM '${file('cold')}'`,
    ],
    [
      'number of events and of users, from the rollup',
      `SELECT sum(event_count), count(DISTINCT user_key) FROM '${file('activity')}'`,
    ],
    [
      'number of events and of users by day, from the rollup',
      `SELECT date, sum(event_count), count(DISTINCT user_key) FROM '${file('activity')}' GROUP BY 1`,
    ],
    [
      'number of sessions, from the rollup',
      `SELECT count(*), sum(n) FROM (SELECT session_key, sum(event_count) n FROM '${file('sessions')}' GROUP BY 1)`,
    ],
  ]
  console.log('\nDuckDB alone, 30 days of the large project in one file, 2 threads, best of 3, ms')
  for (const [name, query] of queries) {
    const times: number[] = []
    for (let i = 0; i < 3; i += 1) {
      const started = performance.now()
      await connection.runAndReadAll(query)
      times.push(performance.now() - started)
    }
    console.log(
      `${name.padEnd(60)} ${Math.min(...times)
        .toFixed(0)
        .padStart(6)}`,
    )
  }
  connection.closeSync()
  instance.closeSync()
  for (const table of ['activity', 'sessions', 'cold']) rmSync(file(table))
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** Returns whether this process may empty the system's file cache (root on Linux). */
function canDropCaches(): boolean {
  try {
    dropCaches()
    return true
  } catch {
    return false
  }
}

function dropCaches(): void {
  execFileSync('sync')
  writeFileSync('/proc/sys/vm/drop_caches', '3')
}

function parseCount(text: string): number {
  const match = /^(\d+)([kM]?)$/.exec(text)
  if (match === null) throw new Error(`--events must be a number such as 500k or 10M, not ${text}.`)
  return Number(match[1]) * { '': 1, k: 1_000, M: 1_000_000 }[match[2] as '' | 'k' | 'M']
}
