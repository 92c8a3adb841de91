import { type StatementEngine, StatementError } from '#test/support/athena-emulator'
import { runOnTrino, TrinoError } from '#test/trino/run-on-trino'

/**
 * The engine behind the Athena emulator: Trino over the deployed tables. Statements wait until Trino has
 * started.
 */
export function trinoForAthena(url: Promise<string>): StatementEngine {
  return {
    async run(text, signal, schema) {
      try {
        return await runOnTrino({ url: await url, schema, text, signal })
      } catch (error) {
        throw error instanceof TrinoError && error.isUsers ? new StatementError(error.message) : error
      }
    },
    async close() {},
  }
}
