import { type LakeRead, oldestEvent } from '#core/lake/relations'
import type { Snapshot } from '#core/lake/state'
import type { Clock, QueryEngine, Row, SqlQuery } from '#core/ports'
import { type Range, type RangeParams, toRange } from './range.ts'

export type ReportServices = {
  engine: QueryEngine
  lakeState: { lake(): Promise<Snapshot> }
  clock: Clock
}

/** The fields of the caller's project that reports use. */
export type ReportProject = LakeRead['project'] & { name: string }

/** A request that the chain has checked. A report reads its parameters from the query string, the body or both. */
export type ReportCall<Params> = {
  project: ReportProject
  query?: Partial<Params> | undefined
  body?: Partial<Params> | undefined
  /** Aborted when the caller goes away. */
  signal?: AbortSignal | undefined
  /** Unix ms. Events before it are older than the account's plan keeps them, so no report sees them. */
  keptSince?: number | undefined
}

/** What a report knows about its request. */
export type ReportRequest<Params> = {
  project: ReportProject
  params: Params
  /** The current time, Unix ms. */
  now: number
  /** The range that the caller asked for. */
  range: Range
  /** The part of that range that can hold events, and the snapshot. The functions of core/lake/relations.ts take it. */
  read: LakeRead
}

/** Runs a statement on the snapshot of the report. It stops when the caller goes away. */
export type ReadRows = (statement: SqlQuery) => Promise<Row[]>

export type Report<Params, Body> = {
  /** Days before today where the range begins, if the caller does not say. */
  defaultDays: number
  /** Whether the series has intervals of an hour; see toRange. */
  isHourly?: (params: Params) => boolean
  /** Makes the response body, with as many statements as it needs. */
  compute(rows: ReadRows, request: ReportRequest<Params>): Promise<Body>
}

/** A report that needs one statement only. */
export type OneStatementReport<Params, Body> = Omit<Report<Params, Body>, 'compute'> & {
  sql(request: ReportRequest<Params>): SqlQuery
  shape(rows: Row[], request: ReportRequest<Params>): Body
}

/** Defines a report by `sql` and `shape`, or by `compute` if it needs several statements. */
export function defineReport<Params extends RangeParams, Body>(
  definition: OneStatementReport<Params, Body> | Report<Params, Body>,
): Report<Params, Body> {
  if ('compute' in definition) return definition
  const { sql, shape, ...options } = definition
  return {
    ...options,
    compute: async (rows, request) => shape(await rows(sql(request)), request),
  }
}

/**
 * Runs a report for one request: resolves the range, takes one snapshot for all statements, and returns the response
 * body. Every report runs through this function, so what all reports share belongs here.
 */
export async function runReport<Params extends RangeParams, Body>(
  { defaultDays, isHourly, compute }: Report<Params, Body>,
  { engine, lakeState, clock }: ReportServices,
  { project, query, body, signal, keptSince = 0 }: ReportCall<Params>,
): Promise<Body> {
  // The chain has checked both against the route's schemas; together they hold all parameters.
  const params = { ...query, ...body } as Params
  const now = clock.now()
  const range = toRange(params, { now, defaultDays, isHourly: isHourly?.(params) ?? false })
  const snapshot = await lakeState.lake()
  const from = Math.max(range.from, oldestEvent(project), keptSince)
  const rows: ReadRows = statement => engine.rows(statement, { signal, snapshot })
  return compute(rows, { project, params, now, range, read: { snapshot, project, from, to: range.to } })
}
