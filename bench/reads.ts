import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { tables } from '#schemas/columns'
import { bareQuestions } from './bare.ts'
import { cachedLake, LAKES, parseCount } from './cached-lake.ts'
import { measureErasures } from './erasures.ts'
import { SMALL_EVENTS } from './generated-lake.ts'
import { type LakeService, startLakeService } from './lake-service.ts'
import { median } from './percentile.ts'
import { type Question, questions } from './questions.ts'

/**
 * `npm run bench -- reads`: measures every report of the real service over a month of traffic in the state
 * that production has: the last two days in small segments, the last ten minutes in hot files, one or two
 * large projects among 1,000 small ones.
 *
 * - `--events 1M`: events of each large project, such as 10M
 * - `--projects 1000`: projects in all
 * - `--event-ids 0`: events of a project that sends each of them with an event_id
 * - `--repeat 5`: requests of each question, after a first one
 * - `--only stats`: only the questions whose names begin so
 * - `--bare`: also measure DuckDB alone, in plain SQL over one sorted file of the events of the large
 *   project, and print the ratio
 * - `--clients`: also measure ten clients at once
 * - `--erasures 0`: measure so many erasures of the large project in a copy of the lake, and nothing else
 */

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1M' },
    projects: { type: 'string', default: '1000' },
    'event-ids': { type: 'string', default: '0' },
    repeat: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    bare: { type: 'boolean', default: false },
    clients: { type: 'boolean', default: false },
    erasures: { type: 'string', default: '0' },
  },
})
const events = parseCount(options.events)
const projects = Number(options.projects)
const eventsWithIds = parseCount(options['event-ids'])
const repeat = Number(options.repeat)

const folder = await cachedLake({ events, projects, eventsWithIds })

const erasures = parseCount(options.erasures)
if (erasures > 0) {
  await measureInCopy(erasures)
  process.exit()
}
printSizes()
const bare: ReadonlyMap<string, number> = options.bare ? await measureBare() : new Map()
console.log('\nms: the first request, the median and the longest of the later ones')
console.log(
  `${'question'.padEnd(30)} ${'project'.padEnd(8)} ${['first', 'median', 'max', 'goal', 'memory MB', ...(options.bare ? ['bare', 'ratio'] : [])].map(name => name.padStart(9)).join(' ')}`,
)
const service = await startLakeService(folder)
try {
  for (const project of ['demo', ...(eventsWithIds > 0 ? ['ids'] : []), 'small']) {
    const goalFactor = project === 'ids' ? 1.3 : 1
    for (const question of questions(await userOf(service, project))) {
      if (!question.name.startsWith(options.only)) continue
      const times: number[] = []
      for (let i = 0; i <= repeat; i += 1) times.push(await measure(service, project, question))
      const [first, ...later] = times as [number, ...number[]]
      const bareMs = project === 'demo' ? bare.get(question.name) : undefined
      const goal = project === 'small' ? 60 : question.goalMs * goalFactor
      const figures = [
        first,
        median(later),
        Math.max(...later),
        goal,
        service.memoryMb(),
        ...(bareMs === undefined ? [] : [bareMs]),
      ]
      const ratio = bareMs === undefined ? '' : (median(later) / bareMs).toFixed(2).padStart(9)
      console.log(
        `${question.name.padEnd(30)} ${project.padEnd(8)} ${figures.map(figure => figure.toFixed(0).padStart(9)).join(' ')} ${ratio}`,
      )
    }
  }
  if (options.clients) await measureClients(service)
} finally {
  await service.stop()
}

/** Measures erasures in a copy of the lake, because they change it. */
async function measureInCopy(count: number): Promise<void> {
  const copy = `${folder}.erased`
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
  const copied = await startLakeService(copy, '600')
  try {
    const { baseUrl, apiKey } = copied
    await measureErasures(
      { baseUrl, apiKey, measure: question => measure(copied, 'demo', question) },
      { count, only: options.only },
    )
    console.log(`memory ${copied.memoryMb().toFixed(0)} MB`)
  } finally {
    await copied.stop()
    rmSync(copy, { recursive: true, force: true })
  }
}

async function userOf(service: LakeService, project: string): Promise<string> {
  const url = `${service.baseUrl}/events?project=${project}&limit=1`
  const response = await fetch(url, { headers: { 'X-API-Key': service.apiKey } })
  const { events } = (await response.json()) as { events: { user_id: string }[] }
  return events[0]?.user_id ?? ''
}

/** Sends a request and returns its time, ms. */
async function measure(
  { baseUrl, apiKey }: LakeService,
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

/**
 * Prints the stored bytes of an event. Files of the largest merged segments are the steady state of a large
 * project.
 */
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

/**
 * How long DuckDB alone takes for the questions, in plain SQL over the events of the large project in one
 * sorted file: the median of `repeat` runs after a first one, ms, by the name of the question.
 */
async function measureBare(): Promise<Map<string, number>> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: '4GB',
    preserve_insertion_order: 'false',
    temp_directory: LAKES,
  })
  const connection = await instance.connect()
  const file = join(LAKES, 'bare.parquet')
  const largest = `(SELECT project_id FROM read_parquet('${folder}/lake/segments/activity/*/*.parquet')
    GROUP BY 1 ORDER BY sum(event_count) DESC LIMIT 1)`
  await connection.run(`COPY (SELECT * FROM read_parquet('${folder}/lake/segments/events/*/*.parquet')
    WHERE project_id = ${largest} ORDER BY timestamp) TO '${file}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)`)
  const rows = await connection.runAndReadAll(`SELECT user_id FROM '${file}' ORDER BY timestamp DESC LIMIT 1`)
  const times = new Map<string, number>()
  for (const { name, days } of questions('')) {
    if (!name.startsWith(options.only)) continue
    await connection.run(`CREATE OR REPLACE VIEW recent AS SELECT * FROM '${file}'
      WHERE timestamp >= current_date - INTERVAL ${days} DAY`)
    const runs: number[] = []
    for (let i = 0; i <= repeat; i += 1) {
      const started = performance.now()
      for (const query of bareQuestions[name]?.(String(rows.getRows()[0]?.[0])) ?? []) {
        await connection.runAndReadAll(query)
      }
      runs.push(performance.now() - started)
    }
    times.set(name, median(runs.slice(1)))
  }
  connection.closeSync()
  instance.closeSync()
  rmSync(file)
  return times
}

/**
 * Ten clients at once: with one question, and with ten different ones. Prints the times beside those of one
 * client, ms.
 */
async function measureClients(service: LakeService): Promise<void> {
  const all = questions(await userOf(service, 'demo')).filter(({ name }) => name.startsWith(options.only))
  const ten = all.filter(({ name }) => !name.startsWith('funnel of 8')).slice(0, 10)
  console.log('\nten clients at once, the large project, ms')
  for (const question of ten) {
    const alone: number[] = []
    for (let i = 0; i < repeat; i += 1) alone.push(await measure(service, 'demo', question))
    const together = await Promise.all(Array.from({ length: 10 }, () => measure(service, 'demo', question)))
    const [one, slowest] = [median(alone), Math.max(...together)]
    console.log(
      `${question.name.padEnd(30)} alone ${one.toFixed(0)}, the slowest of ten ${slowest.toFixed(0)} (${(slowest / one).toFixed(2)})`,
    )
  }
  const started = performance.now()
  for (const question of ten) await measure(service, 'demo', question)
  const inTurns = performance.now() - started
  const different = await Promise.all(ten.map(question => measure(service, 'demo', question)))
  console.log(
    `${ten.length} different questions: one after the other ${inTurns.toFixed(0)}, at once ${Math.max(...different).toFixed(0)}`,
  )
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
