import { createSharedRuns } from '#core/async/shared-runs'
import type { Guest } from '#core/limits/limit-state'
import type { Log, ScanEstimator } from '#core/ports'
import type { UsageCounters } from '#core/usage/counters'
import type { ReadOptions, Receipt, Statement } from '#schemas/read-options'
import { caveatsField } from './caveats.ts'
import { compactLists } from './compact-lists.ts'
import { createFirstEvents, type FirstEvents } from './first-event.ts'
import { createMoments, type Moment, type MomentServices } from './moments.ts'
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
  /** Aborted when the caller goes away. */
  signal?: AbortSignal | undefined
}

/**
 * Computes the body of a response. The clock of its services stands still, and their engine notes statements.
 */
type Compute<Body> = (services: ReportServices, signal: AbortSignal) => Promise<Body>

/**
 * What a read computes. Equal questions of one moment are computed once: also what the process does with the
 * rows, which takes a thread that all reads share. `question` names everything that decides the body; null:
 * no other read is equal.
 */
export type Question<Body> = { question: string | null; compute: Compute<Body> }

/** A read at its moment, and what it works with. */
type OpenRead = ReadCall & {
  services: ReadServices
  firstEvents: FirstEvents
  asker: Asker
  signal: AbortSignal
  /** The place of the read among those of the process. */
  order: number
  /** Unix ms. */
  startedAt: number
  moment: Moment
}

/** The statements and notes of a computation, for the receipt. */
type Computation = { log: StatementLog; notes: ReadNotes }
type Computed<Body> = Computation & { body: Body }
type ShareRun = ReturnType<typeof createSharedRuns<Computed<unknown>>>

type Extras = { receipt?: Receipt; sql?: Statement[]; warnings?: string[] }
type DryRun = {
  dry_run: true
  estimate: { rows: number | null; bytes: number | null; cost_usd: number | null }
}
export type ReadResult<Body> = { body: (Body | DryRun) & Extras; receipt: Receipt }

/**
 * Runs reads with their options (docs/api/reads.md): `compact`, `receipt`, `sql` and `dry_run`. A read asks
 * for the question at its moment, computes the body and shapes the result.
 */
export function createReader(services: ReadServices) {
  const { clock, log, usage } = services
  const shareMoment = createMoments(services)
  const shareRun: ShareRun = createSharedRuns()
  const firstEvents = createFirstEvents(clock, usage)
  let readCount = 0

  /** Runs a read. Statements that `ask` needs to find out the question do not count in its receipt. */
  async function readShared<Body>(
    call: ReadCall,
    ask: (services: ReportServices) => Promise<Question<Body>>,
  ): Promise<ReadResult<Body>> {
    const { asker = createPacks({ log }).begin(), signal = new AbortController().signal } = call
    const own = { asker, signal, order: readCount++, startedAt: clock.now() }
    return shareMoment(async function readAtMoment(moment) {
      const read = { ...call, services, firstEvents, ...own, moment }
      try {
        const question = await ask(begin(read, asker).reportServices)
        return shapeResult(read, (await computeOnce(read, question, shareRun)) as Computed<Body>)
      } finally {
        asker.end()
      }
    })
  }

  return {
    readShared,
    /** Runs a read whose computation no other one waits for. */
    read: <Body>(call: ReadCall, compute: Compute<Body>) =>
      readShared(call, async () => ({ question: null, compute })),
  }
}

export type Reader = ReturnType<typeof createReader>

/** Begins a computation, whose statements are packed with those of the asker. */
function begin(read: OpenRead, asker: Asker): Computation & { reportServices: ReportServices } {
  const { account, guest, order, options, firstEvents, moment } = read
  const { engine, estimator } = read.services
  const { now, lake } = moment
  const isDryRun = options.dry_run === true
  const log = createStatementLog(engine, { account, order, guest, asker, isDryRun, estimator, lake })
  const notes = createNotes()
  const ofMoment = { openLake: async () => lake, clock: { now: () => now } }
  const { engine: logged, quietEngine } = log
  return {
    log,
    notes,
    reportServices: { engine: logged, quietEngine, ...ofMoment, notes, isDryRun, firstEvents },
  }
}

/** Computes the body, or waits for a read of the same moment that computes an equal question. */
async function computeOnce(
  read: OpenRead,
  { question, compute }: Question<unknown>,
  shareRun: ShareRun,
): Promise<Computed<unknown>> {
  const { account, guest, options, asker, moment, signal, order } = read
  // An account does not wait for the turn of a guest, and a guest reads the same project as the account.
  const key = JSON.stringify([account, guest !== undefined, options.dry_run === true, question ?? order])
  const running = shareRun({ scope: moment.lake, key, signal }, async function runOnce(runSignal) {
    const runAsker = asker.packs.begin()
    try {
      const { reportServices, ...computation } = begin(read, runAsker)
      return { ...computation, body: await compute(reportServices, runSignal) }
    } finally {
      runAsker.end()
    }
  })
  // The run has begun, maybe for another read. This one asks nothing more.
  asker.end()
  return running
}

/** The body with what the options ask for, and the receipt. */
function shapeResult<Body>(
  { services, options, warnings = [], moment, startedAt }: OpenRead,
  { log, notes: noted, body: computed }: Computed<Body>,
): ReadResult<Body> {
  const isWhole = !isCut(computed)
  if (!isWhole) noted.caveats.set('CUT', CUT)
  const notes = { ...noted, warnings: new Set([...warnings, ...noted.warnings]) }
  const report = options.compact ? (compactLists(computed as Record<string, unknown>) as Body) : computed
  const body = options.dry_run ? { dry_run: true as const, estimate: log.sumEstimates() } : report
  const { cost_usd, ...counts } = log.sumStatistics()
  const receipt: Receipt = {
    ...counts,
    ms: services.clock.now() - startedAt,
    fresh_until: moment.freshUntil ?? moment.lake.newestArrival(),
    exact: notes.isExact && isWhole,
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
}

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
