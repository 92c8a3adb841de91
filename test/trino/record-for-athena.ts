import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { statementText } from '#aws/statement-text'
import { chooseStatements } from './choose-statements.ts'
import { recordStatements } from './record-statements.ts'
import { wideLake } from './sample-lakes.ts'

/** Files of the sample lake need a place in the text of a statement. EXPLAIN opens none of them. */
const LAKE = 's3://footfall-sample'

/** One statement of each kind that reads a table, as Athena would get it. */
export async function recordForAthena(): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'footfall-statements-'))
  try {
    const recorded = new Map([['wide', await recordStatements(root, wideLake(), 1)]])
    return [...chooseStatements(recorded, 1).values()]
      .flat()
      .filter(({ query }) => (query.scans?.length ?? 0) > 0)
      .map(({ query }) => statementText(query, LAKE))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
