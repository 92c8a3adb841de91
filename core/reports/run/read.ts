import { createSharedRuns } from '#core/async/shared-runs'
import type { Guest } from '#core/limits/limit-state'
import type { Log, ScanEstimator } from '#core/ports'
import type { UsageCounters } from '#core/usage/counters'
import type { ReadOptions, Receipt, Statement } from '#schemas/read-options'
import { caveatsField } from './caveats.ts'
import { compactLists } from './compact-lists.ts'
import { createFirstEvents } from './first-event.ts'
import { createMoments, type MomentServices } from './moments.ts'
import { createNotes, type ReadNotes, warningsField } from './notes.ts'
import { type Asker, createPacks } from './packs.ts'
import type { ReportServices } from './run.ts'
import { createStatementLog, type StatementLog } from './statement-log.ts'

export type ReadServices = ReportServices &
  Pick<MomentServices, 'freshUntil'> & {
    /** Without it a dry run knows no numbers. */
    estimator?: ScanEstimator | undefined
    /** Without them the lake says where the data of a project begins. */
    usage?: Pick<UsageCounters, 'totals'> | undefined
    log?: Log | undefined
  }

export type ReadCall = {
  /** The id of the caller's account. */
  account: string
  /** Absent for an account. */
  guest?: Guest | undefined
  options: ReadOptions
  /** Of a call with several reads, whose statements share packs. Absent: this read is the only one. */
  asker?: Asker | undefined
  /** Warnings about the request itself. */
  warnings?: readonly string[] | undefined
}

/** What the work of a read gets. */
export type WorkServices = ReportServices & {
  /**
   * Runs an equal question of reads of one moment once: also what the process does with its rows, which takes
   * a thread that all reads share. `question` names everything that decides the result.
   */
  shareEqual<Body>(question: string, signal: AbortSignal | undefined, run: SharedWork<Body>): Promise<Body>
}
type SharedWork<Body> = (services: ReportServices, signal: AbortSignal) => Promise<Body>

/** The statements and notes of a computation, for the receipt. */
type Computation = { log: StatementLog; notes: ReadNotes }

type Extras = { receipt?: Receipt; sql?: Statement[]; warnings?: string[] }
type DryRun = {
  dry_run: true
  estimate: { rows: number | null; bytes: number | null; cost_usd: number | null }
}
export type ReadResult<Body> = { body: (Body | DryRun) & Extras; receipt: Receipt }

/**
 * Runs reads with their options (docs/api/reads.md): `compact`, `receipt`, `sql` and `dry_run`. The work
 * computes the response body with the services that it gets: their clock stands still, and their engine notes
 * each statement.
 */
export function createReader(services: ReadServices) {
  const { engine, estimator, clock } = services
  const shareMoment = createMoments(services)
  const firstEvents = createFirstEvents(clock, services.usage)
  const shareRun = createSharedRuns<Computation & { body: unknown }>()
  let readCount = 0

  return async function read<Body>(
    { account, guest, options, asker = createPacks({ log: services.log }).begin(), warnings = [] }: ReadCall,
    work: (services: WorkServices) => Promise<Body>,
  ): Promise<ReadResult<Body>> {
    const startedAt = clock.now()
    const order = readCount++
    return shareMoment(async function readAtMoment({ now, lake, freshUntil }) {
      const isDryRun = options.dry_run === true
      const begin = (each: Asker) => {
        const reading = { account, order, guest, asker: each }
        const log = createStatementLog(engine, { ...reading, isDryRun, estimator, lake })
        const notes = createNotes()
        const reportServices: ReportServices = {
          ...{ notes, isDryRun, engine: log.engine, quietEngine: log.quietEngine, firstEvents },
          openLake: async () => lake,
          clock: { now: () => now },
        }
        return { log, notes, reportServices }
      }
      const own = begin(asker)
      let computation: Computation = own
      async function shareEqual<T>(
        question: string,
        signal: AbortSignal | undefined,
        run: SharedWork<T>,
      ): Promise<T> {
        // An account does not wait for the turn of a guest, and a guest reads the same project as the
        // account.
        const key = JSON.stringify([account, guest !== undefined, isDryRun, question])
        const shared = { scope: lake, key, signal: signal ?? new AbortController().signal }
        const running = shareRun(shared, async runSignal => {
          const runAsker = asker.packs.begin()
          try {
            const { reportServices, ...begun } = begin(runAsker)
            return { ...begun, body: await run(reportServices, runSignal) }
          } finally {
            runAsker.end()
          }
        })
        // The run has begun, maybe for another read. This one asks nothing more.
        asker.end()
        const { body, ...rest } = await running
        computation = rest
        return body as T
      }
      const computed = await work({ ...own.reportServices, shareEqual }).finally(asker.end)
      const { log } = computation
      if (isCut(computed)) computation.notes.caveats.set('CUT', CUT)
      const notes = { ...computation.notes, warnings: new Set([...warnings, ...computation.notes.warnings]) }
      const report = options.compact ? (compactLists(computed as Record<string, unknown>) as Body) : computed
      const body = options.dry_run ? { dry_run: true as const, estimate: log.sumEstimates() } : report
      const { cost_usd, ...counts } = log.sumStatistics()
      const ms = clock.now() - startedAt
      const receipt: Receipt = {
        ...counts,
        ms,
        fresh_until: freshUntil ?? lake.newestArrival(),
        exact: notes.isExact && !isCut(computed),
        cost_usd,
        data_from: notes.dataFrom,
      }
      const extras: Extras = {
        ...(options.receipt && { receipt }),
        ...(options.sql && { sql: log.describeStatements() }),
        ...warningsField(notes, (body as { warnings?: string[] }).warnings),
        ...(options.dry_run !== true && caveatsField(notes, body as { caveats?: unknown })),
      }
      return { body: { ...body, ...extras }, receipt }
    })
  }
}

export type Reader = ReturnType<typeof createReader>

/** The receipt as the value of a header. */
export function receiptHeader(receipt: Receipt): string {
  return Object.entries(receipt)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}

const CUT =
  'A list is cut, so it lacks rows. Send a larger `limit`, or ask for fewer groups. Totals count everything.'

/** Returns whether the body, or a part of it such as `previous`, says that it is cut. */
function isCut(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  const { truncated, previous } = body as { truncated?: unknown; previous?: unknown }
  return truncated === true || isCut(previous)
}
