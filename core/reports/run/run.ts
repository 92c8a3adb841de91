import { lazily } from '#core/async/lazily'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { oldestEvent } from '#core/lake/read/relations'
import { scanStrategy } from '#core/lake/read/scan-strategy'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import { type KeptProject, keptByProject } from '#core/plans/kept-since'
import type { Now, QueryEngine, Row, SqlQuery } from '#core/ports'
import { contextOfRange, type ResponseDays } from '#core/projects/context-of-range'
import { NO_PROJECT_CONTEXT } from '#core/projects/contexts'
import { NO_REPLAYS, type ReplaysOfSessions } from '#core/replays/of-sessions'
import { hasTraitLeaf } from '#core/reports/conditions/check-leaves'
import { choose } from '#core/reports/conditions/choose'
import { impossibleValues } from '#core/reports/conditions/impossible-values'
import { conditionOf, type SegmentsByName } from '#core/reports/conditions/segments'
import { hasNegativeLeaf, ofUnit, type Unit } from '#core/reports/conditions/units'
import { ownSources } from '#core/reports/sources/own-sources'
import type { Range } from '#core/time'
import type { Condition } from '#schemas/conditions'
import type { ProjectContext } from '#schemas/contexts'
import { traitKey } from '#schemas/property-names'
import { type DatedParams, type RangeRule, resolveRange } from './asked-range.ts'
import { noteIntervals } from './caveats.ts'
import { type Compared, computeCompared, withPrevious } from './compare.ts'
import { type ComparedRange, comparedRange } from './compared-range.ts'
import { readCopiedKeys } from './copied-keys.ts'
import { type FirstEvents, readFirstEvent } from './first-event.ts'
import { createNotes, type ReadNotes } from './notes.ts'
import {
  datesOf,
  endOfStored,
  type RangeContext,
  type RangeDefaults,
  type RangeParams,
  toRange,
} from './range.ts'
import { type ReadRows, withStatements } from './statements.ts'
import { type AskedNames, warnOfUnknownNames } from './unknown-names.ts'
import { warnOfFuture } from './warn-of-future.ts'
import { warnOfLostLinks, warnOfLostTraits } from './warn-of-lost-links.ts'
import { warnOfRange } from './warn-of-range.ts'
import { addDays, countDates, withoutEmptyPast, type Zone } from './zone.ts'

export type ReportServices = {
  engine: QueryEngine
  openLake(): Promise<LakeSnapshot>
  clock: Now
  /**
   * Values that a percentile tells apart; default: EXACT_VALUES of core/reports/query/percentiles.ts. Tests
   * have few.
   */
  exactValues?: number | undefined
  /** What the reports of a read say about their response. */
  notes?: ReadNotes | undefined
  /** The engine runs nothing and returns no rows, so an empty result says nothing. */
  isDryRun?: boolean | undefined
  /** With it, the notes say where the data begins. */
  firstEvents?: FirstEvents | undefined
  /**
   * For statements that are not about the numbers: neither `sql` nor the receipt has them. Default: `engine`.
   */
  quietEngine?: QueryEngine | undefined
}

/** The fields of the caller's project that reports use. */
export type ReportProject = LakeRead['project'] & {
  name: string
  /** IANA time zone of reads without `tz`; null or absent: UTC. */
  timezone?: string | null | undefined
  /** Days for which it keeps events; null or absent: as its plan. */
  retention_days?: number | null | undefined
  /** Where its own pages are, so that they are no source of visits (docs/api/sources.md). */
  allowed_origins?: string | undefined
  link_domains?: string[] | undefined
}

/**
 * A request that the chain has checked. A report reads its parameters from the query string, the body or
 * both.
 */
export type ReportCall<Params> = {
  project: ReportProject
  query?: Partial<Params> | undefined
  body?: Partial<Params> | undefined
  /** Aborted when the caller goes away. */
  signal?: AbortSignal | undefined
  /** Unix ms. Events before it are older than the account's plan keeps them, so no report sees them. */
  keptSince?: number | undefined
  /** The identities of the project's users. Without it every id stands for itself. */
  identity?: IdentityView | undefined
  /** What the owner says about the numbers. */
  context?: ProjectContext | undefined
  /** The segments that the request names, as far as the project has them. */
  segments?: SegmentsByName | undefined
  /** The replays of its sessions. Without it there are none. */
  replays?: ReplaysOfSessions | undefined
  /**
   * A compared range has whole dates, also if the range ends now: a share link must not ask by time of day.
   */
  isByWholeDates?: boolean | undefined
}

/** What the parameters of a request mean. */
type Resolved<Params> = {
  project: ReportProject
  params: Params
  /** The current time, Unix ms. */
  now: number
  /** Dates and intervals are of this zone. */
  zone: Zone
  /** The range that the caller asked for. */
  range: Range
  identity: IdentityView
  context: ProjectContext
  replays: ReplaysOfSessions
}

/** What a report knows about its request. */
export type ReportRequest<Params> = Resolved<Params> & {
  /** The time before which there are no events that the caller may see, Unix ms. */
  oldest: number
  /**
   * The part of that range that can hold events, and the snapshot. The functions of
   * core/lake/read/relations.ts take it.
   */
  read: LakeRead
  notes: ReadNotes
  exactValues?: number | undefined
  /**
   * The same range in another project of the account, in the same lake, or `range` instead: what of it the
   * caller may see.
   */
  readProject(project: ReportProject, range?: Range): Promise<LakeRead>
  /** The part of a read that passes the condition of the request. */
  choose(read: LakeRead): LakeRead
  /** The date of the first event that the caller may see, in the zone; null without one. */
  readDataFrom(): Promise<string | null>
}

export type Report<Params, Body> = {
  /** The range that the parameters ask for. */
  range: RangeRule<Params>
  /** What an event that passes the condition of the request chooses. Default: itself. */
  unit?: (params: Params) => Unit
  /** Conditions that the parameters have elsewhere than in `where`, such as those of rates. */
  conditions?: (params: Params) => readonly Condition[]
  /** Fields by which the parameters make groups. */
  groups?: (params: Params) => readonly string[]
  /** Makes the response body, with as many statements as it needs. */
  compute(rows: ReadRows, request: ReportRequest<Params>): Promise<Body>
  /**
   * The names of a request whose result is empty, so that the response says which of them do not occur; null
   * otherwise.
   */
  namesOfEmpty?(params: Params, body: Body): AskedNames | null
  /** What `compare` adds to the body. A report without it does not know the parameter. */
  compared?: Compared<Body>
}

/** A report that needs one statement only. */
export type OneStatementReport<Params, Body> = Omit<Report<Params, Body>, 'compute'> & {
  sql(request: ReportRequest<Params>): SqlQuery
  shape(rows: Row[], request: ReportRequest<Params>): Body
}

/** Defines a report by `sql` and `shape`, or by `compute` if it needs several statements. */
export function defineReport<Params extends DatedParams, Body>(
  definition: OneStatementReport<Params, Body> | Report<Params, Body>,
): Report<Params, Body> {
  if ('compute' in definition) return definition
  const { sql, shape, ...options } = definition
  return {
    ...options,
    compute: async (rows, request) => shape(await rows(sql(request)), request),
  }
}

/** The range rule of most reports: `since`, else `days`, else so many days before today. */
export function sinceDays(defaultDays: number, options: Pick<RangeDefaults, 'takesTimes'> = {}) {
  return (params: RangeParams, context: RangeContext): Range =>
    toRange(params, context, { defaultDays, ...options })
}

/**
 * The range that a response counts (U71): its dates, both inclusive and today at most, and how many they are.
 * `since` and `until`: the times at which it begins and ends within a date, ISO 8601. `running`: its last
 * date is not over. `tz` is there if the request or the project has one.
 */
export function toPeriod({
  range,
  now,
  zone,
  params,
}: Pick<ReportRequest<DatedParams>, 'range' | 'now' | 'zone' | 'params'>) {
  const { from, to, beginsWithin, endsWithin } = datesOf({ range, now, zone })
  return {
    from,
    to,
    days: countDates(from, to),
    ...(beginsWithin && { since: new Date(range.from).toISOString() }),
    ...(endsWithin && { until: new Date(range.to).toISOString() }),
    ...(range.to > now && { running: true as const }),
    ...tzOf(params),
  }
}

/** The zone of a period, where the request or the project has one. */
export function tzOf({ tz }: Pick<DatedParams, 'tz'>): { tz?: string } {
  return tz === undefined ? {} : { tz }
}

/**
 * Runs a report for one request, and returns the response body, with the context of the project. All
 * statements see one snapshot. Every report takes these steps, so what all reports share belongs here.
 */
export async function runReport<Params extends DatedParams, Body>(
  report: Report<Params, Body>,
  services: ReportServices,
  call: ReportCall<Params>,
): Promise<Body & { project_context?: ProjectContext }> {
  const { engine, openLake, clock, notes = createNotes() } = services
  const asked = ask(report, call, clock.now(), notes)
  const lake = await openLake()
  return withStatements(engine, { lake, signal: call.signal }, async function computeReport(rows) {
    const run = { ...services, ...asked, notes, lake, rows }
    const request = await openRequest(run)
    const body = await computeBody(report, run, request)
    return { ...body, ...contextOfRange(asked.context, daysOf(asked)) }
  })
}

/** What a request asks for, before anything is read. */
type Asked<Params> = Resolved<Params> & {
  signal: AbortSignal | undefined
  keptSince: number
  /** What must pass, of the unit that the report counts. */
  condition: Condition | null
  /** Whether a condition is about traits of people. */
  readsTraits: boolean
  /** The range of `compare`. */
  compared: ComparedRange | null
}

/** Resolves the parameters. Throws an ApiError for wrong ones. */
function ask<Params extends DatedParams, Body>(
  report: Report<Params, Body>,
  call: ReportCall<Params>,
  now: number,
  notes: ReadNotes,
): Asked<Params> {
  const { project, signal, segments, keptSince = 0, isByWholeDates = false } = call
  const { identity = NO_IDENTITY, context = NO_PROJECT_CONTEXT, replays = NO_REPLAYS } = call
  const { params, zone, range } = resolveRange(report.range, call, now)
  const compared = comparedRange({ params, range, now, zone, isByWholeDates }, report.range)
  warnOfFuture(params, { now, zone }, notes)
  warnOfLostLinks(identity, notes)
  const where = conditionOf(params, segments)
  if (where !== null && hasNegativeLeaf(where)) notes.warnings.add(NEGATIVE)
  const condition = where && ofUnit(where, report.unit?.(params) ?? 'event')
  const conditions = [where ?? [], report.conditions?.(params) ?? []].flat()
  for (const text of conditions.flatMap(impossibleValues)) notes.warnings.add(text)
  const groups = report.groups?.(params) ?? []
  const readsTraits = conditions.some(hasTraitLeaf) || groups.some(each => traitKey(each) !== undefined)
  const resolved = { project, params, now, zone, range, identity, context, replays }
  return { ...resolved, signal, keptSince, condition, readsTraits, compared }
}

/** A request at work: what it asks for, what it works with, and the lake that it sees. */
type Run<Params> = Asked<Params> & ReportServices & { notes: ReadNotes; lake: LakeSnapshot; rows: ReadRows }

/** Opens the part of the lake that the report counts. */
async function openRequest<Params>(run: Run<Params>): Promise<ReportRequest<Params>> {
  const oldest = oldestOf(run.project, run)
  const read = await openPart(run, run.project, run.range)
  return {
    ...run,
    zone: withoutEmptyPast(run.zone, oldest),
    oldest,
    read,
    readProject: (project, range = run.range) => openPart(run, project, range),
    choose: part => choosePart(run, part),
    readDataFrom: lazily(() => readDataFrom(run, read)),
  }
}

/** What a project has in a range, as far as the caller may see it and as far as it passes the condition. */
async function openPart<Params>(run: Run<Params>, project: ReportProject, range: Range): Promise<LakeRead> {
  const { engine, lake, rows, identity, now, notes } = run
  const snapshot = await lake.ofBucket(project.bucket)
  const copies = await readCopiedKeys(rows, { snapshot, project })
  const traits = run.readsTraits ? await identity.openTraits(project) : undefined
  warnOfLostTraits(traits, notes)
  const from = Math.max(range.from, oldestOf(project, run))
  const lakeOfPart = { snapshot, ...copies, links: identity.links, traits, scans: scanStrategy(engine) }
  return choosePart(run, { project, from, to: range.to, now, ...lakeOfPart })
}

function choosePart<Params>(run: Asked<Params>, read: LakeRead): LakeRead {
  const { project, context, condition, now } = run
  if (condition === null) return read
  const oldest = oldestOf(read.project, run)
  const zone = withoutEmptyPast(run.zone, oldest)
  return choose(condition, { read, now, oldest, zone, own: ownSources(project, context) })
}

/** Computes the body, with `previous` if the request compares, and notes what somebody may misread in it. */
async function computeBody<Params extends DatedParams, Body>(
  report: Report<Params, Body>,
  { rows, compared, firstEvents, isDryRun }: Run<Params>,
  request: ReportRequest<Params>,
): Promise<Body> {
  const { params, read, notes } = request
  const [current, previous, dataFrom] = await Promise.all([
    report.compute(rows, request),
    compared && computeCompared(report, rows, request, compared),
    firstEvents === undefined ? null : request.readDataFrom(),
  ])
  const body = previous === null ? current : withPrevious(report.compared, current, previous, notes)
  notes.dataFrom = dataFrom
  warnOfRange(body as object, dataFrom, notes)
  noteIntervals(body as object, request)
  const names = isDryRun ? null : (report.namesOfEmpty?.(params, body) ?? null)
  if (names !== null) await warnOfUnknownNames(rows, withoutWhere(read), names, notes)
  return body
}

/** The date of the first event that the caller may see, in the zone; null without one. */
async function readDataFrom<Params>(run: Run<Params>, read: LakeRead): Promise<string | null> {
  const { project, range, now, zone, firstEvents, quietEngine = run.engine } = run
  if (run.isDryRun) return null
  const to = Math.max(range.to, endOfStored(now))
  const whole = { ...withoutWhere(read), from: oldestOf(project, run), to }
  const readFirst = () => withStatements(quietEngine, run, rows => readFirstEvent(rows, whole))
  const first = await (firstEvents?.(project.id, readFirst) ?? readFirst())
  return first === null ? null : zone.dateOf(Math.max(first, keptFrom(project, run)))
}

/** The time before which the caller sees no events of a project, Unix ms. */
function oldestOf(project: KeptProject & Pick<ReportProject, 'created_at'>, kept: Kept): number {
  return Math.max(oldestEvent(project), keptFrom(project, kept))
}

/** The time before which plan and project keep no events, Unix ms. */
function keptFrom(project: KeptProject, { keptSince, now }: Kept): number {
  return Math.max(keptSince, keptByProject(project, now))
}
type Kept = { keptSince: number; now: number }

/** The whole days of a range until today, Unix ms. */
function daysOf<Params>({ range, zone, now }: Asked<Params>): ResponseDays {
  const last = zone.dateOf(Math.min(range.to - 1, now))
  return { start: zone.startOf(zone.dateOf(range.from)), end: zone.startOf(addDays(last, 1)) }
}

/** The specification has this rule for the filters of `/query`, so `where` has it too. */
const NEGATIVE =
  '`neq` and `not_in` leave out what lacks the field. Send `{"not": {…}}` with `eq` or `in` to include it.'
