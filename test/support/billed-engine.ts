import type { QueryEngine, SqlQuery } from '#core/ports'

/**
 * The engine as if it billed scans, as Athena does, with the statements that it has run and the bytes that
 * they have scanned together. `bills` may change between reads.
 */
export function billedEngine(engine: QueryEngine) {
  const state = { bills: true, bytes: 0 }
  const statements: SqlQuery[] = []
  return {
    state,
    statements,
    engine: {
      ...engine,
      get areScansBilled() {
        return state.bills
      },
      rows(query, options) {
        statements.push(query)
        return engine.rows(query, {
          ...options,
          onStatistics(statistics) {
            state.bytes += statistics.bytesScanned
            options?.onStatistics?.(statistics)
          },
        })
      },
    } satisfies QueryEngine,
  }
}

/** How many statements a statement is in the place of. */
export function partsOf({ text }: SqlQuery): number {
  return Math.max(1, text.split('AS packed_part,').length - 1)
}
