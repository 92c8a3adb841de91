import { DuckDBInstance } from '@duckdb/node-api'
import { classifyEngineFailure, mayBeDamage } from './fault.ts'

/** A Parquet file of the lake is missing or cannot be read. `key` is its key in the lake. */
export class DamagedObject extends Error {
  readonly key: string

  constructor(key: string, cause: unknown) {
    super(`${key} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'DamagedObject'
    this.key = key
  }
}

/**
 * Finds the damaged file that made a statement fail: the file that the error message names, else the first
 * file that cannot be read alone. Returns null if all files can be read, so the failure has another cause.
 */
export async function findDamaged(error: unknown, files: readonly string[]): Promise<string | null> {
  const fileInMessage = files.find(file => String(error).includes(file))
  if (fileInMessage !== undefined) return fileInMessage
  // A new instance, because a file that broke one database can break the next one too.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' })
  try {
    const connection = await instance.connect()
    for (const file of files) {
      try {
        await connection.run('SELECT bit_xor(hash(t)) FROM read_parquet($1) AS t', [file])
      } catch (failure) {
        if (mayBeDamage(classifyEngineFailure(failure))) return file
      }
    }
    connection.closeSync()
    return null
  } finally {
    instance.closeSync()
  }
}
