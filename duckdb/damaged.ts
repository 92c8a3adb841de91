import { DuckDBInstance } from '@duckdb/node-api'
import { classifyEngineFailure } from './fault.ts'

/** A Parquet file of the lake that cannot be read, or is not there. `key` is its key in the lake. */
export class DamagedObject extends Error {
  readonly key: string

  constructor(key: string, cause: unknown) {
    super(`${key} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'DamagedObject'
    this.key = key
  }
}

/**
 * The file that a failed statement stumbled over: the one that its message names, else the first that cannot be read
 * alone; null when all can, so that the fault is another.
 */
export async function findDamaged(error: unknown, files: readonly string[]): Promise<string | null> {
  const named = files.find(file => String(error).includes(file))
  if (named !== undefined) return named
  // On an engine of its own: a file that broke one database may break the next too.
  const probe = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' })
  try {
    const connection = await probe.connect()
    for (const file of files) {
      try {
        await connection.run('SELECT bit_xor(hash(t)) FROM read_parquet($1) AS t', [file])
      } catch (failure) {
        if (classifyEngineFailure(failure) === 'read') return file
      }
    }
    connection.closeSync()
    return null
  } finally {
    probe.closeSync()
  }
}
