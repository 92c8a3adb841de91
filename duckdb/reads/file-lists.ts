import type { Scan, SqlQuery } from '#core/ports'
import { scanMacro } from '#duckdb/tables'
import { type TableName, tables } from '#schemas/columns'

/** The files of one or more scans of a table. `name` is the variable of the connection that has the list. */
export type FileList = Scan & { name: string }

/** A condition on files (`inFiles` of core/sql/sql.ts) with the name of its table before it. */
const SCAN = new RegExp(`\\b(${Object.keys(tables).join('|')})(\\s+WHERE )\\?`, 'g')

/**
 * Gives each scan of a statement the list of its own files; scans with the same files share a list. DuckDB
 * opens all files of a list for each scan that has it, when it plans the statement. With one list for each
 * table, GET /stats of one day opened the files of 35 more days four times. The first list of a table is the
 * one of its view, so a statement that scans each table with one set of files keeps its text. A statement
 * without scans has no lists. Throws if a condition on files does not directly follow `FROM <table> WHERE`.
 */
export function toFileLists({ text, params, scans = [] }: SqlQuery): {
  query: Pick<SqlQuery, 'text' | 'params'>
  lists: FileList[]
} {
  const lists: FileList[] = []
  if (scans.length === 0) return { query: { text, params }, lists }
  const byFiles = new Map<string, FileList>()

  function listOf(scan: Scan): FileList {
    const { table, files, bucket } = scan
    const key = JSON.stringify([table, bucket, files])
    const known = byFiles.get(key)
    if (known !== undefined) return known
    const index = lists.filter(list => list.table === table).length
    const added = { ...scan, name: index === 0 ? table : `${table}_${index}` }
    lists.push(added)
    byFiles.set(key, added)
    return added
  }

  let count = 0
  const named = text.replaceAll(SCAN, (scanned, table: TableName, where: string) => {
    const scan = scans[count++]
    if (scan?.table !== table) throw new Error(`the scan ${count} of the statement is not of ${table}`)
    const { name } = listOf(scan)
    return name === table ? scanned : `${scanMacro(table)}('${name}') AS ${table}${where}?`
  })
  if (count !== scans.length) throw new Error(`${scans.length} scans for ${count} conditions on files`)
  return { query: { text: named, params }, lists }
}
