import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryEngine, SqlQuery } from '#core/ports'
import { date, sql, timestamp } from '#core/sql'

/** What the suite needs of an implementation: an engine over an empty lake. */
export type QueryEngineSubject = {
  engine: QueryEngine
  close(): Promise<void>
}

/** A statement that neither engine finishes within the test; behind both stands DuckDB here. */
export const ENDLESS: SqlQuery = sql`SELECT count(*) AS n
  FROM UNNEST(generate_series(1, 9000)) AS a(x) CROSS JOIN UNNEST(generate_series(1, 9000)) AS b(y)
    CROSS JOIN UNNEST(generate_series(1, 9000)) AS c(z)
  WHERE (x * y + z) % 7 = 3`

/** What every QueryEngine promises (core/ports.ts). */
export function queryEngineContract(name: string, open: () => Promise<QueryEngineSubject>): void {
  describe(`QueryEngine: ${name}`, () => {
    let subject: QueryEngineSubject
    const rows = (query: SqlQuery) => subject.engine.rows(query)

    beforeAll(async () => {
      subject = await open()
    })
    afterAll(() => subject.close())

    test('integers, floating-point numbers, text, booleans and nulls come back as JavaScript values', async () => {
      const found = await rows(sql`SELECT 1 AS i, CAST(9007199254740991 AS bigint) AS big, 15e-1 AS f,
        'text' AS t, true AS yes, false AS no, CAST(NULL AS varchar) AS nothing`)
      expect(found).toEqual([
        { i: 1, big: 9007199254740991, f: 1.5, t: 'text', yes: true, no: false, nothing: null },
      ])
    })

    test('a whole number that JavaScript cannot hold is refused, not rounded', async () => {
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
    ])('a parameter of %s is compared as it was given', async (_, value) => {
      const found = await rows(
        sql`SELECT count(*) AS n FROM (SELECT 1 AS one) AS t WHERE ${value} = ${value}`,
      )
      expect(found).toEqual([{ n: 1 }])
    })

    test('a null parameter is null', async () => {
      const found = await rows(sql`SELECT count(*) AS n FROM (SELECT 1 AS one) AS t WHERE ${null} IS NULL`)
      expect(found).toEqual([{ n: 1 }])
    })

    test('division of integers cuts off, as Trino does', async () => {
      expect(await rows(sql`SELECT 7 / 2 AS q, -7 / 2 AS r, 7 % 2 AS m`)).toEqual([{ q: 3, r: -3, m: 1 }])
    })

    test('statements that run at the same time follow the same rules', async () => {
      const found = await Promise.all(Array.from({ length: 6 }, () => rows(sql`SELECT 7 / 2 AS q`)))
      expect(found.flat()).toEqual(Array.from({ length: 6 }, () => ({ q: 3 })))
    })

    test('dates and timestamps are literals that compare with each other in UTC', async () => {
      const at = Date.parse('2026-11-21T23:59:59.999Z')
      const found = await rows(sql`SELECT
        date_diff('day', DATE '1970-01-01', ${date('2026-11-21')}) AS days,
        date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', ${timestamp(at)}) AS ms,
        date_diff('day', DATE '1970-01-01', CAST(${timestamp(at)} AS date)) AS date_of_ms,
        date_diff('day', DATE '1970-01-01', CAST(date_trunc('week', ${date('2026-11-22')}) AS date)) AS monday`)
      const day = Math.floor(at / 86_400_000)
      expect(found).toEqual([{ days: day, ms: at, date_of_ms: day, monday: day - 5 }])
    })

    test('text sorts by code point and nulls last', async () => {
      const found =
        await rows(sql`SELECT v FROM (VALUES ('b'), ('a'), ('B'), ('\u{1F600}'), ('\uFFFD'), (NULL)) AS t(v)
        ORDER BY v ASC NULLS LAST`)
      expect(found.map(row => row.v)).toEqual(['B', 'a', 'b', '\uFFFD', '\u{1F600}', null])
    })

    test('an empty lake has all tables, without rows', async () => {
      for (const table of ['events_hot', 'events_warm', 'events_cold', 'sessions_cold', 'activity_cold']) {
        expect(await rows(sql`SELECT count(*) AS n FROM ${{ text: table, params: [] }}`)).toEqual([{ n: 0 }])
      }
    })

    test('a statement that is wrong is rejected', async () => {
      await expect(rows(sql`SELECT no_such_column FROM events_hot`)).rejects.toThrow()
    })

    test('a caller who goes away gets their own reason, and the engine goes on', async () => {
      const caller = new AbortController()
      const answer = subject.engine.rows(ENDLESS, { signal: caller.signal })
      const reason = new Error('the caller hung up')
      setTimeout(() => caller.abort(reason), 50)
      await expect(answer).rejects.toBe(reason)
      expect(await rows(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })

    test('a caller who has already gone costs nothing', async () => {
      const reason = new Error('too late')
      await expect(subject.engine.rows(ENDLESS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })
  })
}
