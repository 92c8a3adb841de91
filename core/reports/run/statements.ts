import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { QueryEngine, Row, SqlQuery } from '#core/ports'

/** Runs a statement on the lake of the report. */
export type ReadRows = (statement: SqlQuery) => Promise<Row[]>

/**
 * Runs work that needs statements. All of them stop when the caller goes away, and when the work fails:
 * Athena bills a statement also if nobody reads its rows.
 */
export async function withStatements<T>(
  engine: QueryEngine,
  { lake, signal }: { lake: LakeSnapshot; signal: AbortSignal | undefined },
  work: (rows: ReadRows) => Promise<T>,
): Promise<T> {
  const failure = new AbortController()
  const anySignal = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])])
  try {
    return await work(statement => engine.rows(statement, { signal: anySignal, snapshot: lake }))
  } catch (error) {
    failure.abort(error)
    throw error
  }
}
