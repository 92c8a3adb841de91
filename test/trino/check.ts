import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { SqlQuery } from '#core/ports'
import { type TableName, tables } from '#schemas/columns'
import { NOW } from '#test/support/random-history'
import { createTable } from './create-table.ts'
import { oddValues } from './odd-values.ts'
import { type Recorded, recordingEngine } from './recording-engine.ts'
import { randomLakes, type SampleLake, wideLake } from './sample-lakes.ts'
import { watchSql } from './sql-coverage.ts'
import { type TrinoEngine, trinoEngine } from './trino-engine.ts'
import { startTrino } from './trino-server.ts'

// npm run test:trino: every statement that the reports send to DuckDB is sent to Trino too, as Athena would get it,
// over the same files, and has to give the same rows.
//   FOOTFALL_TRINO_LAKES   random lakes beside the fixed one; default 6
//   FOOTFALL_TRINO_SEED    of the random lakes; default 1
//   FOOTFALL_TRINO_PORT    default 18080

const LAKES = Number(process.env.FOOTFALL_TRINO_LAKES ?? 6)
const SEED = Number(process.env.FOOTFALL_TRINO_SEED ?? 1)
const PORT = Number(process.env.FOOTFALL_TRINO_PORT ?? 18080)

/** The last one has no events. */
const PROJECTS = ['proj_a', 'proj_b', 'proj_none']
const CREATED = new Date(NOW - 90 * 86_400_000).toISOString()
/** Statements that Trino is given at a time. */
const AT_ONCE = 2
/** Differences that are printed whole. */
const SHOWN = 5

const coverage = await watchSql()
// Loaded after the coverage has begun to watch.
const { askReports } = await import('./ask-reports.ts')
const { buildLake } = await import('#test/support/lake-builder')
const { createFolderLake } = await import('#local/lake/folder')
const { openQueryEngine } = await import('#local/lake/query-engine')

/** Writes a lake, asks all reports of it on DuckDB, and returns the statements that they sent. */
async function record(root: string, given: SampleLake): Promise<Recorded[]> {
  const lakeDir = join(root, given.name)
  for (const { prefix } of Object.values(tables)) await mkdir(join(lakeDir, prefix), { recursive: true })
  const tempDir = join(root, '.temp')
  const snapshot = await buildLake({ ...given, lake: createFolderLake(lakeDir), tempDir })
  const duckdb = await openQueryEngine({ lakeDir, tempDir, log: () => {} })
  try {
    const engine = recordingEngine(duckdb)
    const services = { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } }
    for (const id of PROJECTS) {
      for (const has_event_ids of [true, false]) {
        await askReports(services, { id, name: id, bucket: 7, created_at: CREATED, has_event_ids }, given)
      }
    }
    for (const query of oddValues(SEED)) await engine.rows(query)
    return engine.recorded()
  } finally {
    await duckdb.close()
  }
}

async function makeTables(trino: TrinoEngine, schema: string): Promise<void> {
  await trino.run(`CREATE SCHEMA lake.${schema}`)
  for (const table of Object.keys(tables) as TableName[]) {
    await trino.run(createTable(schema, table, `local:///${schema}`))
  }
}

/** Sends the statements to Trino and returns what was refused or answered differently. */
async function replay(trino: TrinoEngine, recorded: readonly Recorded[]): Promise<string[]> {
  const wrong: string[] = []
  const waiting = recorded.values()
  async function work(): Promise<void> {
    for (const { query, rows } of waiting) {
      const found = await trino.rows(query).catch((error: unknown) => String(error))
      if (!isDeepStrictEqual(found, rows)) wrong.push(difference(query, rows, found))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return wrong
}

function difference({ text, params }: SqlQuery, duckdb: unknown, trino: unknown): string {
  return `${text}\n  values  ${JSON.stringify(params)}\n  DuckDB  ${JSON.stringify(duckdb)}\n  Trino   ${JSON.stringify(trino)}`
}

const started = performance.now()
const root = await mkdtemp(join(tmpdir(), 'footfall-trino-'))
const server = await startTrino({ folder: root }, PORT)
try {
  let compared = 0
  let withRows = 0
  const wrong: string[] = []
  for (const given of [wideLake(), ...randomLakes(SEED, LAKES)]) {
    const recorded = await record(root, given)
    const trino = trinoEngine(server.url, given.name)
    await makeTables(trino, given.name)
    const found = await replay(trino, recorded)
    console.log(`${given.name}: ${recorded.length} statements, ${found.length} of them differ`)
    for (const text of found.slice(0, Math.max(0, SHOWN - wrong.length)))
      console.error(`\nDIFFERENT\n${text}\n`)
    wrong.push(...found)
    compared += recorded.length
    withRows += recorded.filter(({ rows }) => rows.length > 0).length
  }
  const { pieces, missing } = await coverage.take()
  for (const place of missing)
    console.error(`\nNOT ASKED: no question of test/trino/ask-reports.ts reaches ${place}`)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    `\n${compared} statements compared (${withRows} with rows), ${wrong.length} differ; ` +
      `${pieces} pieces of SQL, ${missing.length} not asked; ${seconds} s`,
  )
  if (wrong.length > 0 || missing.length > 0 || compared === 0) process.exitCode = 1
} finally {
  await server.stop()
  await rm(root, { recursive: true, force: true })
}
