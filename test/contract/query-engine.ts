import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryEngine, SqlQuery } from '#core/ports'
import type { AnswerLimits } from '#core/sql/answer-meter'
import { date, integer, name, sql, timestamp } from '#core/sql/sql'
import { type TableName, tables } from '#schemas/columns'
import { inFiles } from '#test/support/in-files'

/** The implementation under test, over an empty lake. */
export type OpenedQueryEngine = {
  engine: QueryEngine
  close(): Promise<void>
}

/** Smaller than the real ones, so that an answer with the most rows is short. */
const ANSWER_LIMITS: AnswerLimits = { rows: 3_000, bytes: 200_000 }

/** A statement that runs for longer than a test. Both engines run it in DuckDB. */
export const ENDLESS: SqlQuery = sql`SELECT count(*) AS n
  FROM UNNEST(generate_series(1, 9000)) AS a(x) CROSS JOIN UNNEST(generate_series(1, 9000)) AS b(y)
    CROSS JOIN UNNEST(generate_series(1, 9000)) AS c(z)
  WHERE (x * y + z) % 7 = 3`

/** Tests the rules of the port QueryEngine (core/ports.ts) on one implementation. */
export function queryEngineContract(
  engineName: string,
  open: (answerLimits: AnswerLimits) => Promise<OpenedQueryEngine>,
): void {
  describe(`${engineName} as a QueryEngine`, () => {
    let opened: OpenedQueryEngine
    const rows = (query: SqlQuery) => opened.engine.rows(query)

    beforeAll(async () => {
      opened = await open(ANSWER_LIMITS)
    })
    afterAll(() => opened.close())

    test('integers, floating-point numbers, text, booleans and nulls become JavaScript values', async () => {
      const result = await rows(sql`SELECT 1 AS i, CAST(9007199254740991 AS bigint) AS big, 15e-1 AS f,
        'text' AS t, true AS yes, false AS no, CAST(NULL AS varchar) AS nothing`)
      expect(result).toEqual([
        { i: 1, big: 9007199254740991, f: 1.5, t: 'text', yes: true, no: false, nothing: null },
      ])
    })

    test('an integer beyond the safe range of JavaScript is an error and is not rounded', async () => {
      await expect(rows(sql`SELECT CAST(9007199254740993 AS bigint) AS big`)).rejects.toThrow('big')
    })

    test.each([
      ['text', "o'brien -- ; \\ % ? $1"],
      ['text beyond the basic plane', '\u{1F600} é \uFFFD'],
      ['empty text', ''],
      ['a whole number', 42],
      ['a negative number', -7],
      ['a large number', Number.MAX_SAFE_INTEGER],
      ['a fraction', 0.1],
      ['true', true],
      ['false', false],
    ])('a parameter with %s keeps its value', async (_, value) => {
      const result = await rows(
        sql`SELECT count(*) AS n FROM (SELECT 1 AS one) AS t WHERE ${value} = ${value}`,
      )
      expect(result).toEqual([{ n: 1 }])
    })

    test('a null parameter is NULL', async () => {
      const result = await rows(sql`SELECT count(*) AS n FROM (SELECT 1 AS one) AS t WHERE ${null} IS NULL`)
      expect(result).toEqual([{ n: 1 }])
    })

    test('division of integers truncates, as in Trino', async () => {
      expect(await rows(sql`SELECT 7 / 2 AS q, -7 / 2 AS r, 7 % 2 AS m`)).toEqual([{ q: 3, r: -3, m: 1 }])
    })

    test('statements at the same time use the same dialect', async () => {
      const result = await Promise.all(Array.from({ length: 6 }, () => rows(sql`SELECT 7 / 2 AS q`)))
      expect(result.flat()).toEqual(Array.from({ length: 6 }, () => ({ q: 3 })))
    })

    test('dates and timestamps are in UTC', async () => {
      const at = Date.parse('2026-11-21T23:59:59.999Z')
      const result = await rows(sql`SELECT
        date_diff('day', DATE '1970-01-01', ${date('2026-11-21')}) AS days,
        date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', ${timestamp(at)}) AS ms,
        date_diff('day', DATE '1970-01-01', CAST(${timestamp(at)} AS date)) AS date_of_ms,
        date_diff('day', DATE '1970-01-01', CAST(date_trunc('week', ${date('2026-11-22')}) AS date)) AS monday`)
      const day = Math.floor(at / 86_400_000)
      expect(result).toEqual([{ days: day, ms: at, date_of_ms: day, monday: day - 5 }])
    })

    test('text sorts by code point and nulls last', async () => {
      const result =
        await rows(sql`SELECT v FROM (VALUES ('b'), ('a'), ('B'), ('\u{1F600}'), ('\uFFFD'), (NULL)) AS t(v)
        ORDER BY v ASC NULLS LAST`)
      expect(result.map(row => row.v)).toEqual(['B', 'a', 'b', '\uFFFD', '\u{1F600}', null])
    })

    test('all tables of an empty lake exist and have no rows', async () => {
      for (const table of Object.keys(tables) as TableName[]) {
        expect(await rows(sql`SELECT count(*) AS n FROM ${name(table)}`)).toEqual([{ n: 0 }])
        expect(await rows(sql`SELECT count(*) AS n FROM ${name(table)} WHERE ${inFiles(table, [])}`)).toEqual(
          [{ n: 0 }],
        )
      }
    })

    /** So many rows with a text. `sequence` has at most 10,000 numbers on Athena. */
    const manyRows = (count: number, text: SqlQuery) => sql`SELECT ${text} AS t
      FROM UNNEST(sequence(1, ${integer(count / 1_000)})) AS a(x) CROSS JOIN UNNEST(sequence(1, 1000)) AS b(y)`

    test('an answer with the most rows is read, and one with more is refused', async () => {
      expect(await rows(manyRows(ANSWER_LIMITS.rows, sql`'a'`))).toHaveLength(ANSWER_LIMITS.rows)
      await expect(rows(manyRows(ANSWER_LIMITS.rows + 1_000, sql`'a'`))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('lower `limit`'),
      })
      expect(await rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })

    test('an answer with too long texts is refused', async () => {
      const chars = ANSWER_LIMITS.bytes / 1_000
      const text = (length: number) => sql`lpad('', ${integer(length)}, 'x')`
      expect(await rows(manyRows(1_000, text(chars)))).toHaveLength(1_000)
      await expect(rows(manyRows(1_000, text(chars + 1)))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    })

    test('a wrong statement is rejected', async () => {
      await expect(rows(sql`SELECT no_such_column FROM events_hot`)).rejects.toThrow()
    })

    test('an aborted call rejects with the reason of the abort, and the engine continues', async () => {
      const caller = new AbortController()
      const result = opened.engine.rows(ENDLESS, { signal: caller.signal })
      const reason = new Error('The caller closed the connection.')
      setTimeout(() => caller.abort(reason), 50)
      await expect(result).rejects.toBe(reason)
      expect(await rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })

    test('a call with an aborted signal rejects at once', async () => {
      const reason = new Error('The caller is gone.')
      await expect(opened.engine.rows(ENDLESS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })
  })
}
