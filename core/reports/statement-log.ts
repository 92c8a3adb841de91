import type { QueryEngine, QueryStatistics, ScanEstimate, ScanEstimator, SqlQuery } from '#core/ports'
import { type TableName, tables } from '#schemas/columns'
import type { Statement } from '#schemas/read-options'

export type LogOptions = {
  /** Whose turn the statements take in the queue of the engine. */
  account: string
  /** Estimates the statements instead of running them. They then return no rows. */
  isDryRun: boolean
  estimator: ScanEstimator | undefined
}

/** An engine that notes each statement of one read. */
export function createStatementLog(engine: QueryEngine, { account, isDryRun, estimator }: LogOptions) {
  const statements: SqlQuery[] = []
  const statistics: QueryStatistics[] = []
  const estimates: ScanEstimate[] = []
  const loggedEngine: QueryEngine = {
    async rows(query, options) {
      statements.push(query)
      if (!isDryRun) {
        const onStatistics = (cost: QueryStatistics): void => void statistics.push(cost)
        return engine.rows(query, { ...options, account, onStatistics })
      }
      if (estimator !== undefined) {
        estimates.push(await estimator.estimate(query, { snapshot: options?.snapshot }))
      }
      return []
    },
  }
  return {
    engine: loggedEngine,
    /** What all statements read together. */
    sumStatistics: () => ({
      engine: statistics[0]?.engine ?? null,
      rows: statistics.reduce<number | null>(
        (sum, { rowsScanned }) => (sum === null || rowsScanned === null ? null : sum + rowsScanned),
        0,
      ),
      bytes: sumOf(statistics.map(({ bytesScanned }) => bytesScanned)),
      cost_usd: sumOf(statistics.map(({ costUsd }) => costUsd)),
    }),
    /** What all statements would read; nulls without an estimator. */
    sumEstimates: () =>
      estimator === undefined
        ? { rows: null, bytes: null, cost_usd: null }
        : {
            rows: sumOf(estimates.map(({ rowsScanned }) => rowsScanned)),
            bytes: sumOf(estimates.map(({ bytesScanned }) => bytesScanned)),
            cost_usd: sumOf(estimates.map(({ costUsd }) => costUsd)),
          },
    /** The statements in the order of their start, for a caller who runs them over the files. */
    describeStatements: (): Statement[] =>
      statements.map(({ text, params, scans = [] }) => {
        const patterns = Map.groupBy(scans, ({ table }) => table)
        return {
          text,
          params: [...params],
          tables: Object.fromEntries(
            [...patterns].map(([table, scans]) => [table, [...new Set(scans.map(filePattern))].toSorted()]),
          ),
        }
      }),
  }
}

/** The files of a scan. Its ranges of epochs and dates stand in the statement, so here each is a `*`. */
function filePattern({ table, bucket }: { table: TableName; bucket?: number }): string {
  const { prefix, partitions } = tables[table]
  const folders = partitions.map(({ name }) =>
    name === 'bucket' && bucket !== undefined ? `bucket=${bucket}` : `${name}=*`,
  )
  return [prefix, ...folders, '*.parquet'].join('/')
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
