import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AthenaClient,
  type ColumnInfo,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  type ResultReuseConfiguration,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { ApiError, unavailable } from '#core/errors'
import type { QueryEngine, QueryStatistics, Row, SqlQuery } from '#core/ports'
import { toQueryError } from './athena-failure.ts'
import { toRow } from './athena-rows.ts'
import { type Backoff, backOff } from './backoff.ts'
import { isThrottled, mapped, passes } from './fault.ts'
import { renderSql } from './literal.ts'

export type AthenaEngineSettings = {
  client: AthenaClient
  workGroup: string
  /** Of the Glue catalog: the lake's tables. */
  database: string
  /** How long a statement may take, waiting for a place included; below what API Gateway waits (30 s). */
  timeoutMs?: number
  /** How old a result may be that stands for the same text; 0: none is reused. */
  reuseMinutes?: number
  /** Waits between looks at a running statement; they grow from the first to the last. */
  firstLookMs?: number
  lastLookMs?: number
}

type RowsOptions = NonNullable<Parameters<QueryEngine['rows']>[1]>

const DEFAULTS = { timeoutMs: 25_000, reuseMinutes: 60, firstLookMs: 150, lastLookMs: 1_000 } as const

/** A look at a statement costs about 20 ms and is free of charge; most statements end within two seconds. */
const LOOK_GROWTH = 1.4
/** Rows of a page, the header among them; Athena's own limit. */
const PAGE_ROWS = 1_000
/** Seconds after which a refused caller may try again: Athena starts 20 statements a second. */
const THROTTLED_RETRY_AFTER = 2
const BUSY_RETRY_AFTER = 5
/** How long stopping a statement is tried; what cannot be stopped is ended by the workgroup's limits. */
const STOP_MS = 3_000
const STOP_BACKOFF: Backoff = { baseMs: 100, maxMs: 1_000 }

export type AthenaEngine = QueryEngine & {
  /** Resolves when no statement runs, those that are being stopped included, or after so many milliseconds. */
  settled(withinMs: number): Promise<void>
}

/** The QueryEngine port on Athena, engine v3. */
export function createAthenaEngine(settings: AthenaEngineSettings): AthenaEngine {
  const { client, workGroup, database, timeoutMs, reuseMinutes, firstLookMs, lastLookMs } = {
    ...DEFAULTS,
    ...settings,
  }

  const running = new Set<Promise<Row[]>>()

  function rows(query: SqlQuery, options: RowsOptions = {}): Promise<Row[]> {
    const found = run(query, options).finally(() => running.delete(found))
    running.add(found)
    return found
  }

  async function settled(withinMs: number): Promise<void> {
    await Promise.race([Promise.allSettled(running), sleep(withinMs)])
  }

  async function run(query: SqlQuery, options: RowsOptions): Promise<Row[]> {
    options.signal?.throwIfAborted()
    const late = AbortSignal.timeout(timeoutMs)
    const ending = AbortSignal.any([late, ...(options.signal ? [options.signal] : [])])
    const id = await start(query)
    let runs = true
    try {
      const statement = await finished(id, ending)
      runs = false
      options.onStatistics?.(statistics(statement))
      if (statement.Status?.State !== 'SUCCEEDED') throw toQueryError(statement)
      return await results(id, ending)
    } catch (error) {
      if (runs) await stop(id)
      if (!ending.aborted) throw fault(error)
      options.signal?.throwIfAborted()
      throw unavailable(`The query took longer than ${timeoutMs / 1000} s; ask for less.`, 10, error)
    }
  }

  /** Not cut off by the signal: a statement whose id is not known could not be stopped. */
  async function start(query: SqlQuery): Promise<string> {
    const command = new StartQueryExecutionCommand({
      QueryString: renderSql(query),
      WorkGroup: workGroup,
      // No catalog: that of Glue is meant then, and naming it may ask for the right athena:GetDataCatalog.
      QueryExecutionContext: { Database: database },
      ...(reuseMinutes > 0 && isFixed(query) ? { ResultReuseConfiguration: reuse(reuseMinutes) } : {}),
    })
    try {
      const { QueryExecutionId } = await client.send(command)
      if (QueryExecutionId === undefined) throw new Error('Athena gave no id of the statement')
      return QueryExecutionId
    } catch (error) {
      if (isThrottled(error)) {
        throw new ApiError('RATE_LIMITED', 'More queries than the engine takes at a time.', {
          retryAfter: THROTTLED_RETRY_AFTER,
          cause: error,
        })
      }
      throw fault(error)
    }
  }

  async function finished(id: string, ending: AbortSignal): Promise<QueryExecution> {
    for (let look = 0; ; look++) {
      const bound = Math.min(lastLookMs, firstLookMs * LOOK_GROWTH ** look)
      await pause(bound, ending)
      const statement = await lookAt(id, ending)
      const state = statement?.Status?.State
      if (statement !== null && state !== 'QUEUED' && state !== 'RUNNING') return statement
    }
  }

  /** The statement as it is now, or null when the look failed by a fault that passes: it runs on meanwhile. */
  async function lookAt(id: string, abortSignal: AbortSignal): Promise<QueryExecution | null> {
    try {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId: id }), {
        abortSignal,
      })
      return QueryExecution ?? null
    } catch (error) {
      abortSignal.throwIfAborted()
      if (passes(error)) return null
      throw error
    }
  }

  async function results(id: string, abortSignal: AbortSignal): Promise<Row[]> {
    const found: Row[] = []
    let columns: ColumnInfo[] = []
    for (let next: string | undefined; ; ) {
      const page = await client.send(
        new GetQueryResultsCommand({ QueryExecutionId: id, MaxResults: PAGE_ROWS, NextToken: next }),
        { abortSignal },
      )
      columns = page.ResultSet?.ResultSetMetadata?.ColumnInfo ?? columns
      // The first row of the first page names the columns.
      const data = (page.ResultSet?.Rows ?? []).slice(next === undefined ? 1 : 0)
      for (const { Data = [] } of data) found.push(toRow(columns, Data))
      if (page.NextToken === undefined) return found
      next = page.NextToken
    }
  }

  /** Never fails: the caller is told why it was stopped, not how. */
  async function stop(id: string): Promise<void> {
    const enough = AbortSignal.timeout(STOP_MS)
    for (let attempt = 1; !enough.aborted; attempt++) {
      try {
        await client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }), { abortSignal: enough })
        return
      } catch (error) {
        if (!passes(error)) return
        await backOff(STOP_BACKOFF, attempt, enough).catch(() => {})
      }
    }
  }

  return { rows, settled }
}

/**
 * Whether the same text will give the same rows for ever. The text holds the snapshot and all values, and what a
 * snapshot reads of cold and warm is never written again; but the newest epoch of hot grows while its number stays.
 */
function isFixed({ scans = [] }: SqlQuery): boolean {
  return scans.length > 0 && scans.every(({ table }) => table !== 'events_hot')
}

function reuse(minutes: number): ResultReuseConfiguration {
  return { ResultReuseByAgeConfiguration: { Enabled: true, MaxAgeInMinutes: minutes } }
}

function statistics({ Statistics = {} }: QueryExecution): QueryStatistics {
  return {
    bytesScanned: Statistics.DataScannedInBytes ?? 0,
    engineMs: Statistics.EngineExecutionTimeInMillis ?? 0,
    queueMs: Statistics.QueryQueueTimeInMillis ?? 0,
    reused: Statistics.ResultReuseInformation?.ReusedPreviousResult ?? false,
  }
}

function fault(error: unknown): unknown {
  return mapped(error, 'The query engine cannot answer now.', BUSY_RETRY_AFTER)
}

/** Waits `ms`, a little less at random, so that statements that began together are not looked at together. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms * (0.8 + 0.2 * Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted())
}
