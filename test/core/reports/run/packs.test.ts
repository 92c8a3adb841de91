import { expect, test, vi } from 'vitest'
import { ApiError } from '#core/errors'
import type { QueryEngine, QueryStatistics, Row, SqlQuery } from '#core/ports'
import { type Asker, createPacks } from '#core/reports/run/packs'
import { partOf } from '#core/sql/packed-statement'
import { queryFailure } from '#core/sql/query-failures'
import { inFiles, sql } from '#core/sql/sql'

const COST: QueryStatistics = {
  ...{
    engine: 'athena',
    rowsScanned: null,
    bytesScanned: 10_000_001,
    costUsd: 0.00005,
    engineMs: 900,
    queueMs: 90,
  },
}

/** Statements that have started, and how each ends. */
type Started = { text: string; signal: AbortSignal; end(): void; fail(error: unknown): void }

/** An engine that bills. A statement gives a row with `n`, the number that it asks for. */
function billedEngine(over: Partial<QueryEngine> = {}) {
  const started: Started[] = []
  const engine: QueryEngine = {
    areScansBilled: true,
    rows: (query, { signal = new AbortController().signal, onStatistics } = {}) =>
      new Promise<Row[]>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        const settle = (end: () => void) => () => {
          onStatistics?.(COST)
          end()
        }
        started.push({
          text: query.text,
          signal,
          end: settle(() => resolve(rowsOf(query))),
          fail: error => settle(() => reject(error))(),
        })
      }),
    ...over,
  }
  return { engine, started }
}

/** The rows of a statement, also of a packed one. */
function rowsOf({ text }: SqlQuery): Row[] {
  const numbers = [...text.matchAll(/SELECT (\d+) AS n/g)].map(match => String(match[1]))
  if (!text.includes('packed_part')) return [{ n: Number(numbers[0]) }]
  return numbers.map((n, part) => ({
    packed_part: part,
    packed_place: 1,
    packed_types: 'bigint',
    packed_0: n,
  }))
}

const ask = (n: number): SqlQuery => ({ text: `SELECT ${n} AS n FROM t`, params: [] })
const parts = ({ text }: Started): number => text.split('AS packed_part').length - 1

/** Resolves when the engine has started as many statements. */
async function hasStarted(started: readonly Started[], count: number): Promise<void> {
  await vi.waitFor(() => expect(started).toHaveLength(count))
}

const afterTurns = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

test('statements that a work asks in one turn are one statement, and each gets its own rows', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const all = Promise.all([rows(ask(1)), rows(ask(2)), rows(ask(3))])
  await hasStarted(started, 1)
  expect(parts(started[0] as Started)).toBe(3)
  started[0]?.end()
  expect(await all).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
})

test('a work that waits for a statement may ask another one meanwhile', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  void rows(ask(1))
  await hasStarted(started, 1)
  void rows(ask(2))
  await hasStarted(started, 2)
})

test('a statement alone is sent as it is', async () => {
  const { engine, started } = billedEngine()
  const asked = createPacks().begin().packed(engine).rows(ask(1))
  await hasStarted(started, 1)
  expect(started[0]?.text).toBe(ask(1).text)
  started[0]?.end()
  expect(await asked).toEqual([{ n: 1 }])
})

test('computations of one call wait for each other, so each of their two rounds is one statement', async () => {
  const { engine, started } = billedEngine()
  const packs = createPacks()
  async function work(asker: Asker, first: number): Promise<Row[][]> {
    const { rows } = asker.packed(engine)
    // One of them is busy with something else before.
    for (let turn = 0; turn < first; turn++) await afterTurns()
    const found = [await rows(ask(first)), await rows(ask(first + 10))]
    asker.end()
    return found
  }
  const both = Promise.all([packs.begin(), packs.begin()].map((asker, i) => work(asker, i + 1)))
  await hasStarted(started, 1)
  started[0]?.end()
  await hasStarted(started, 2)
  started[1]?.end()
  expect(await both).toEqual([
    [[{ n: 1 }], [{ n: 11 }]],
    [[{ n: 2 }], [{ n: 12 }]],
  ])
  expect(started.map(parts)).toEqual([2, 2])
})

test('a work that ends without a statement keeps nobody waiting', async () => {
  const { engine, started } = billedEngine()
  const packs = createPacks()
  const [one, other] = [packs.begin(), packs.begin()]
  void one.packed(engine).rows(ask(1))
  await afterTurns()
  expect(started).toHaveLength(0)
  other.end()
  other.end()
  await hasStarted(started, 1)
})

test('a work that is busy for long does not keep the others waiting', async () => {
  const { engine, started } = billedEngine()
  const end = new AbortController()
  const waits: number[] = []
  const deadline = (ms: number) => {
    waits.push(ms)
    return end.signal
  }
  const packs = createPacks({ clock: { deadline } })
  packs.begin()
  void packs.begin().packed(engine).rows(ask(1))
  await afterTurns()
  expect(waits).toEqual([500])
  expect(started).toHaveLength(0)
  end.abort()
  expect(started).toHaveLength(1)
})

test('equal statements run once, for all who ask', async () => {
  const { engine, started } = billedEngine()
  const packs = createPacks()
  const all = [packs.begin(), packs.begin()].map(asker => asker.packed(engine).rows(ask(7)))
  await hasStarted(started, 1)
  started[0]?.end()
  expect(await Promise.all(all)).toEqual([[{ n: 7 }], [{ n: 7 }]])
})

test('the cost of a statement is shared by its parts, to the byte', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const shares: QueryStatistics[] = []
  const all = [1, 2, 3].map(n => rows(ask(n), { onStatistics: share => void shares.push(share) }))
  await hasStarted(started, 1)
  started[0]?.end()
  await Promise.all(all)
  expect(shares.map(({ bytesScanned }) => bytesScanned)).toEqual([3_333_334, 3_333_334, 3_333_333])
  expect(shares.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(COST.costUsd, 12)
  expect(shares[0]).toMatchObject({ engine: 'athena', engineMs: 900, queueMs: 90 })
})

test('a caller who leaves is told at once, and a pack stops when the last one has left', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const [one, other] = [new AbortController(), new AbortController()]
  const all = [one, other].map(({ signal }, i) => rows(ask(i), { signal }))
  const settled = Promise.allSettled(all)
  await hasStarted(started, 1)
  one.abort(new Error('left'))
  await expect(all[0]).rejects.toThrow('left')
  expect(started[0]?.signal.aborted).toBe(false)
  other.abort(new Error('left too'))
  expect(started[0]?.signal.aborted).toBe(true)
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await afterTurns()
  expect(started).toHaveLength(1)
})

test('a statement whose caller leaves before its pack starts is not in it', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const left = new AbortController()
  const asked = rows(ask(1), { signal: left.signal })
  void rows(ask(2))
  left.abort(new Error('left'))
  await expect(asked).rejects.toThrow('left')
  await hasStarted(started, 1)
  expect(started[0]?.text).toBe(ask(2).text)
})

test.each([
  ['needs too many stages', new ApiError('QUERY_FAILED', 'The conditions need more steps.')],
  ['needs too much memory', queryFailure('memory')],
  ['has too many rows together', queryFailure('answer')],
  ['is not understood', new Error('mismatched input')],
])('the parts of a pack run alone when it %s, and the log says so', async (_, failure) => {
  const logged: unknown[] = []
  const { engine, started } = billedEngine()
  const { rows } = createPacks({ log: (code, fields) => void logged.push([code, fields?.parts]) })
    .begin()
    .packed(engine)
  const all = Promise.all([rows(ask(1)), rows(ask(2))])
  await hasStarted(started, 1)
  started[0]?.fail(failure)
  await hasStarted(started, 3)
  started[1]?.end()
  started[2]?.end()
  expect(await all).toEqual([[{ n: 1 }], [{ n: 2 }]])
  expect(logged).toEqual([['PACK_FAILED', 2]])
})

test.each(['throttled', 'timeout', 'unreachable'] as const)(
  'a failure that its parts would meet too is theirs: %s',
  async kind => {
    const { engine, started } = billedEngine()
    const { rows } = createPacks().begin().packed(engine)
    const all = Promise.allSettled([rows(ask(1)), rows(ask(2))])
    await hasStarted(started, 1)
    started[0]?.fail(queryFailure(kind))
    const failure = { status: 'rejected', reason: queryFailure(kind) }
    expect(await all).toEqual([failure, failure])
    expect(started).toHaveLength(1)
  },
)

test('statements of different snapshots are not in one pack', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  for (const n of [1, 2]) void rows(ask(n), { snapshot: {} })
  await hasStarted(started, 2)
})

test('a pack has a bounded number of scans, and a bounded text', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const scanning = (n: number, files: number): SqlQuery =>
    sql`SELECT ${{ text: String(n), params: [] }} AS n FROM links WHERE ${inFiles(
      'links',
      Array.from({ length: files }, (_, i) => `links/${i}`),
    )}`
  for (let n = 0; n < 40; n++) void rows(scanning(n, 1))
  await hasStarted(started, 2)
  expect(started.map(parts)).toEqual([32, 8])
  for (let n = 0; n < 3; n++) void rows(scanning(n, 900))
  await hasStarted(started, 4)
  expect(started.slice(2).map(parts)).toEqual([2, 0])
  const long = (n: number): SqlQuery => ({
    text: `SELECT ${n} AS n FROM t WHERE '${'x'.repeat(30_000)}' = a`,
    params: [],
  })
  for (let n = 0; n < 3; n++) void rows(long(n))
  await hasStarted(started, 6)
  expect(started.slice(4).map(parts)).toEqual([2, 0])
})

test('statements over large files are in packs of their own, so that each has the bounds of one statement', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const snapshot = { sizeOf: (key: string) => ({ bytes: Number(key.split('/')[1]), rows: 1 }) }
  const over = (n: number, bytes: number): SqlQuery =>
    sql`SELECT ${{ text: String(n), params: [] }} AS n FROM links WHERE ${inFiles('links', [`links/${bytes}`])}`
  for (const [n, megabytes] of [150, 60, 40, 900].entries()) void rows(over(n, megabytes * 1e6), { snapshot })
  await hasStarted(started, 3)
  expect(started.map(parts)).toEqual([2, 0, 0])
})

test('a statement whose text does not say its columns runs alone, beside the pack', async () => {
  const { engine, started } = billedEngine()
  const { rows } = createPacks().begin().packed(engine)
  const listing: SqlQuery = { text: 'SELECT * FROM t', params: [] }
  expect(partOf(listing)).toBeNull()
  for (const query of [listing, ask(1), ask(2)]) void rows(query)
  await hasStarted(started, 2)
  expect(started.map(parts)).toEqual([2, 0])
})

test('a statement that is free starts at once and joins no pack', async () => {
  const { engine, started } = billedEngine({ isFree: ({ text }) => text === ask(1).text })
  const { rows } = createPacks().begin().packed(engine)
  for (const n of [1, 2, 3]) void rows(ask(n))
  expect(started).toHaveLength(1)
  await hasStarted(started, 2)
  expect(started.map(parts)).toEqual([0, 2])
})

test('an engine that does not bill scans is used as it is', () => {
  const { engine } = billedEngine({ areScansBilled: false })
  expect(createPacks().begin().packed(engine)).toBe(engine)
})
