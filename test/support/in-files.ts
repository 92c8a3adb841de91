import type { SqlQuery } from '#core/ports'
import { inFiles as inOpenFiles, type OpenTable } from '#core/sql/sql'
import type { TableName } from '#schemas/columns'

/** `inFiles` of any table, for tests of engines and texts, which show nobody the rows. */
export function inFiles(table: TableName, files: readonly string[], bucket?: number): SqlQuery {
  return inOpenFiles(table as OpenTable, files, bucket)
}
