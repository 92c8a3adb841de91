import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { NO_IDENTITY } from '#core/identity/identity-view'
import { encodeLinks } from '#core/identity/links/link-rows'
import type { LinkRow } from '#core/identity/links/links'
import { userHash } from '#core/lake/erase/tombstones'
import type { Lake, QueryEngine, Row } from '#core/ports'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { createFolderLake } from '#local/lake/folder'
import type { Condition } from '#schemas/conditions'
import { writeBatch } from '#test/support/add-erasure'
import { type BuiltLake, buildLake } from '#test/support/build-lake'
import { isDeepRun } from '#test/support/depth'
import { NOW } from '#test/support/random-history'
import { openTestEngine } from '#test/support/test-engine'
import { runIdentityReports } from '#test/trino/run-identity-reports'
import { runAllReports, runChosenReports } from '#test/trino/run-reports'
import { wideLake } from '#test/trino/sample-lakes'

/** DuckDB's joins that compare all rows of one side with all, or with a range, of the other. */
const SLOW_JOIN = /NESTED_LOOP_JOIN|BLOCKWISE_NL_JOIN|CROSS_PRODUCT|PIECEWISE_MERGE_JOIN|IE_JOIN/

const project = {
  id: 'proj_a',
  name: 'a',
  bucket: 7,
  created_at: new Date(NOW - 90 * 86_400_000).toISOString(),
  has_event_ids: true,
}

const ONE_FILE = ['links/bucket=7/1-a.parquet']
const TWO_FILES = [...ONE_FILE, 'links/bucket=7/2-b.parquet']

/**
 * At depth 1 one statement of each form is planned, and in deep runs each statement that differs in more than
 * numbers and dates.
 */
const PLANS_ALL = isDeepRun()

type StatementPlan = { text: string; plan: string }

let dir: string
let openLake: BuiltLake['openLake']
let compactionPlans: StatementPlan[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'footfall-plans-'))
  const lake = createFolderLake(join(dir, 'lake'))
  compactionPlans = recordPlans()
  const built = await buildLake({ ...wideLake(), lake, tempDir: join(dir, 'temp') })
  openLake = built.openLake
  await eraseUser(lake, built)
  for (const file of TWO_FILES) await lake.put(file, encodeLinks(linkedUsers(file !== TWO_FILES[0])))
  vi.restoreAllMocks()
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/**
 * Runs the statements of an erasure: of a segment, of hot files, and of a segment whose manifest was lost.
 */
async function eraseUser(lake: Lake, { compactor, manifests }: BuiltLake): Promise<void> {
  const [segment = expect.unreachable()] = manifests.get(project.bucket)?.segments ?? []
  const erased = { project_id: project.id, users: [userHash('user 3')], until: 4_000_000_000_000 }
  const tombstones = [await writeBatch(lake, { ...erased, bucket: project.bucket })]
  const { bucket } = project
  // The reports read the segment as it was: the rewritten one has another name, and no manifest names it.
  const rewritten = await compactor.rewriteSegment({ bucket, segment, generation: 1, tombstones })
  expect(rewritten?.removed[0]?.events).toBeGreaterThan(0)
  await compactor.describeSegment(bucket, { ...segment, generation: 1 })
  await compactor.rewriteHot({ keys: ['hot/epoch=1/0-0-0.parquet'], buckets: [{ bucket, tombstones }] })
}

/** The older file links half of the users, the newer one some of those that they are linked to. */
function linkedUsers(isNewer: boolean): LinkRow[] {
  return Array.from({ length: isNewer ? 5 : 23 }, (_, i) => {
    const from = isNewer ? i * 2 + 1 : i * 2
    const [previous_id, linked_id] = [`user ${from}`, isNewer ? 'user 99' : `user ${from + 1}`]
    return { scope: project.id, previous_id, user_id: linked_id, linked_id, at: i, seq: i }
  })
}

/**
 * Records the plan of each statement that any connection runs. The first sort of events fails for lack of
 * memory.
 */
function recordPlans(): StatementPlan[] {
  const plans: StatementPlan[] = []
  const run = DuckDBConnection.prototype.run
  let lacksMemory = true
  vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(async function (
    this: DuckDBConnection,
    text,
    ...values
  ) {
    if (lacksMemory && text.startsWith('COPY') && text.includes('session_starts')) {
      lacksMemory = false
      throw new Error('Out of Memory Error: simulated')
    }
    // A text may have several statements, and each may need the tables of those before it.
    const statements = text.split(/;\s*(?=\S)/)
    for (const [i, statement] of statements.entries()) {
      const plan = await run.call(this, `EXPLAIN (FORMAT json) ${statement}`)
      plans.push({ text: statement, plan: (await plan.getRows()).flat().join('\n') })
      if (i < statements.length - 1) await run.call(this, statement)
    }
    return run.call(this, statements.at(-1) as string, ...values)
  })
  return plans
}

function textsWithSlowJoin(plans: readonly StatementPlan[]): string[] {
  return plans.filter(({ plan }) => SLOW_JOIN.test(plan)).map(({ text }) => text)
}

test('DuckDB plans every join of compaction, merges and rewrites as a hash join, also when it writes events in slices', () => {
  const joins = compactionPlans.filter(({ plan }) => plan.includes('JOIN'))
  expect(joins.filter(({ text }) => text.includes('INSERT INTO copies')).length).toBeGreaterThan(0)
  expect(joins.filter(({ text }) => text.includes('JOIN sorted_keys')).length).toBeGreaterThan(0)
  expect(textsWithSlowJoin(joins)).toEqual([])
})

test('DuckDB plans every join of the reports as a hash join', async () => {
  const duckdb = await openTestEngine({
    lakeDir: join(dir, 'lake'),
    tempDir: dir,
  })
  const plans = new Map<string, StatementPlan>()
  /** Rows for statements of the same shape, because a report may need rows for its next statement. */
  const rowsOfShape = new Map<string, Row[]>()
  /** Without running the statements: then a report that needs rows for its next statement has none. */
  let isPlanOnly = false
  const engine: QueryEngine = {
    async rows(query, options) {
      // Statements that differ only in numbers and dates have the same joins.
      const shape = query.text.replaceAll(/\d+/g, '0')
      const key = PLANS_ALL ? shape : joinsOf(shape)
      const isPlanned = plans.has(key)
      if (!isPlanned) {
        // The plan as JSON takes two thirds of the time of a drawn one.
        const rows = await duckdb.rows({ ...query, text: `EXPLAIN (FORMAT json) ${query.text}` }, options)
        plans.set(key, { text: query.text, plan: planOf(rows) })
      }
      const rows = rowsOfShape.get(shape)
      if (rows !== undefined) return rows
      if (isPlanOnly || (isPlanned && !PLANS_ALL)) return []
      rowsOfShape.set(shape, await duckdb.rows(query, options))
      return rowsOfShape.get(shape) as Row[]
    },
  }
  const services = { engine, openLake, clock: { now: () => NOW } }
  try {
    await runAllReports(services, project, { ...wideLake(), since: [] })
    // Two minutes more.
    if (PLANS_ALL) await runChosenReports(services, project)
    isPlanOnly = true
    // The same with linked and erased users, joined projects, look-ups of a person, and reads of all
    // projects.
    const other = { ...project, id: 'proj_b', name: 'b', has_event_ids: false }
    const lake = createFolderLake(join(dir, 'lake'))
    await runIdentityReports(services, lake, [project, other], { ...wideLake(), since: [] })
    // Half of the users are linked. Two files of links need one more join than one file.
    for (const files of PLANS_ALL ? [TWO_FILES, ONE_FILE] : []) {
      const identity = {
        ...NO_IDENTITY,
        links: { scope: project.id, bucket: 7, files, hops: files.length - 1 },
      }
      await runAllReports({ ...services, identity }, project, { ...wideLake(), since: [] })
    }
  } finally {
    await duckdb.close()
  }
  const joins = [...plans.values()].filter(({ plan }) => plan.includes('JOIN'))
  for (const join of [
    'copied_key',
    'previous_arrival',
    'earlier_key',
    'timestamp IN',
    'whole_session',
    'returning_user',
    'previous_id',
    'previous_key',
    'coalesce(to_1, linked_key)',
  ]) {
    expect(joins.filter(({ text }) => text.includes(join)).length).toBeGreaterThan(0)
  }
  expect(textsWithSlowJoin(joins)).toEqual([])
})

/**
 * The joins of a statement with their conditions, in order. DuckDB chooses the kind of a join by its
 * condition, so statements with the same joins have the same form.
 */
function joinsOf(text: string): string {
  const parts =
    /\bJOIN\s+\w*|\bON\b[^\n]*(?:\n\s*AND\b[^\n]*)*|\bUSING\s*\([^)]*\)|\b(?:NOT )?(?:EXISTS|IN) \(SELECT|\b\w+ IN\b/g
  return (text.match(parts) ?? []).join(' ')
}

function planOf(rows: readonly Row[]): string {
  return rows.map(row => Object.values(row).join('\n')).join('\n')
}

const EVENT: Condition = { field: 'event', op: 'eq', value: 'signup' }
const COUNTRY: Condition = { field: 'country', op: 'in', value: ['DE', 'FR'] }
const [BY_EVENT, BY_COUNTRY] = ["event='signup'", "country='DE' OR country='FR'"]

test.each<[string, Condition, string[]]>([
  ['a condition of events', COUNTRY, [BY_COUNTRY]],
  ['both parts of an AND', { and: [EVENT, COUNTRY] }, [BY_EVENT, BY_COUNTRY]],
  ['what happened in a session', { session: EVENT }, [BY_EVENT]],
  ['what a person did', { did: { event: 'signup', where: COUNTRY } }, [BY_EVENT, BY_COUNTRY]],
  ['what a person has', { person: COUNTRY }, [BY_COUNTRY]],
])('a scan of DuckDB takes %s, so that it leaves out what does not pass', async (_, where, filters) => {
  const duckdb = await openTestEngine({ lakeDir: join(dir, 'lake'), tempDir: dir })
  const plans: string[] = []
  const engine: QueryEngine = {
    async rows(query, options) {
      const text = `EXPLAIN (FORMAT json) ${query.text}`
      plans.push(planOf(await duckdb.rows({ ...query, text }, options)))
      return duckdb.rows(query, options)
    },
  }
  try {
    const services = { engine, openLake, clock: { now: () => NOW } }
    await runReport(stats, services, { project, query: { since: '60d', groupBy: 'day', where } })
  } finally {
    await duckdb.close()
  }
  const scans = plans.flatMap(plan => plan.match(/"Filters": (?:\[[^\]]*\]|"[^\n]*")/g) ?? [])
  expect(scans.some(scan => filters.every(filter => scan.includes(filter)))).toBe(true)
})
