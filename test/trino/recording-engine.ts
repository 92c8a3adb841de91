import type { QueryEngine, Row, SqlQuery } from '#core/ports'

export type RecordedStatement = { query: SqlQuery; rows: Row[] }

/** An engine that records each statement of Athena with its rows. Equal statements are recorded once. */
export function recordingEngine(
  engine: QueryEngine,
): QueryEngine & { recordedStatements(): RecordedStatement[] } {
  const statements = new Map<string, RecordedStatement>()
  return {
    areScansBilled: true,
    async rows(query, options) {
      const rows = await engine.rows(query, options)
      statements.set(JSON.stringify([query.text, query.params]), { query, rows })
      return rows
    },
    recordedStatements: () => [...statements.values()],
  }
}
