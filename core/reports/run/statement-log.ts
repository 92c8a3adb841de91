import type { Guest } from '#core/limits/limit-state'
import type {
  FileSizes,
  QueryEngine,
  QueryStatistics,
  ScanEstimate,
  ScanEstimator,
  SqlQuery,
} from '#core/ports'
import { isFileCondition } from '#core/sql/sql'
import { sumOf } from '#core/sum'
import type { Statement } from '#schemas/read-options'
import type { Asker } from './packs.ts'

/** Who reads. */
export type Reading = {
  /** Whose turn the statements take in the queue of the engine. */
  account: string
  /** The place of the read among those of the account. */
  order: number
  /** Absent for an account, whose statements are not counted. */
  guest?: Guest | undefined
}

export type LogOptions = Reading & {
  /** Packs the statements where each one costs. */
  asker: Asker
  /** Estimates the statements instead of running them. They then return no rows. */
  isDryRun: boolean
  estimator: ScanEstimator | undefined
  /** The snapshot of the read. */
  lake: FileSizes
}

export type StatementLog = ReturnType<typeof createStatementLog>

/** The engine for one reader: its statements take the reader's turn, and those of a guest are counted. */
export function engineFor(engine: QueryEngine, { account, order, guest }: Reading): QueryEngine {
  return {
    ...engine,
    async rows(query, options = {}) {
      const turn = { ...options, account, order }
      if (guest === undefined) return engine.rows(query, turn)
      await guest.admitStatement()
      let costUsd = 0
      const onStatistics = (cost: QueryStatistics): void => {
        costUsd += cost.costUsd
        options.onStatistics?.(cost)
      }
      // A statement that fails is billed too.
      return engine
        .rows(query, { ...turn, isGuest: true, onStatistics })
        .finally(() => guest.noteCost(costUsd))
    },
  }
}

/** An engine that notes each statement of one read. */
export function createStatementLog(
  engine: QueryEngine,
  { asker, isDryRun, estimator, lake, ...reading }: LogOptions,
) {
  const quietEngine = asker.packed(engineFor(engine, reading))
  const { account, order, guest } = reading
  const statements: SqlQuery[] = []
  const statistics: QueryStatistics[] = []
  const estimates: ScanEstimate[] = []
  const loggedEngine: QueryEngine = {
    ...engine,
    async rows(query, options) {
      statements.push(query)
      if (!isDryRun) {
        const onStatistics = (cost: QueryStatistics): void => void statistics.push(cost)
        return quietEngine.rows(query, { ...options, onStatistics })
      }
      if (estimator === undefined) return []
      const turn = { signal: options?.signal, account, order, isGuest: guest !== undefined }
      estimates.push(await estimator.estimate(query, lake, turn))
      return []
    },
  }
  return {
    engine: loggedEngine,
    /** The same without notes. */
    quietEngine,
    /** What all statements read together. */
    sumStatistics: () => ({
      engine: statistics[0]?.engine ?? null,
      rows: statistics.reduce<number | null>(
        (sum, { rowsScanned }) => (sum === null || rowsScanned === null ? null : sum + rowsScanned),
        0,
      ),
      bytes: sumOf(statistics, ({ bytesScanned }) => bytesScanned),
      cost_usd: sumOf(statistics, ({ costUsd }) => costUsd),
    }),
    /** What all statements would read; nulls without an estimator. */
    sumEstimates: () =>
      estimator === undefined
        ? { rows: null, bytes: null, cost_usd: null }
        : {
            rows: sumOf(estimates, ({ rowsScanned }) => rowsScanned),
            bytes: sumOf(estimates, ({ bytesScanned }) => bytesScanned),
            cost_usd: sumOf(estimates, ({ costUsd }) => costUsd),
          },
    /**
     * The statements in the order of their start, for a caller who runs them over the files. A condition on
     * files is true there, because `tables` has exactly these files.
     */
    describeStatements: (): Statement[] =>
      statements.map(({ text, params, scans = [] }) => {
        const scansOfTables = Map.groupBy(scans, ({ table }) => table)
        return {
          text,
          params: params.map(param => (isFileCondition(param) ? true : param)),
          tables: Object.fromEntries(
            [...scansOfTables].map(([table, scans]) => [
              table,
              [...new Set(scans.flatMap(({ files }) => files))].toSorted(),
            ]),
          ),
        }
      }),
  }
}
