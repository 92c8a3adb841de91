import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Row, SqlQuery } from '#core/ports'
import { type TableName, tables } from '#schemas/columns'
import { chooseStatements, type LakeStatements } from './choose-statements.ts'
import { createTable } from './create-table.ts'
import { packRecorded } from './packs.ts'
import type { RecordedStatement } from './recording-engine.ts'
import { lakeWithAddedColumns, randomLakes, wideLake } from './sample-lakes.ts'
import { watchSql } from './sql-coverage.ts'
import { type TrinoEngine, trinoEngine } from './trino-engine.ts'
import { startTrino } from './trino-server.ts'

// npm run test:trino: runs the statements of the reports on DuckDB, and statements of every kind on Trino,
// over the same files. Trino gets the text that Athena would get. Both must return the same rows, each
// statement alone and as a part of a packed one.
// FOOTFALL_TRINO_LAKES number of random lakes, in addition to the fixed ones; default 3 FOOTFALL_TRINO_MOST
// statements of each kind that run on Trino; default 2 FOOTFALL_TRINO_SEED seed of the random lakes; default
// 1 FOOTFALL_TRINO_PORT default 18080 FOOTFALL_TRINO_TEXT runs only the statements with one of these texts,
// such as `people,funnel`, and does not look for unused SQL

const LAKES = Number(process.env.FOOTFALL_TRINO_LAKES ?? 3)
const MOST = Number(process.env.FOOTFALL_TRINO_MOST ?? 2)
const SEED = Number(process.env.FOOTFALL_TRINO_SEED ?? 1)
const TEXTS = process.env.FOOTFALL_TRINO_TEXT?.split(',') ?? []
const PORT = Number(process.env.FOOTFALL_TRINO_PORT ?? 18080)

/** Statements that run on Trino at the same time. */
const CONCURRENCY = 2
/** Differences that are printed in full. */
const PRINTED_DIFFERENCES = 5

const coverage = await watchSql()
// The coverage sees only modules that are imported after it has started.
const { recordStatements } = await import('./record-statements.ts')

function isSelected({ query }: RecordedStatement): boolean {
  return TEXTS.length === 0 || TEXTS.some(text => query.text.includes(text))
}

async function createTables(trino: TrinoEngine, schema: string): Promise<void> {
  await trino.run(`CREATE SCHEMA lake.${schema}`)
  for (const table of Object.keys(tables) as TableName[]) {
    await trino.run(createTable(schema, table, `local:///${schema}`))
  }
}

/**
 * Trino plans no statement of more stages than it allows. The service answers 400 then
 * (docs/api/conditions.md).
 */
const TOO_MANY_STAGES = /number of stages/i
/** Statements between two lines about the progress, so that a run that is stopped has said something. */
const PROGRESS = 100

/**
 * Runs the statements on Trino. Returns a text for each that Trino refuses or that returns other rows. Those
 * that need too many stages are counted and named in the progress alone.
 */
async function findDifferences(
  trino: TrinoEngine,
  statements: readonly RecordedStatement[],
): Promise<string[]> {
  const differences: string[] = []
  let [compared, tooLarge] = [0, 0]
  const nextStatements = statements.values()
  async function work(): Promise<void> {
    for (const { query, rows } of nextStatements) {
      const trinoRows = await trino.rows(query).catch((error: unknown) => String(error))
      if (typeof trinoRows === 'string' && TOO_MANY_STAGES.test(trinoRows)) tooLarge++
      else if (!hasSameRows(query, rows, trinoRows))
        differences.push(describeDifference(query, rows, trinoRows))
      if (++compared % PROGRESS === 0) logProgress()
    }
  }
  function logProgress(): void {
    console.log(
      `  ${compared} of ${statements.length}: ${differences.length} differ, ${tooLarge} have too many stages`,
    )
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  logProgress()
  return differences
}

/** The same for packed statements: of each part that Trino refuses or returns with other rows. */
async function findPackDifferences(
  trino: TrinoEngine,
  statements: readonly RecordedStatement[],
): Promise<string[]> {
  const differences: string[] = []
  for (const { query, parts, unpack } of packRecorded(statements)) {
    const unpacked = await trino.rows(query).then(unpack, (error: unknown) => String(error))
    for (const [i, { query, rows }] of parts.entries()) {
      const trinoRows = typeof unpacked === 'string' ? unpacked : (unpacked[i] ?? [])
      if (!hasSameRows(query, rows, trinoRows))
        differences.push(`PACKED: ${describeDifference(query, rows, trinoRows)}`)
    }
  }
  return differences
}

/** Whether both engines returned the same rows. The order counts only where the statement gives one. */
function hasSameRows(
  { text }: SqlQuery,
  duckdbRows: readonly Row[],
  trinoRows: readonly Row[] | string,
): boolean {
  if (typeof trinoRows === 'string' || isOrdered(text)) return isDeepStrictEqual(trinoRows, duckdbRows)
  return isDeepStrictEqual(toSortedTexts(trinoRows), toSortedTexts(duckdbRows))
}

/** Whether the statement itself has an ORDER BY, not only one of its parts in parentheses. */
function isOrdered(text: string): boolean {
  const outer = text.replace(/\([^()]*\)/g, '')
  return outer === text ? /\bORDER BY\b/.test(text) : isOrdered(outer)
}

function toSortedTexts(rows: readonly Row[]): string[] {
  return rows.map(row => JSON.stringify(row)).toSorted()
}

function describeDifference({ text, params }: SqlQuery, duckdbRows: unknown, trinoRows: unknown): string {
  return `${text}
  values  ${JSON.stringify(params)}
  DuckDB  ${JSON.stringify(duckdbRows)}
  Trino   ${JSON.stringify(trinoRows)}`
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000)
}

const started = performance.now()
const root = await mkdtemp(join(tmpdir(), 'footfall-trino-'))
const server = await startTrino({ folder: root }, PORT)
try {
  const recorded: LakeStatements = new Map()
  for (const sample of [wideLake(), lakeWithAddedColumns(), ...randomLakes(SEED, LAKES)]) {
    recorded.set(sample.name, (await recordStatements(root, sample, SEED)).filter(isSelected))
  }
  console.log(`${secondsSince(started)} s: all reports have run on DuckDB`)
  let compared = 0
  let withRows = 0
  let different = 0
  for (const [name, statements] of chooseStatements(recorded, MOST)) {
    const trino = trinoEngine(server.url, name, `local:///${name}`)
    await createTables(trino, name)
    const differences = [
      ...(await findDifferences(trino, statements)),
      ...(await findPackDifferences(trino, statements)),
    ]
    const all = recorded.get(name)?.length
    console.log(
      `${secondsSince(started)} s: ${name}: ${statements.length} of ${all} statements, ${differences.length} of them differ`,
    )
    for (const text of differences.slice(0, Math.max(0, PRINTED_DIFFERENCES - different))) {
      console.error(`\nDIFFERENT\n${text}\n`)
    }
    different += differences.length
    compared += statements.length
    withRows += statements.filter(({ rows }) => rows.length > 0).length
  }
  const { pieces, unusedPieces: unused } = await coverage.take()
  const unusedPieces = TEXTS.length === 0 ? unused : []
  for (const position of unusedPieces) {
    console.error(`\nNOT USED: no report of test/trino/run-reports.ts uses the SQL at ${position}`)
  }
  console.log(
    `\n${compared} statements compared (${withRows} with rows), ${different} differ; ` +
      `${pieces} pieces of SQL, ${unusedPieces.length} not used; ${secondsSince(started)} s`,
  )
  if (different > 0 || unusedPieces.length > 0 || compared === 0) process.exitCode = 1
} finally {
  await server.stop()
  await rm(root, { recursive: true, force: true })
}
