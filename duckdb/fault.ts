/**
 * What kind of failure DuckDB's message tells of: the statement itself is wrong or was interrupted; memory ran out; a
 * file was deleted after it was listed; a fatal error of another statement closed the database; the system would not
 * open a file; or what was read is not as it should be.
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
