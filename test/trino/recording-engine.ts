import type { QueryEngine, Row, SqlQuery } from '#core/ports'

export type Recorded = { query: SqlQuery; rows: Row[] }

/** An engine that keeps each statement which it is given, with its rows; equal statements once. */
export function recordingEngine(engine: QueryEngine): QueryEngine & { recorded(): Recorded[] } {
  const statements = new Map<string, Recorded>()
  return {
    async rows(query, options) {
      const rows = await engine.rows(query, options)
      statements.set(JSON.stringify([query.text, query.params]), { query, rows })
      return rows
    },
    recorded: () => [...statements.values()],
  }
}
