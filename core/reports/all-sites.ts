import type { z } from 'zod'
import { mayHaveCopies } from '#core/lake/read/hot-events'
import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, oldestEvent } from '#core/lake/read/relations'
import { scanStrategy } from '#core/lake/read/scan-strategy'
import { keptByProject } from '#core/plans/kept-since'
import type { Row, SqlQuery } from '#core/ports'
import { integer, join, sql } from '#core/sql/sql'
import { compareText } from '#core/text/compare-text'
import { DAY_MS, utcDate } from '#core/time'
import type { allSitesQuery, allSitesResponse } from '#schemas/all-sites'
import { type CopiesOfRead, readCopiedKeys } from './run/copied-keys.ts'
import { toDelta } from './run/delta.ts'
import { toLabelledPeriods } from './run/range.ts'
import { ratio } from './run/rounding.ts'
import type { ReportProject, ReportServices } from './run/run.ts'
import { type ReadRows, withStatements } from './run/statements.ts'
import { addDays, createZone } from './run/zone.ts'

type AllSitesParams = z.output<typeof allSitesQuery>
type AllSites = z.input<typeof allSitesResponse>

/**
 * Athena takes 256 KB of text. Each project adds up to 5 KB and the paths of its files, of about 100
 * characters.
 */
const PROJECTS_PER_STATEMENT = 20
const FILES_PER_STATEMENT = 1_000

/** The events of one project by date. */
type SiteEvents = { project: ReportProject; dates: Map<string, number> }

/**
 * GET /account/all-sites (docs/api/insights.md): the events of all live projects of an account, by event
 * date.
 */
export async function allSites(
  { engine, openLake, clock }: ReportServices,
  {
    projects,
    params,
    signal,
    keptSince = 0,
  }: {
    projects: readonly ReportProject[]
    params: AllSitesParams
    signal: AbortSignal | undefined
    keptSince?: number | undefined
  },
): Promise<AllSites> {
  const now = clock.now()
  const zone = createZone(params.tz ?? 'UTC')
  const { current, previous, range } = toLabelledPeriods(params.period, { now, zone })
  const lake = await openLake()
  const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)

  async function toStatement(rows: ReadRows, project: ReportProject): Promise<SiteStatement> {
    const from = Math.max(range.from, oldestEvent(project), keptSince, keptByProject(project, now))
    const snapshot = await lake.ofBucket(project.bucket)
    const copies = await findCopies(rows, { snapshot, project })
    const relation = activity({ snapshot, project, from, to: range.to, ...copies }, localTimestamp)
    const files = relation.scans?.reduce((sum, scan) => sum + scan.files.length, 0) ?? 0
    return { project, relation, files }
  }

  /** Where each statement is billed, the statement of the project searches for copies itself. */
  async function findCopies(
    rows: ReadRows,
    read: Pick<LakeRead, 'snapshot' | 'project'>,
  ): Promise<CopiesOfRead> {
    if (scanStrategy(engine).findsCopiesFirst) return readCopiedKeys(rows, read)
    return { copiedKeys: undefined, replaced: mayHaveCopies(read) ? null : [] }
  }

  const readable = projects.filter(project => oldestEvent(project) < range.to)
  const sites = await withStatements(engine, { lake, signal }, async rows => {
    const statements = toChunks(await Promise.all(readable.map(project => toStatement(rows, project))))
    const found = statements.map(async chunk => toSites(chunk, await rows(unionAll(chunk.map(eventsByDate)))))
    return (await Promise.all(found)).flat()
  })

  const total = sumBetween(sites, current)
  const active = sites
    .map(({ project, dates }) => ({ project, dates, events: sumBetween([{ project, dates }], current) }))
    .filter(({ events }) => events > 0)
    .toSorted((a, b) => b.events - a.events || compareText(a.project.name, b.project.name))
  const shown = active.slice(0, params.limit)
  const remaining = active.length - shown.length
  return {
    scope: 'account',
    period: {
      label: params.period,
      ...current,
      previous_from: previous.from,
      previous_to: previous.to,
      ...(params.tz !== undefined && { tz: params.tz }),
    },
    summary: {
      total_projects: projects.length,
      active_projects: active.length,
      total_events: toDelta(total, sumBetween(sites, previous), 0),
    },
    time_series: datesOf(current).map(date => ({
      date,
      events: sumBetween(sites, { from: date, to: date }),
    })),
    projects: shown.map(({ project, dates, events }) => ({
      id: project.id,
      name: project.name,
      events,
      share_pct: ratio(events * 100, total, 1),
      last_active_date: [...dates.keys()].toSorted().at(-1) ?? null,
    })),
    remaining_projects: remaining,
    ...(remaining > 0 && { truncated: true as const, total_rows: active.length }),
  }
}

/** The activity of one project, and how many files it reads. */
type SiteStatement = { project: ReportProject; relation: SqlQuery; files: number }

/** Divides the projects among statements, so that the text of none is too long. */
function toChunks(sites: readonly SiteStatement[]): SiteStatement[][] {
  const chunks: SiteStatement[][] = []
  let files = 0
  for (const site of sites) {
    const last = chunks.at(-1)
    const hasRoom =
      last !== undefined && last.length < PROJECTS_PER_STATEMENT && files + site.files <= FILES_PER_STATEMENT
    if (hasRoom) last.push(site)
    else chunks.push([site])
    files = hasRoom ? files + site.files : site.files
  }
  return chunks
}

/** Rows (site, day, total): the index of the project, days from 1970-01-01, and the events of that date. */
function eventsByDate({ relation }: SiteStatement, index: number): SqlQuery {
  return sql`SELECT ${integer(index)} AS site, date_diff('day', DATE '1970-01-01', date) AS day,
      CAST(sum(event_count) AS bigint) AS total
    FROM ${relation} AS activity GROUP BY date`
}

function toSites(chunk: readonly SiteStatement[], rows: readonly Row[]): SiteEvents[] {
  return chunk.map(({ project }, i) => ({
    project,
    dates: new Map(
      rows
        .filter(({ site }) => Number(site) === i)
        .map(({ day, total }) => [utcDate(Number(day) * DAY_MS), Number(total)]),
    ),
  }))
}

function unionAll(statements: readonly SqlQuery[]): SqlQuery {
  return join(statements, '\nUNION ALL\n')
}

function sumBetween(sites: readonly SiteEvents[], { from, to }: { from: string; to: string }): number {
  let sum = 0
  for (const { dates } of sites) {
    for (const [date, events] of dates) if (date >= from && date <= to) sum += events
  }
  return sum
}

function datesOf({ from, to }: { from: string; to: string }): string[] {
  const dates: string[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) dates.push(date)
  return dates
}
