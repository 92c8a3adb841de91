import { type FrontEngine, WrongStatement } from '#test/support/athena-front'
import { runOnTrino, TrinoError } from '#test/trino/run-on-trino'

/** Trino over the deployed tables, for the front of Athena. A statement before Trino answers waits for it. */
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
