import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SqlQuery } from '#core/ports'
import type { QueryParams } from '#core/reports/query/params'
import { percentile, rankedNumbers } from '#core/reports/query/percentiles'
import { query } from '#core/reports/query/query'
import { createNotes } from '#core/reports/run/notes'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { sql } from '#core/sql/sql'
import { testProject } from '#test/support/account-fixtures'
import { repeats } from '#test/support/depth'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'
import { openTestEngine } from '#test/support/test-engine'

const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
const EVENTS = 3_000

let folder: FolderLake
let services: ReportServices

// The values are of all sizes and signs, and each third event has a text that is no finite number.
const values = Array.from({ length: EVENTS }, (_, i) => (i % 2 === 0 ? 1 : -1) * 1.37 ** (i % 90) * (i + 1))
const TEXTS = ['1e999', '-1e999', '9'.repeat(400), 'NaN', 'Infinity', ' 5', '5d', '0x10']

beforeAll(async () => {
  folder = await openFolderLake()
  const events = values.map((value, i) => ({
    event: i % 3 === 0 ? 'order' : 'refund',
    properties: { value: i % 3 === 1 ? TEXTS[i % TEXTS.length] : value },
  }))
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(() => folder.close())

const defaults: QueryParams = {
  ...{ metrics: [], group_by: [], filters: [], count_mode: 'raw', order: 'desc', limit: 10 },
}
const METRICS = ['p50', 'p95'].map(name => `${name}(properties.value)`)

async function ask(body: Partial<QueryParams>, exactValues?: number) {
  const notes = createNotes()
  const response = await runReport(
    query,
    { ...services, exactValues, notes },
    { project, body: { ...defaults, ...body } },
  )
  return { rows: response.rows, isExact: notes.isExact }
}

/** The value at the nearest rank. */
function rank(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN
}

const numbersOf = (event: string) =>
  values.filter((_, i) => i % 3 !== 1 && (i % 3 === 0 ? 'order' : 'refund') === event)

test('percentiles are exact where the range has few events', async () => {
  const { rows, isExact } = await ask({ metrics: METRICS, group_by: ['event'], order_by: 'event' })
  expect(isExact).toBe(true)
  expect(rows).toEqual(
    ['refund', 'order'].map(event => ({
      event,
      'p50(properties.value)': rank(numbersOf(event), 50),
      'p95(properties.value)': rank(numbersOf(event), 95),
    })),
  )
})

test('with more events than the memory holds, percentiles are exact to 0.03 %, and the receipt says that', async () => {
  const { rows, isExact } = await ask({ metrics: METRICS, group_by: ['event'] }, EVENTS - 1)
  expect(isExact).toBe(false)
  for (const row of rows) {
    for (const percent of [50, 95]) {
      const exact = rank(numbersOf(String(row.event)), percent)
      const found = Number(row[`p${percent}(properties.value)`])
      expect(found).not.toBe(exact)
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.abs(exact) * 3e-4)
    }
  }
  expect(await ask({ metrics: METRICS, group_by: ['event'] }, EVENTS * 2)).toMatchObject({ isExact: true })
})

test('a query without percentiles is exact with any number of events', async () => {
  const { isExact } = await ask({ metrics: ['sum(properties.value)'] }, 0)
  expect(isExact).toBe(true)
})

const metricOf = (column: 'column_0' | 'column_1') =>
  ({
    name: 'p50(properties.value)',
    rowsOf: 'ranks',
    column: { alias: column === 'column_0' ? sql`column_0` : sql`column_1` },
  }) as const

test('the percentiles of one property make no list for each event, those of two properties count each one', async () => {
  const events = sql`SELECT i AS column_0, CASE WHEN i > 900 THEN i END AS column_1 FROM range(1000) AS number(i)`
  const one = rankedNumbers({ groups: [], metrics: [metricOf('column_1')] }, events, false)
  expect(one.text).not.toContain('UNNEST')
  const two = rankedNumbers(
    { groups: [], metrics: [metricOf('column_0'), metricOf('column_1')] },
    events,
    false,
  )
  const engine = await openTestEngine({ lakeDir: folder.lakeDir })
  const ask = (ranked: SqlQuery, key: number) =>
    engine.rows(
      sql`SELECT ${percentile(key, 50)} AS p50, ${percentile(key, 95)} AS p95 FROM (${ranked}) AS ranked`,
    )
  const expected = [{ p50: 950, p95: 995 }]
  expect(await ask(one, 0)).toEqual(expected)
  expect(await ask(two, 1)).toEqual(expected)
  expect(await ask(two, 0)).toEqual([{ p50: 499, p95: 949 }])
  await engine.close()
})

test('a value that is not finite counts as text', async () => {
  const finite = [...numbersOf('order'), ...numbersOf('refund')]
  const { rows } = await ask({ metrics: ['min(properties.value)', 'max(properties.value)'] })
  expect(rows).toEqual([
    { 'min(properties.value)': Math.min(...finite), 'max(properties.value)': Math.max(...finite) },
  ])
  const count = async (op: string, value: unknown) => {
    const { rows } = await ask({
      metrics: ['event_count'],
      filters: [{ field: 'properties.value', op, value }],
    })
    return rows[0]?.event_count
  }
  const texts = Array.from({ length: EVENTS / 3 }, (_, i) => TEXTS[(i * 3 + 1) % TEXTS.length])
  const countOf = (text: string) => texts.filter(each => each === text).length
  expect(await count('eq', '1e999')).toBe(countOf('1e999'))
  // As text, "1e999" is before "2", and " 5" is before all digits.
  expect(await count('gt', '1e308')).toBe(
    texts.filter(text => ['1e999', '9'.repeat(400), 'NaN', 'Infinity', '5d'].includes(text ?? '')).length,
  )
  expect(await count('eq', Number.POSITIVE_INFINITY)).toBe(countOf('Infinity'))
})

// `.ci/run` and `npm run test:deep` have 100 million, which take five seconds of one processor. DuckDB has
// 512 MB here, and may not spill.
const ROWS = repeats(10_000_000, { countPerDepth: 50_000_000, maxCount: 100_000_000 })
const LONG_MS = 20 * 60_000

test(
  `the percentiles of ${ROWS} values in one group fit into the query memory`,
  async () => {
    const engine = await openTestEngine({
      lakeDir: folder.lakeDir,
      memoryMb: 512,
      spillMb: 1,
      timeoutMs: LONG_MS,
    })
    // No two values are the same, and all have six decimal places.
    const events = sql`SELECT i * 7919 / 1e6 AS column_0 FROM range(${ROWS}) AS number(i)`
    const ranked = rankedNumbers({ groups: [], metrics: [metricOf('column_0')] }, events, true)
    const rows = await engine.rows(
      sql`SELECT count(*) AS n, ${percentile(0, 50)} AS p50, ${percentile(0, 95)} AS p95 FROM (${ranked}) AS ranked`,
    )
    await engine.close()
    const [row] = rows
    expect(Number(row?.n)).toBeLessThan(60_000)
    for (const percent of [50, 95]) {
      const exact = ((Math.ceil((percent / 100) * ROWS) - 1) * 7_919) / 1e6
      expect(Math.abs(Number(row?.[`p${percent}`]) - exact)).toBeLessThanOrEqual(exact * 3e-4)
    }
  },
  LONG_MS,
)
