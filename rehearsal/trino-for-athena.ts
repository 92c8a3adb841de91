import { type FrontEngine, WrongStatement } from '#test/support/athena-front'
import { runOnTrino, TrinoError } from '#test/trino/run-on-trino'

/** The engine behind the Athena emulator: Trino over the deployed tables. Statements wait until Trino has started. */
export function trinoForAthena(url: Promise<string>): FrontEngine {
  return {
    async run(text, signal, schema) {
      try {
        return await runOnTrino({ url: await url, schema, text, signal })
      } catch (error) {
        throw error instanceof TrinoError && error.isUsers ? new WrongStatement(error.message) : error
      }
    },
    async close() {},
  }
}
