import { CAPS } from './http/admission.ts'

/** The limit of open files is too low for the service. The message is for the operator. */
export class FileLimitError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FileLimitError'
  }
}

/**
 * Descriptors for everything but connections of clients: log, state and lake, threads and pipes. A service
 * has 51 when idle and had 72 under load with 187 hot files (two query threads); eight website analyses add
 * at most ten each.
 */
const KEPT_FILES = 160
/**
 * DuckDB reads ahead, so a scan of many files has up to six of them open for each thread: 327 with 64
 * threads.
 */
const FILES_OF_QUERY_THREAD = 6
/**
 * A browser has up to six connections, so with fewer than this the service would work for a handful of
 * people.
 */
const MIN_CONNECTIONS = 32

/**
 * The number of files that this process may have open; Infinity where the system sets no limit. Takes 3 ms.
 */
export function readFileLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * How many connections the service may take, so that what it reads and writes can always be opened. Throws
 * FileLimitError when too few remain.
 */
export function connectionsWithin(fileLimit: number, queryThreads: number): number {
  const kept = KEPT_FILES + FILES_OF_QUERY_THREAD * queryThreads
  if (fileLimit < kept + MIN_CONNECTIONS) {
    throw new FileLimitError(
      `The limit of open files is ${fileLimit}, and the service needs at least ${kept + MIN_CONNECTIONS}. Raise it, for example with \`ulimit -n 4096\`, or lower QUERY_THREADS.`,
    )
  }
  return Math.min(CAPS.connections, fileLimit - kept)
}
