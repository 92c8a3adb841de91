import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Lake } from '#core/ports'
import { storedTypes } from '#duckdb/tables'
import { type Column, type ColumnName, type TableName, tables } from '#schemas/columns'

/**
 * A lake whose files with an old key have no `columns`, like files that were written before these were added.
 */
export function lakeWithOldFiles(
  lake: Lake,
  columns: readonly ColumnName[],
  isOld: (key: string) => boolean,
): Lake {
  return {
    ...lake,
    put: async (key, bytes) => lake.put(key, isOld(key) ? await withoutColumns(key, bytes, columns) : bytes),
  }
}

/** The bytes of a file as they were before these columns were added. */
export function withoutColumns(
  key: string,
  bytes: Uint8Array,
  columns: readonly ColumnName[],
): Promise<Uint8Array> {
  return rewriteColumns(bytes, selectList(key, columns))
}

/**
 * A lake whose hot files get one column more when they are first written, as by a newer version: the name of
 * each event.
 */
export function lakeWithNewerFiles(lake: Lake, column: string): Lake {
  return {
    ...lake,
    async put(key, bytes) {
      const isNewHotFile = key.startsWith('hot/') && (await lake.get(key)) === null
      if (!isNewHotFile) return lake.put(key, bytes)
      return lake.put(key, await rewriteColumns(bytes, `${selectList(key, [])}, event AS ${column}`))
    },
  }
}

async function rewriteColumns(bytes: Uint8Array, columns: string): Promise<Uint8Array> {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-old-files-'))
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const [input, output] = [join(dir, 'input.parquet'), join(dir, 'output.parquet')]
    await writeFile(input, bytes)
    const connection = await instance.connect()
    await connection.run(
      `COPY (SELECT ${columns} FROM read_parquet('${input}')) TO '${output}' (FORMAT parquet)`,
    )
    connection.closeSync()
    return await readFile(output)
  } finally {
    instance.closeSync()
    await rm(dir, { recursive: true })
  }
}

function selectList(key: string, removedColumns: readonly ColumnName[]): string {
  const names = Object.keys(tables) as TableName[]
  const table = names.find(name => key.startsWith(`${tables[name].prefix}/`))
  if (table === undefined) throw new Error(`${key} is no file of a table`)
  const columns: readonly Column<ColumnName>[] = tables[table].columns
  return columns
    .filter(({ name }) => !removedColumns.includes(name))
    .map(({ name, type }) => `CAST(${name} AS ${storedTypes[type]}) AS ${name}`)
    .join(', ')
}
