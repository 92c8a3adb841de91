import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AthenaClient,
  type ColumnInfo,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { ApiError } from '#core/errors'
import type { Clock, QueryEngine, QueryStatistics, Row, SqlQuery } from '#core/ports'
import { ANSWER_LIMITS, type AnswerLimits, createAnswerMeter } from '#core/sql/answer-meter'
import { queryFailure } from '#core/sql/query-failures'
import { isThrottled, isTransient } from '#core/state/transient'
import { systemClock } from '#providers/system-clock'
import { toQueryError } from './athena-failure.ts'
import { athenaCostUsd } from './athena-price.ts'
import { toRow } from './athena-rows.ts'
import { type Backoff, backOff } from './backoff.ts'
import { statementText } from './statement-text.ts'

export type AthenaEngineSettings = {
  client: AthenaClient
  workGroup: string
  /** The database of the Glue catalog that holds the lake's tables. */
  database: string
  /** The address of the lake's files, e.g. s3://bucket. */
  lakeLocation: string
  /**
   * How long a statement may take, with its wait in Athena's queue. API Gateway waits 30 s, so it must be
   * less.
   */
  timeoutMs?: number
  /** The first and the longest wait between two polls of a running statement. */
  firstPollMs?: number
  maxPollMs?: number
  /**
   * The waits between tries to start a statement that Athena throttles. The client of the SDK has tried
   * before.
   */
  startBackoff?: Backoff
  /**
   * How long the statement of a guest may wait for its start: while Athena throttles it, and in Athena's
   * queue.
   */
  guestStartMs?: number
  /** Says when `timeoutMs` is over. */
  clock?: Pick<Clock, 'deadline'>
  /** The largest answer. */
  answerLimits?: AnswerLimits
}

type RowsOptions = NonNullable<Parameters<QueryEngine['rows']>[1]>

const DEFAULTS = {
  timeoutMs: 25_000,
  firstPollMs: 150,
  maxPollMs: 1_000,
  startBackoff: { baseMs: 250, maxMs: 2_000 },
  // A few tries. An execution that waits for longer is one that ingestion or the owner may need.
  guestStartMs: 3_000,
  clock: systemClock,
  answerLimits: ANSWER_LIMITS,
} as const

/** A poll takes about 20 ms and costs nothing; most statements end within two seconds. */
const POLL_GROWTH = 1.4
/** Rows of a result page with its header: Athena's own limit. */
const PAGE_ROWS = 1_000
/**
 * How long the engine tries to stop a statement. A statement that cannot be stopped ends by the workgroup's
 * limits.
 */
const STOP_MS = 3_000
const STOP_BACKOFF: Backoff = { baseMs: 100, maxMs: 1_000 }

export type AthenaEngine = QueryEngine & {
  /** Resolves when no statement runs or is being stopped, at the latest after `withinMs`. */
  waitUntilIdle(withinMs: number): Promise<void>
}

/** The QueryEngine port on Athena, engine v3. */
export function createAthenaEngine(settings: AthenaEngineSettings): AthenaEngine {
  const { client, workGroup, database, lakeLocation, timeoutMs, answerLimits, clock, ...pauses } = {
    ...DEFAULTS,
    ...settings,
  }
  const { firstPollMs, maxPollMs, startBackoff, guestStartMs } = pauses

  const running = new Set<Promise<Row[]>>()

  function rows(query: SqlQuery, options: RowsOptions = {}): Promise<Row[]> {
    const result = run(query, options).finally(() => running.delete(result))
    running.add(result)
    return result
  }

  async function waitUntilIdle(withinMs: number): Promise<void> {
    await Promise.race([Promise.allSettled(running), sleep(withinMs)])
  }

  async function run(query: SqlQuery, options: RowsOptions): Promise<Row[]> {
    options.signal?.throwIfAborted()
    const deadline = clock.deadline(timeoutMs)
    const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])])
    const startSignal = options.isGuest ? clock.deadline(guestStartMs) : null
    const id = await start(query, signal, startSignal).catch(error => {
      options.signal?.throwIfAborted()
      throw error
    })
    let isRunning = true
    try {
      const statement = await waitForEnd(id, signal, startSignal)
      isRunning = false
      options.onStatistics?.(toStatistics(statement))
      if (statement.Status?.State !== 'SUCCEEDED') throw toQueryError(statement)
      return await readResults(id, signal)
    } catch (error) {
      if (isRunning) await stop(id)
      if (!signal.aborted) throw toEngineError(error)
      options.signal?.throwIfAborted()
      throw queryFailure('timeout', error)
    }
  }

  /**
   * Starts a statement. Athena starts 20 statements a second in a region, so a throttled start is tried again
   * until the signal ends; that of a guest, whose wait has a signal of its own, only until that. No signal
   * aborts a call itself, because without its id the statement could not be stopped.
   */
  async function start(query: SqlQuery, signal: AbortSignal, guest: AbortSignal | null): Promise<string> {
    const command = new StartQueryExecutionCommand({
      QueryString: statementText(query, lakeLocation),
      WorkGroup: workGroup,
      // Without a catalog Athena takes the one of Glue. A named catalog may need the right
      // athena:GetDataCatalog.
      QueryExecutionContext: { Database: database },
    })
    for (let attempt = 1; ; attempt++) {
      try {
        const { QueryExecutionId } = await client.send(command)
        if (QueryExecutionId === undefined) throw new Error('Athena gave no id of the statement')
        return QueryExecutionId
      } catch (error) {
        if (!isThrottled(error)) throw toEngineError(error)
        const waiting = guest === null ? signal : AbortSignal.any([signal, guest])
        await backOff(startBackoff, attempt, waiting).catch(() => {
          throw queryFailure(guest === null ? 'throttled' : 'guests', error)
        })
      }
    }
  }

  async function waitForEnd(
    id: string,
    signal: AbortSignal,
    guest: AbortSignal | null,
  ): Promise<QueryExecution> {
    for (let polls = 0; ; polls++) {
      const bound = Math.min(maxPollMs, firstPollMs * POLL_GROWTH ** polls)
      await pause(bound, signal)
      const statement = await poll(id, signal)
      const state = statement?.Status?.State
      if (statement !== null && state !== 'QUEUED' && state !== 'RUNNING') return statement
      // The statements of accounts wait in the same queue of Athena.
      if (state === 'QUEUED' && guest?.aborted) throw queryFailure('guests')
    }
  }

  /**
   * Returns the current state of a statement, or null after a transient failure: the statement goes on
   * meanwhile.
   */
  async function poll(id: string, abortSignal: AbortSignal): Promise<QueryExecution | null> {
    try {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId: id }), {
        abortSignal,
      })
      return QueryExecution ?? null
    } catch (error) {
      abortSignal.throwIfAborted()
      if (isTransient(error)) return null
      throw error
    }
  }

  async function readResults(id: string, abortSignal: AbortSignal): Promise<Row[]> {
    const rows: Row[] = []
    const meter = createAnswerMeter(answerLimits)
    let columns: ColumnInfo[] = []
    for (let next: string | undefined; ; ) {
      const page = await client.send(
        new GetQueryResultsCommand({ QueryExecutionId: id, MaxResults: PAGE_ROWS, NextToken: next }),
        { abortSignal },
      )
      columns = page.ResultSet?.ResultSetMetadata?.ColumnInfo ?? columns
      // The first row of the first page holds the names of the columns.
      const data = (page.ResultSet?.Rows ?? []).slice(next === undefined ? 1 : 0)
      for (const { Data = [] } of data) {
        const row = toRow(columns, Data)
        meter(row)
        rows.push(row)
      }
      if (page.NextToken === undefined) return rows
      next = page.NextToken
    }
  }

  /**
   * Stops a statement. Never throws: the caller must see why the statement is stopped, not how the stop went.
   */
  async function stop(id: string): Promise<void> {
    const deadline = AbortSignal.timeout(STOP_MS)
    for (let attempt = 1; !deadline.aborted; attempt++) {
      try {
        await client.send(new StopQueryExecutionCommand({ QueryExecutionId: id }), { abortSignal: deadline })
        return
      } catch (error) {
        if (!isTransient(error)) return
        await backOff(STOP_BACKOFF, attempt, deadline).catch(() => {})
      }
    }
  }

  return { areScansBilled: true, rows, waitUntilIdle }
}

function toStatistics({ Statistics = {} }: QueryExecution): QueryStatistics {
  const bytesScanned = Statistics.DataScannedInBytes ?? 0
  return {
    engine: 'athena',
    rowsScanned: null,
    bytesScanned,
    costUsd: athenaCostUsd(bytesScanned),
    engineMs: Statistics.EngineExecutionTimeInMillis ?? 0,
    queueMs: Statistics.QueryQueueTimeInMillis ?? 0,
  }
}

function toEngineError(error: unknown): unknown {
  return error instanceof ApiError || !isTransient(error) ? error : queryFailure('unreachable', error)
}

/** Waits 80 to 100 % of `ms`, so that statements that started together are not polled together. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms * (0.8 + 0.2 * Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted())
}
