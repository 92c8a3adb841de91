/**
 * What kind of failure the message of DuckDB describes:
 * - statement: the statement is wrong, or it was interrupted
 * - memory: there is not enough memory
 * - gone: a file was deleted after it was listed
 * - invalidated: a fatal error of another statement closed the database
 * - refused: the system did not open a file
 * - read: anything else, e.g. a file that is not valid Parquet
 */
export type EngineFailure = 'statement' | 'memory' | 'gone' | 'invalidated' | 'refused' | 'read'

export function classifyEngineFailure(error: unknown): EngineFailure {
  const message = error instanceof Error ? error.message : String(error)
  if (/database has been invalidated because of a previous/.test(message)) return 'invalidated'
  if (/^(Parser|Binder|Catalog|Not implemented|Interrupt|INTERRUPT)/.test(message)) return 'statement'
  if (/^Out of Memory/.test(message)) return 'memory'
  if (/No files found that match|No such file or directory/.test(message)) return 'gone'
  if (/too many open files|permission denied|operation not permitted/i.test(message)) return 'refused'
  return 'read'
}
