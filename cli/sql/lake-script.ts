import { join } from 'node:path'
import { CommandError } from '#cli/errors'
import { dialect } from '#duckdb/macros'
import { type ColumnType, eventColumns } from '#schemas/columns'

/** The files of a read, below the folder of the lake, by table. */
export type LakeFiles = Readonly<Record<string, readonly string[]>>

/** What the service names, and nothing that leads elsewhere or ends a text of SQL. */
const FILE = /^(?!.*\.\.)[\w=.-]+(\/[\w=.-]+)*\.parquet$/
const PROJECT_ID = /^[\w-]{1,64}$/
const EVENT_TABLES = ['segment_events', 'events_hot'] as const
const TYPES: Record<ColumnType, string> = {
  string: 'VARCHAR',
  int64: 'BIGINT',
  timestamp: 'TIMESTAMP',
  date: 'DATE',
}

/**
 * Statements that give DuckDB the events of a project: the views of docs/sql-in-duckdb.md with the files that
 * the service reads now, and the view `events` of them. The rows are those of the files: ids are not
 * resolved, and a copy of an event counts until it is compacted.
 */
export function lakeScript(
  files: LakeFiles,
  { folder, projectId, hasDialect }: { folder: string; projectId: string; hasDialect: boolean },
): string {
  if (!PROJECT_ID.test(projectId)) throw unexpected()
  const columns = eventColumns.map(({ name }) => quoted(name))
  const typed = eventColumns.map(({ name, type }) => `${quoted(name)} ${TYPES[type]}`)
  const present = EVENT_TABLES.filter(table => (files[table] ?? []).length > 0)
  // A hot file may keep what makes copies of an erased event known: a row without a name.
  const parts = present.map(
    table => `SELECT * FROM ${table} WHERE project_id = '${projectId}' AND event IS NOT NULL`,
  )
  // Older files lack newer columns, which are then null.
  const all = ['SELECT * FROM no_event', ...parts].join('\n  UNION ALL BY NAME ')
  const statements = [
    ...(hasDialect ? dialect : []),
    `CREATE TABLE no_event (${typed.join(', ')})`,
    ...present.map(table => viewOf(table, files[table] ?? [], folder)),
    `CREATE VIEW events AS SELECT ${columns.join(', ')} FROM (\n  ${all})`,
  ]
  return statements.map(statement => `${statement};\n`).join('')
}

function viewOf(table: string, files: readonly string[], folder: string): string {
  const paths = files.map(file => {
    if (!FILE.test(file)) throw unexpected()
    return text(join(folder, file))
  })
  return `CREATE VIEW ${table} AS SELECT * FROM read_parquet([\n  ${paths.join(',\n  ')}],\n  union_by_name = true, hive_partitioning = true)`
}

function quoted(name: string): string {
  return `"${name}"`
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function unexpected(): CommandError {
  return new CommandError({
    error: 'UNEXPECTED_ANSWER',
    message: 'The service named files of another form.',
    suggested_action: 'Use the same version of service and command line.',
  })
}
