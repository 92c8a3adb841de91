import {
  type AthenaClient,
  GetQueryExecutionCommand,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { SECOND_MS } from '#lib/restore/wait'

/** How many statements Athena has planned, and what it said of those that it cannot. */
export type Explained = { count: number; failures: string[] }

export type ExplainOptions = {
  client: AthenaClient
  workGroup: string
  database: string
  sleep(ms: number): Promise<unknown>
}

/** Below the statements that an account may run at once, so that reports find a place meanwhile. */
const AT_ONCE = 5
const POLL_MS = SECOND_MS / 2
/** A plan that takes longer is one that no report could wait for either. */
const MAX_POLLS = 120

/** Lets Athena plan each statement. EXPLAIN scans nothing, so it costs nothing. */
export async function explainAll(
  statements: readonly string[],
  { client, workGroup, database, sleep }: ExplainOptions,
): Promise<Explained> {
  const failures: string[] = []
  const next = statements.values()

  async function explain(statement: string): Promise<string | null> {
    const { QueryExecutionId } = await client.send(
      new StartQueryExecutionCommand({
        QueryString: `EXPLAIN ${statement}`,
        WorkGroup: workGroup,
        QueryExecutionContext: { Database: database },
      }),
    )
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId }))
      const { State, StateChangeReason } = QueryExecution?.Status ?? {}
      if (State === 'SUCCEEDED') return null
      if (State === 'FAILED' || State === 'CANCELLED') return StateChangeReason ?? State
      await sleep(POLL_MS)
    }
    return 'no plan in time'
  }

  async function work(): Promise<void> {
    for (const statement of next) {
      const reason = await explain(statement).catch((error: Error) => error.message)
      if (reason !== null) failures.push(`${reason.slice(0, 300)}: ${statement.slice(0, 300)}`)
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { count: statements.length, failures }
}
