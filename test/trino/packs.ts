import type { Row, SqlQuery } from '#core/ports'
import { packStatements, partOf } from '#core/sql/packed-statement'
import type { RecordedStatement } from './recording-engine.ts'

/** Parts of a packed statement, and scans of all of them together, so that Trino's planner takes it. */
const MOST = { parts: 6, scans: 24 }

/** Several recorded statements as one, with what makes their rows of its rows. */
export type RecordedPack = {
  query: SqlQuery
  parts: readonly RecordedStatement[]
  unpack(rows: readonly Row[]): Row[][]
}

/** Packs statements that stand beside each other. Those that cannot be packed are left out. */
export function packRecorded(statements: readonly RecordedStatement[]): RecordedPack[] {
  const packs: RecordedStatement[][] = []
  let scans = Number.POSITIVE_INFINITY
  for (const statement of statements) {
    if (partOf(statement.query) === null) continue
    const own = statement.query.scans?.length ?? 0
    if (scans + own > MOST.scans || packs.at(-1)?.length === MOST.parts) {
      packs.push([])
      scans = 0
    }
    packs.at(-1)?.push(statement)
    scans += own
  }
  return packs.map(parts => ({ parts, ...packStatements(parts.flatMap(({ query }) => partOf(query) ?? [])) }))
}
