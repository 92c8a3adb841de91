import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Row } from '#core/ports'
import { type Part, packStatements, partOf } from '#core/sql/packed-statement'
import { resultShape } from '#core/sql/result-shape'
import { sql } from '#core/sql/sql'
import type { LocalQueryEngine } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import { buildLake } from '#test/support/build-lake'
import { isDeepRun } from '#test/support/depth'
import { NOW } from '#test/support/random-history'
import { openTestEngine } from '#test/support/test-engine'
import { type RecordedStatement, recordingEngine } from '#test/trino/recording-engine'
import { runAllReports } from '#test/trino/run-reports'
import { wideLake } from '#test/trino/sample-lakes'

/** Parts of one statement here. */
const PARTS = 6

let dir: string
let duckdb: LocalQueryEngine
/** One statement of each form that the reports have: those that differ in numbers alone are one. */
let statements: RecordedStatement[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'footfall-packed-'))
  const lake = createFolderLake(join(dir, 'lake'))
  const sample = wideLake()
  const { openLake } = await buildLake({ ...sample, lake, tempDir: join(dir, 'temp') })
  duckdb = await openTestEngine({ lakeDir: join(dir, 'lake'), tempDir: dir })
  const engine = recordingEngine(duckdb)
  const project = {
    ...{ id: 'proj_a', name: 'a', bucket: 7, has_event_ids: true },
    created_at: new Date(NOW - 90 * 86_400_000).toISOString(),
  }
  const services = { engine, openLake, clock: { now: () => NOW } }
  await runAllReports(services, project, isDeepRun() ? sample : { ...sample, since: [] })
  const forms = Map.groupBy(engine.recordedStatements(), ({ query }) => query.text.replaceAll(/\d+/g, '0'))
  statements = [...forms.values()].flatMap(
    equal => equal.toSorted((a, b) => b.rows.length - a.rows.length)[0] ?? [],
  )
})
afterAll(async () => {
  await duckdb?.close()
  await rm(dir, { recursive: true, force: true })
})

const partsOf = (recorded: readonly RecordedStatement[]) =>
  recorded.flatMap(({ query, rows }) => {
    const part = partOf(query)
    return part === null ? [] : [{ part, rows }]
  })

function sortedUnlessOrdered({ shape }: Part, rows: readonly Row[]): Row[] {
  const texts = rows.map(row => JSON.stringify(row))
  return (shape.orderBy === null ? texts.toSorted() : texts).map(text => JSON.parse(text))
}

test('the text of a statement of a report says the columns that DuckDB returns', () => {
  const withRows = partsOf(statements).filter(({ rows }) => rows.length > 0)
  expect(withRows.length).toBeGreaterThan(50)
  for (const { part, rows } of withRows) {
    expect(part.shape.columns, part.query.text).toEqual(Object.keys(rows[0] as Row))
  }
})

test('only statements that list events, or all columns of a relation, as funnels do, run alone', () => {
  const alone = statements.filter(({ query }) => partOf(query) === null).map(({ query }) => query.text)
  const others = alone.filter(
    text =>
      !/ORDER BY timestamp( DESC)?, lag_s( DESC)?, seq( DESC)?( LIMIT \d+)?$/.test(text) &&
      !text.trimStart().startsWith('SELECT * FROM (') &&
      !text.startsWith('WITH step_event AS'),
  )
  expect(others.map(text => `${text.slice(0, 120)} … ${text.slice(-160)}`)).toEqual([])
})

test('a packed statement returns the rows of its parts as each returns them alone, in their order', async () => {
  const parts = partsOf(statements)
  for (let i = 0; i < parts.length; i += PARTS) {
    const pack = parts.slice(i, i + PARTS)
    const { query, unpack } = packStatements(pack.map(({ part }) => part))
    const unpacked = unpack(await duckdb.rows(query))
    for (const [number, { part, rows }] of pack.entries()) {
      expect(sortedUnlessOrdered(part, unpacked[number] ?? []), part.query.text).toEqual(
        sortedUnlessOrdered(part, rows),
      )
    }
  }
})

test('every kind of value comes back as it was: null is not empty text, and a text like a number stays text', async () => {
  const query = sql`SELECT 1 AS whole, DOUBLE '0.1' AS fraction, DOUBLE '1e300' AS large, ${''} AS empty, NULL AS nothing,
    ${'1'} AS digits, true AS yes, ${'a;b'} AS text UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, false, NULL ORDER BY whole DESC`
  const other = sql`SELECT 2 AS another`
  const parts = [query, other].map(each => partOf(each) as Part)
  const { query: packed, unpack } = packStatements(parts)
  const [rows, others] = unpack(await duckdb.rows(packed))
  const nothing = {
    whole: null,
    fraction: null,
    large: null,
    empty: null,
    nothing: null,
    digits: null,
    text: null,
  }
  expect(rows).toEqual([
    { whole: 1, fraction: 0.1, large: 1e300, empty: '', nothing: null, digits: '1', yes: true, text: 'a;b' },
    { ...nothing, yes: false },
  ])
  expect(others).toEqual([{ another: 2 }])
})

test('a part without rows has none, beside one that has', async () => {
  const parts = [sql`SELECT 1 AS a FROM (SELECT 1) AS one WHERE false`, sql`SELECT 1 AS a, 2 AS b`].map(
    each => partOf(each) as Part,
  )
  const { query, unpack } = packStatements(parts)
  expect(unpack(await duckdb.rows(query))).toEqual([[], [{ a: 1, b: 2 }]])
})

test.each([
  ['SELECT a, t.b, count(*) AS c FROM t GROUP BY a', ['a', 'b', 'c'], null],
  ["WITH t AS (SELECT 1 AS x ORDER BY x) SELECT ',' AS a FROM t ORDER BY a DESC LIMIT 3", ['a'], 'a DESC'],
  [
    'SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END, a',
    ['a'],
    'CASE WHEN a IS NULL THEN 1 ELSE 0 END, a',
  ],
])('the shape of %s', (text, columns, orderBy) => {
  expect(resultShape({ text })).toEqual({ columns, orderBy })
})

test.each([
  'SELECT * FROM t',
  'SELECT count(*) FROM t',
  'SELECT a FROM t ORDER BY b',
  'SELECT a, a FROM t',
  'SELECT DISTINCT a FROM t',
  'EXPLAIN',
])('%s has no shape that its text says', text => {
  expect(resultShape({ text })).toBeNull()
})
