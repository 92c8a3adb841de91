import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '#schemas/columns'
import { NODE_ARGS } from './bench-service.ts'
import { generateLake, SMALL_EVENTS } from './generated-lake.ts'
import { type Question, questions } from './questions.ts'

/**
 * `npm run bench:reads`: measures every report of the real service over a month of traffic in the state that production has:
 * the last two days in small segments, the last ten minutes in hot files, one or two large projects among 1,000 small ones.
 * For comparison it measures DuckDB alone on the same columns in one sorted file.
 *   --events 1M      number of events of each large project, such as 10M
 *   --projects 1000  projects in all
 *   --event-ids 0    events of a project that sends each of them with an event_id
 *   --repeat 5       requests of each question, after a first one
 *   --only stats     measures only the questions whose name begins so
 */

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1M' },
    projects: { type: 'string', default: '1000' },
    'event-ids': { type: 'string', default: '0' },
    repeat: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
})
const events = parseCount(options.events)
const projects = Number(options.projects)
const eventsWithIds = parseCount(options['event-ids'])
const repeat = Number(options.repeat)

const cache = join(tmpdir(), 'footfall-bench')
// The traffic ends when the lake was generated, so a lake is used for one day.
const today = new Date().toISOString().slice(0, 10)
const folder = join(cache, `reads-${events}-${projects}-${eventsWithIds}-${today}`)
mkdirSync(cache, { recursive: true })
for (const name of readdirSync(cache)) {
  if (name.startsWith('reads-') && !name.endsWith(today)) rmSync(join(cache, name), { recursive: true })
}
if (!existsSync(folder)) {
  const started = performance.now()
  const reportProgress = (text: string) => process.stdout.write(`\r\x1b[KGenerating the lake: ${text}`)
  await generateLake(folder, { events, eventsWithIds, projects, reportProgress })
  console.log(`\nGenerated in ${Math.round((performance.now() - started) / 1_000)} s`)
}

printSizes()
console.log('\nms: the first request, the median and the longest of the later ones')
console.log(
  `${'question'.padEnd(30)} ${'project'.padEnd(8)} ${['first', 'median', 'max', 'goal', 'memory MB'].map(name => name.padStart(9)).join(' ')}`,
)
const service = await startService()
try {
  for (const project of ['demo', ...(eventsWithIds > 0 ? ['ids'] : []), 'small']) {
    const goalFactor = project === 'ids' ? 1.3 : 1
    for (const question of questions(await userOf(service, project))) {
      if (!question.name.startsWith(options.only)) continue
      const times: number[] = []
      for (let i = 0; i <= repeat; i += 1) times.push(await measure(service, project, question))
      const [first, ...later] = times as [number, ...number[]]
      const sorted = later.toSorted((a, b) => a - b)
      const goal = project === 'small' ? 60 : question.goalMs * goalFactor
      const figures = [
        first,
        sorted[Math.floor(sorted.length / 2)] ?? 0,
        sorted.at(-1) ?? 0,
        goal,
        service.memoryMb(),
      ]
      console.log(
        `${question.name.padEnd(30)} ${project.padEnd(8)} ${figures.map(figure => figure.toFixed(0).padStart(9)).join(' ')}`,
      )
    }
  }
} finally {
  await service.stop()
}
await printLimit()

type RunningService = { baseUrl: string; apiKey: string; memoryMb(): number; stop(): Promise<void> }

async function startService(): Promise<RunningService> {
  const main = join(import.meta.dirname, '../local/main.ts')
  const child = spawn(process.execPath, [...NODE_ARGS, main], {
    // A long epoch, so that the hot files stay hot.
    env: { ...process.env, DATA_DIR: folder, PORT: '0', SEED_DEMO: 'false', EPOCH_SECONDS: '86400' },
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
    memoryMb() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
    },
    stop() {
      child.kill('SIGINT')
      return exit
    },
  }
}

async function userOf(service: RunningService, project: string): Promise<string> {
  const url = `${service.baseUrl}/events?project=${project}&limit=1`
  const response = await fetch(url, { headers: { 'X-API-Key': service.apiKey } })
  const { events } = (await response.json()) as { events: { user_id: string }[] }
  return events[0]?.user_id ?? ''
}

/** Sends a request and returns its time, ms. */
async function measure(
  { baseUrl, apiKey }: RunningService,
  project: string,
  { path, query, body }: Question,
): Promise<number> {
  const url = new URL(path, baseUrl)
  if (body === undefined) {
    for (const [name, value] of Object.entries({ project, ...query })) url.searchParams.set(name, value)
  }
  const headers = { 'X-API-Key': apiKey }
  const started = performance.now()
  const response = await fetch(
    url,
    body === undefined
      ? { headers }
      : { method: 'POST', headers, body: JSON.stringify({ project, ...body }) },
  )
  const text = await response.text()
  const ms = performance.now() - started
  if (!response.ok) throw new Error(`${path} of ${project}: status ${response.status}, ${text}`)
  return ms
}

/** Prints the stored bytes of an event. Files of the largest merged segments are the steady state of a large project. */
function printSizes(): void {
  const total = events + eventsWithIds + SMALL_EVENTS + ((projects - 2) * SMALL_EVENTS) / 10
  console.log(`${total} events of ${projects} projects and 30 days`)
  let sum = 0
  for (const { prefix } of Object.values(tables)) {
    const sizes = filesBelow(join(folder, 'lake', prefix)).map(path => statSync(path).size)
    const bytes = sizes.reduce((all, size) => all + size, 0)
    sum += bytes
    console.log(
      `${prefix.padEnd(20)} ${String(sizes.length).padStart(7)} files ${(bytes / total).toFixed(2).padStart(8)} bytes an event`,
    )
  }
  console.log(`total ${''.padStart(30)} ${(sum / total).toFixed(2).padStart(8)} bytes an event`)
}

/** Measures the lower limit of a report: DuckDB alone reads the rows of the large project from one sorted file. */
async function printLimit(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' })
  const connection = await instance.connect()
  const file = (table: string) => join(cache, `limit-${table}.parquet`)
  const big = `(SELECT project_id FROM read_parquet('${folder}/lake/segments/activity/*/*.parquet')
    GROUP BY 1 ORDER BY sum(event_count) DESC LIMIT 1)`
  for (const table of ['activity', 'sessions', 'events']) {
    await connection.run(`COPY (SELECT * FROM read_parquet('${folder}/lake/segments/${table}/*/*.parquet')
      WHERE project_id = ${big} ORDER BY ${table === 'events' ? 'timestamp' : 'date'}) TO '${file(table)}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)`)
  }
  const queries: [string, string][] = [
    [
      'number of events and of users, from the events',
      `SELECT count(*), count(DISTINCT user_id) FROM '${file('events')}'`,
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
  for (const table of ['activity', 'sessions', 'events']) rmSync(file(table))
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function parseCount(text: string): number {
  const match = /^(\d+)([kM]?)$/.exec(text)
  if (match === null) throw new Error(`--events must be a number such as 500k or 10M, not ${text}.`)
  return Number(match[1]) * { '': 1, k: 1_000, M: 1_000_000 }[match[2] as '' | 'k' | 'M']
}
