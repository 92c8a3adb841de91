/**
 * Sets the size of Node's thread pool, which all threads of the process share. main.ts imports it first,
 * because the size counts only until the pool is first used. Each running DuckDB statement holds a thread, of
 * reports and of compactions. By default there are four, so two accounts with heavy reports and a compaction
 * would leave none for files and the state: ingestion would wait for reads.
 */

/** Threads beside those of reports: for compactions, files, syncs of the state and name lookups. */
const OTHER_THREADS = 13
/** The largest size that libuv accepts. */
const MAX_THREADS = 1024

const reports = Number(process.env.QUERY_CONCURRENCY ?? 2) + 1
// A value that is no number is reported when the settings are read.
const size = Math.min(MAX_THREADS, (reports > 0 ? reports : 0) + OTHER_THREADS)
process.env.UV_THREADPOOL_SIZE ??= String(size)
