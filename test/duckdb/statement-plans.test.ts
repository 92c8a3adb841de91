import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, expect, test, vi } from 'vitest'
import type { QueryEngine, Row } from '#core/ports'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import { buildLake } from '#test/support/build-lake'
import { NOW } from '#test/support/random-history'
import { runAllReports } from '#test/trino/run-reports'
import { wideLake } from '#test/trino/sample-lakes'

/** DuckDB's joins that compare all rows of one side with all, or with a range, of the other. */
const SLOW_JOIN = /NESTED_LOOP_JOIN|BLOCKWISE_NL_JOIN|CROSS_PRODUCT|PIECEWISE_MERGE_JOIN|IE_JOIN/

const CREATED = new Date(NOW - 90 * 86_400_000).toISOString()
const dirs: string[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true })
})

async function buildSampleLake() {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-plans-'))
  dirs.push(dir)
  const lakeDir = join(dir, 'lake')
  const snapshot = await buildLake({
    ...wideLake(),
    lake: createFolderLake(lakeDir),
    tempDir: join(dir, 'temp'),
  })
  return { dir, lakeDir, snapshot }
}

type StatementPlan = { text: string; plan: string }

function textsWithSlowJoin(plans: readonly StatementPlan[]): string[] {
  return plans.filter(({ plan }) => SLOW_JOIN.test(plan)).map(({ text }) => text)
}

function planOf(rows: readonly Row[]): string {
  return rows.map(row => Object.values(row).join('\n')).join('\n')
}

test('DuckDB plans every join of the reports as a hash join', async () => {
  const { dir, lakeDir, snapshot } = await buildSampleLake()
  const duckdb = await openQueryEngine({ lakeDir, tempDir: dir, log: () => {}, threads: 1 })
  const plans: StatementPlan[] = []
  const engine: QueryEngine = {
    async rows(query, options) {
      const plan = planOf(await duckdb.rows({ ...query, text: `EXPLAIN ${query.text}` }, options))
      plans.push({ text: query.text, plan })
      return duckdb.rows(query, options)
    },
  }
  try {
    const services = { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } }
    for (const has_event_ids of [true, false]) {
      const project = { id: 'proj_a', name: 'a', bucket: 7, created_at: CREATED, has_event_ids }
      await runAllReports(services, project, wideLake())
    }
  } finally {
    await duckdb.close()
  }
  expect(plans.filter(({ plan }) => plan.includes('HASH_JOIN')).length).toBeGreaterThan(0)
  expect(textsWithSlowJoin(plans)).toEqual([])
})

test('DuckDB plans every join of compaction as a hash join, also when it writes events in slices', async () => {
  const plans: StatementPlan[] = []
  const run = DuckDBConnection.prototype.run
  let lacksMemory = true
  vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(async function (
    this: DuckDBConnection,
    text,
    ...values
  ) {
    const plan = await run.call(this, `EXPLAIN ${text}`)
    plans.push({ text, plan: (await plan.getRows()).flat().join('\n') })
    if (lacksMemory && text.startsWith('COPY') && text.includes('session_starts')) {
      lacksMemory = false
      throw new Error('Out of Memory Error: simulated')
    }
    return run.call(this, text, ...values)
  })
  await buildSampleLake()
  const joins = plans.filter(({ plan }) => plan.includes('JOIN'))
  expect(joins.filter(({ text }) => text.includes('CREATE TABLE copies')).length).toBeGreaterThan(0)
  expect(joins.filter(({ text }) => text.includes('JOIN sorted_keys')).length).toBeGreaterThan(0)
  expect(textsWithSlowJoin(joins)).toEqual([])
})
