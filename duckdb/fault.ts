/**
 * What kind of failure the message of DuckDB describes:
 * - statement: the statement is wrong, or it was interrupted
 * - memory: there is not enough memory
 * - gone: a file was deleted after it was listed
 * - invalidated: an internal or fatal error of another statement closed the database
 * - internal: an internal or fatal error of this statement closed the database. It is a bug of DuckDB, or a
 *   damaged file
 * - refused: the system did not open a file
 * - read: anything else, e.g. a file that is not valid Parquet
 */
export type EngineFailure = 'statement' | 'memory' | 'gone' | 'invalidated' | 'internal' | 'refused' | 'read'

/**
 * The first kind whose pattern matches counts. The message of an invalidated database may quote any other
 * message.
 */
const PATTERNS: readonly (readonly [EngineFailure, RegExp])[] = [
  ['invalidated', /database has been invalidated because of a previous/],
  ['internal', /^(INTERNAL|FATAL)\b/],
  ['statement', /^(Parser|Binder|Catalog|Not implemented|Interrupt|INTERRUPT)/],
  ['memory', /^Out of Memory/],
  ['gone', /No files found that match|No such file or directory/],
  ['refused', /too many open files|permission denied|operation not permitted/i],
]

export function classifyEngineFailure(error: unknown): EngineFailure {
  const message = error instanceof Error ? error.message : String(error)
  return PATTERNS.find(([, pattern]) => pattern.test(message))?.[0] ?? 'read'
}

/** Whether a damaged file may be the cause. */
export function mayBeDamage(failure: EngineFailure): boolean {
  return failure === 'read' || failure === 'internal' || failure === 'invalidated'
}
