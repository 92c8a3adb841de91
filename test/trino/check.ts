import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Row, SqlQuery } from '#core/ports'
import { type TableName, tables } from '#schemas/columns'
import { chooseSome, chooseStatements, type LakeStatements } from './choose-statements.ts'
import { createTable } from './create-table.ts'
import { packRecorded, type RecordedPack } from './packs.ts'
import type { RecordedStatement } from './recording-engine.ts'
import { lakeWithAddedColumns, randomLakes, wideLake } from './sample-lakes.ts'
import { watchSql } from './sql-coverage.ts'
import { type TrinoEngine, trinoEngine } from './trino-engine.ts'
import { startTrino } from './trino-server.ts'

// npm run test:trino: runs the statements of the reports on DuckDB, and a part of them on Trino, over the
// same files. Trino gets the text that Athena would get. Both must return the same rows, each statement alone
// and as a part of a packed one. It ends after about 20 minutes on two cores, and says how many statements it
// has not run.

const { values: options } = parseArgs({
  options: {
    /** Every kind of statement, on all lakes, however long it takes: hours. */
    all: { type: 'boolean', default: false },
    /** Of the random lakes, of the odd values and of the choice. */
    seed: { type: 'string', default: '1' },
    /** Statements that run on Trino. */
    count: { type: 'string', default: '400' },
    /** No statement begins on Trino later than this. */
    minutes: { type: 'string', default: '18' },
    /** Of Trino. */
    port: { type: 'string', default: '18080' },
    /** Only statements with one of these texts, such as `people,funnel`; unused SQL is then not sought. */
    text: { type: 'string' },
  },
})
const [SEED, PORT] = [Number(options.seed), Number(options.port)]
const COUNT = options.all ? Number.POSITIVE_INFINITY : Number(options.count)
const DEADLINE = options.all ? Number.POSITIVE_INFINITY : performance.now() + Number(options.minutes) * 60_000
const TEXTS = options.text?.split(',') ?? []
/** The lake that the reports need to use every piece of SQL; with --all also others. */
const SAMPLES = [wideLake(), ...(options.all ? [lakeWithAddedColumns(), ...randomLakes(SEED, 3)] : [])]
/** Statements of each kind. */
const MOST = options.all ? 2 : 1

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
/** Milliseconds between two lines about the progress, so that a run that is stopped has said something. */
const PROGRESS_MS = 15_000
/** Milliseconds that a statement may take on Trino. A busy machine makes one slow, which is no difference. */
const STATEMENT_MS = 120_000

/** What became of statements: each is counted once. */
type Outcome = {
  equal: number
  tooManyStages: number
  tooSlow: number
  notRun: number
  differences: string[]
}

/** The rows of a statement, or why there are none. */
async function rowsOnTrino(trino: TrinoEngine, query: SqlQuery): Promise<Row[] | 'stages' | 'slow' | Error> {
  try {
    return await trino.rows(query, { signal: AbortSignal.timeout(STATEMENT_MS) })
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'slow'
    return TOO_MANY_STAGES.test(String(error)) ? 'stages' : new Error(String(error))
  }
}

/** Runs statements on Trino, each with what its rows are to be: alone, or several as a packed one. */
async function compareAll(
  trino: TrinoEngine,
  name: string,
  asked: readonly (RecordedPack | RecordedStatement)[],
): Promise<Outcome> {
  const outcome: Outcome = { equal: 0, tooManyStages: 0, tooSlow: 0, notRun: 0, differences: [] }
  const partsOf = (each: RecordedPack | RecordedStatement) => ('parts' in each ? each.parts : [each])
  const total = asked.reduce((sum, each) => sum + partsOf(each).length, 0)
  const next = asked.values()
  async function work(): Promise<void> {
    for (const each of next) {
      const parts = partsOf(each)
      if (performance.now() > DEADLINE) {
        outcome.notRun += parts.length
        continue
      }
      const found = await rowsOnTrino(trino, each.query)
      if (found === 'stages') outcome.tooManyStages += parts.length
      else if (found === 'slow') outcome.tooSlow += parts.length
      else {
        const unpacked = found instanceof Error || !('unpack' in each) ? [found] : each.unpack(found)
        for (const [i, { query, rows }] of parts.entries()) {
          const trinoRows = found instanceof Error ? String(found.message) : ((unpacked[i] ?? []) as Row[])
          if (hasSameRows(query, rows, trinoRows)) outcome.equal++
          else
            outcome.differences.push(
              `${'parts' in each ? 'PACKED: ' : ''}${describeDifference(query, rows, trinoRows)}`,
            )
        }
      }
    }
  }
  const logProgress = () => console.log(`  ${name}: ${describe(outcome)}, of ${total}`)
  const progress = setInterval(logProgress, PROGRESS_MS)
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  clearInterval(progress)
  return outcome
}

function describe({ equal, tooManyStages, tooSlow, notRun, differences }: Outcome): string {
  return `${equal} equal, ${differences.length} different, ${tooManyStages} refused for their stages, ${tooSlow} slower than ${STATEMENT_MS / 1_000} s, ${notRun} not run`
}

function addOutcomes(outcomes: readonly Outcome[]): Outcome {
  const sumOf = (field: Exclude<keyof Outcome, 'differences'>) =>
    outcomes.reduce((sum, each) => sum + each[field], 0)
  return {
    ...{ equal: sumOf('equal'), tooManyStages: sumOf('tooManyStages') },
    ...{ tooSlow: sumOf('tooSlow'), notRun: sumOf('notRun') },
    differences: outcomes.flatMap(({ differences }) => differences),
  }
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

function log(text: string): void {
  console.log(`${Math.round(performance.now() / 1000)} s: ${text}`)
}

const root = await mkdtemp(join(tmpdir(), 'footfall-trino-'))
log('Trino starts')
const server = await startTrino({ folder: root }, PORT)
// startTrino ends Trino on these signals, and then nothing else would end this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    rmSync(root, { recursive: true, force: true })
    process.exit(1)
  })
try {
  const recorded: LakeStatements = new Map()
  for (const sample of SAMPLES) {
    const statements = await recordStatements(root, sample, SEED, log)
    recorded.set(sample.name, statements.filter(isSelected))
  }
  log('all reports have run on DuckDB')
  const alone: Outcome[] = []
  const packed: Outcome[] = []
  const kinds = chooseStatements(recorded, MOST)
  let withRows = 0
  for (const [name, statements] of chooseSome(kinds, COUNT, SEED)) {
    const trino = trinoEngine(server.url, name, `local:///${name}`)
    await createTables(trino, name)
    alone.push(await compareAll(trino, name, statements))
    packed.push(await compareAll(trino, `${name}, packed`, packRecorded(statements)))
    withRows += statements.filter(({ rows }) => rows.length > 0).length
    log(`${name}: ${statements.length} of ${recorded.get(name)?.length} statements`)
  }
  const [outcome, ofPacks] = [addOutcomes(alone), addOutcomes(packed)]
  const differences = [...outcome.differences, ...ofPacks.differences]
  for (const text of differences.slice(0, PRINTED_DIFFERENCES)) console.error(`\nDIFFERENT\n${text}\n`)
  const { pieces, unusedPieces: unused } = await coverage.take()
  const unusedPieces = TEXTS.length === 0 ? unused : []
  for (const position of unusedPieces) {
    console.error(`\nNOT USED: no report of test/trino/run-reports.ts uses the SQL at ${position}`)
  }
  log(`alone (${withRows} with rows): ${describe(outcome)}`)
  log(`packed: ${describe(ofPacks)}`)
  log(`${pieces} pieces of SQL, ${unusedPieces.length} not used`)
  if (differences.length > 0 || unusedPieces.length > 0 || outcome.equal === 0) process.exitCode = 1
} finally {
  await server.stop()
  await rm(root, { recursive: true, force: true })
}
