import type { Refusal, RefusalCounts } from '#core/ingest/refusal-counts'
import type { EventStream, Log } from '#core/ports'
import type { HttpFunction } from '#lambdas/http/http'
import type { LogCode } from '#schemas/log'
import type { RefusalReason } from '#schemas/refusals'
import type { Route } from '#schemas/route'

/** The newest reads of each report whose times are kept: 4 KB for each of some thirty reports. */
const KEPT_READS = 1_000

/** The reads of one report. `seconds`: how long the newest of them took, in no order. */
export type Reads = { count: number; sum: number; seconds: Float32Array }

/** The answers of one function with one class of status, such as `2xx`. */
export type Answers = { function: Route['function']; status: string; count: number }

/**
 * What this process has counted since it started. Every key is of a table of ours (log codes, functions,
 * reports, reasons), never a text of a caller, so the size is bounded.
 */
export function createCounters() {
  const lines = new Map<LogCode, number>()
  const refused = new Map<RefusalReason, number>()
  const answers = new Map<string, Answers>()
  const reads = new Map<string, { count: number; sum: number; ring: Float32Array }>()
  let records = 0

  function countAnswer(route: Route, status: number, seconds: number): void {
    const statusClass = `${Math.floor(status / 100)}xx`
    const key = `${route.function} ${statusClass}`
    const before = answers.get(key)
    if (before === undefined) answers.set(key, { function: route.function, status: statusClass, count: 1 })
    else before.count += 1
    if (route.function !== 'reports') return
    let read = reads.get(route.path)
    if (read === undefined) {
      read = { count: 0, sum: 0, ring: new Float32Array(KEPT_READS) }
      reads.set(route.path, read)
    }
    read.ring[read.count % KEPT_READS] = seconds
    read.count += 1
    read.sum += seconds
  }

  return {
    /** A function of the service whose answers count. */
    ofFunction(respond: HttpFunction): HttpFunction {
      return async (route, request) => {
        const startedAt = performance.now()
        const response = await respond(route, request)
        countAnswer(route, response.status, (performance.now() - startedAt) / 1_000)
        return response
      }
    },
    /** A log whose lines count. */
    ofLog(log: Log): Log {
      return (code, fields) => {
        lines.set(code, (lines.get(code) ?? 0) + 1)
        log(code, fields)
      }
    },
    /** A stream whose acknowledged records count. */
    ofStream<Stream extends EventStream>(stream: Stream): Stream {
      return {
        ...stream,
        async append(appended, project) {
          await stream.append(appended, project)
          records += appended.length
        },
      }
    },
    ofRefusals(counts: Pick<RefusalCounts, 'count'>): Pick<RefusalCounts, 'count'> {
      return {
        count(projectId: string, refusal: Refusal) {
          refused.set(refusal.reason, (refused.get(refusal.reason) ?? 0) + refusal.events)
          return counts.count(projectId, refusal)
        },
      }
    },
    records: () => records,
    lines: (code: LogCode) => lines.get(code) ?? 0,
    refused: (reason: RefusalReason) => refused.get(reason) ?? 0,
    answers: (): Answers[] => [...answers.values()],
    /** By the path of the report. */
    reads: (): [string, Reads][] =>
      [...reads].map(([path, { count, sum, ring }]) => [
        path,
        { count, sum, seconds: ring.slice(0, Math.min(count, KEPT_READS)) },
      ]),
  }
}

export type Counters = ReturnType<typeof createCounters>
