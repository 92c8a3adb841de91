import { availableParallelism } from 'node:os'

/** DuckDB's threads share its memory. Each thread needs this many MB for the rows that it sorts. */
const THREAD_MEMORY_MB = 512

/** How many threads a DuckDB with this much memory gets: at least one, and at most one for each core. */
export function duckdbThreads(memoryMb: number): number {
  return Math.min(Math.max(1, Math.floor(memoryMb / THREAD_MEMORY_MB)), availableParallelism())
}
