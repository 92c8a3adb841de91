import type { Quantity } from './charge.ts'
import { lambda, shards } from './ingest.ts'
import { openCountBytes, READ_UNIT, unitsOf } from './lake.ts'
import { type LakeFigures, lakeFigures } from './lake-figures.ts'
import { newestSegments, olderSegments, segmentBytesPerEvent } from './segments.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of GET /stats: Athena, and the requests to S3 of the function and of Athena. A statement lists
 * each partition once for each table: the bucket's folder of a table of segments, and the folder of each hot
 * epoch. It reads a file once for each place where the statement names the table.
 */

/** Requests and bytes of one read. */
export type ReadFigures = {
  lists: number
  gets: number
  bytes: number
}

/**
 * A group of similar files: their number, the size of one file, and the size of the columns that a statement
 * reads.
 */
type Files = { count: number; storedBytes: number; columnBytes: number }

export function readFigures(usage: Usage): ReadFigures {
  const { session, activity, copies } = partsOf(usage)
  // The sessions and the events are counted in one statement, and the people in another one.
  return figuresOf(usage, [
    ...copies,
    { tables: 2, files: [...session, ...activity] },
    { tables: 1, files: activity },
  ])
}

/** The overview of the dashboard: a POST /reads. Its parts stand in one statement of each round. */
function overviewFigures(usage: Usage): ReadFigures {
  const { statements, parts } = system.dashboard
  const { session, activity, events, copies } = partsOf(usage)
  const times = (count: number, files: Files[]): Files[] => Array.from({ length: count }, () => files).flat()
  const all = [
    ...times(parts.sessions, session),
    ...times(parts.activity, activity),
    ...times(parts.events, events),
  ]
  // On average. A table is listed once in a statement.
  const share = all.map(files => ({ ...files, count: files.count / statements }))
  return figuresOf(usage, [
    ...copies,
    ...Array.from({ length: statements }, () => ({ tables: 3, files: share })),
  ])
}

/** A statement: the tables of segments that it names, and the files that it reads. */
type StatementFiles = { tables: number; files: Files[] }

/** The files of the parts that statements consist of, and the statements that find copies. */
function partsOf(usage: Usage) {
  const figures = lakeFigures(usage)
  const hot = hotFiles(usage, figures)
  const { sessions, earlierSessions, activity, events } = rollupFiles(usage, figures)
  const copies = { tables: 1, files: [...hot, ...eventIdFiles(usage, figures)] }
  return {
    session: [...hot, ...sessions, ...earlierSessions],
    activity: [...hot, ...activity],
    events: [...hot, ...events],
    copies: Array.from({ length: system.stats.copyStatements[usage.eventIds] }, () => copies),
  }
}

function figuresOf(usage: Usage, statements: readonly StatementFiles[]): ReadFigures {
  const hotLists = hotEpochs(lakeFigures(usage))
  const bytesOf = (files: Files[]) => files.reduce((bytes, group) => bytes + scannedBytes(group), 0)
  return {
    // The function lists the hot files itself, to take a snapshot.
    lists: hotLists + statements.reduce((sum, { tables }) => sum + hotLists + tables, 0),
    gets: statements.flatMap(({ files }) => files).reduce((sum, files) => sum + getRequests(files), 0),
    bytes: statements.reduce(
      (sum, { files }) => sum + Math.max(system.stats.minimumBytes, bytesOf(files)),
      0,
    ),
  }
}

/** Mean number of hot epochs: the open one, and one that is being compacted. */
function hotEpochs(figures: LakeFigures): number {
  return 1 + compactingShare(figures)
}

/** Mean number of closed epochs that are still hot. */
function compactingShare({ epochs }: LakeFigures): number {
  return (epochs / system.minutesPerMonth) * system.stats.compactionMinutes
}

/** The hot files, with the events of all projects. On average the open epoch is half full. */
function hotFiles({ events }: Usage, figures: LakeFigures): Files[] {
  const { lake, stats } = system
  const { epochs, claims } = figures
  if (epochs === 0) return []
  const storedBytes = (events / claims) * lake.hotBytes
  return [
    {
      count: (claims / epochs) * (0.5 + compactingShare(figures)),
      storedBytes,
      columnBytes: storedBytes * stats.columnShare,
    },
  ]
}

/** The event_ids of a bucket that are looked up to find copies. */
function eventIdFiles(usage: Usage, figures: LakeFigures): Files[] {
  const { lake, hoursPerMonth } = system
  const hours = lake.eventIdHours
  const events = (usage.events / hoursPerMonth / figures.buckets) * hours
  const epochs = (bucketEpochs(figures) / hoursPerMonth) * hours
  const count = newestSegments({ bytes: events * segmentBytesPerEvent, epochs })
  if (count === 0) return []
  const bytes = (events * lake.eventIdsBytes) / count
  return [{ count, storedBytes: bytes, columnBytes: bytes }]
}

/** Epochs a month in which a bucket gets events. */
function bucketEpochs({ epochs, segmentsPerEpoch, buckets }: LakeFigures): number {
  return epochs * (segmentsPerEpoch / buckets)
}

/**
 * The files of rollups that a read takes. The rows of a project are next to each other, in the order of their
 * dates.
 */
function rollupFiles(usage: Usage, figures: LakeFigures) {
  const { lake, stats, daysPerMonth } = system
  const storedDays = usage.months * daysPerMonth
  const days = Math.min(usage.range + 1, storedDays)
  // Events may be 30 days older than their project.
  const lifeDays = (usage.months + 1) * daysPerMonth
  const earlierDays = Math.min(stats.earlierDates, Math.max(0, lifeDays - days), storedDays - days)
  const eventsPerDay = usage.events / daysPerMonth / figures.buckets
  const projectShare = Math.min(1, figures.buckets / usage.projects)
  const epochsPerDay = bucketEpochs(figures) / daysPerMonth

  /**
   * Three quarters of the bytes are in the largest segments, each of which has also events outside of the
   * dates.
   */
  function files(dayCount: number, count: number, storedBytes: number, readBytes: number): Files[] {
    if (dayCount === 0 || count === 0) return []
    const largeCount = Math.min(count, Math.max(1, count / 4))
    const smallCount = count - largeCount
    const group = (size: number, share: number): Files => ({
      count: size,
      storedBytes: (dayCount * eventsPerDay * share * storedBytes) / size,
      columnBytes: (dayCount * eventsPerDay * share * projectShare * readBytes) / size,
    })
    return smallCount === 0 ? [group(largeCount, 1)] : [group(largeCount, 0.75), group(smallCount, 0.25)]
  }

  const count = newestSegments({
    bytes: days * eventsPerDay * segmentBytesPerEvent,
    epochs: days * epochsPerDay,
  })
  const earlierCount = olderSegments({
    bytes: earlierDays * eventsPerDay * segmentBytesPerEvent,
    epochs: earlierDays * epochsPerDay,
  })
  return {
    sessions: files(days, count, lake.sessionsBytes, lake.sessionsBytes),
    earlierSessions: files(earlierDays, earlierCount, lake.sessionsBytes, lake.sessionKeyBytes),
    activity: files(days, count, lake.activityBytes, lake.activityBytes),
    events: files(days, count, lake.eventsBytes, lake.eventsBytes * stats.eventColumnShare),
  }
}

function scannedBytes(files: Files): number {
  return files.count * scannedBytesPerFile(files)
}

function scannedBytesPerFile({ storedBytes, columnBytes }: Files): number {
  return Math.min(storedBytes, Math.max(system.stats.wholeFileBytes, columnBytes))
}

function getRequests(files: Files): number {
  const { wholeFileBytes, bytesPerGet } = system.stats
  return files.count * (1 + Math.max(0, scannedBytesPerFile(files) - wholeFileBytes) / bytesPerGet)
}

/** One call of a report with one statement over the events themselves, such as a funnel. */
function queryFigures(usage: Usage): ReadFigures {
  return figuresOf(usage, [{ tables: 1, files: partsOf(usage).events }])
}

export function readQuantities(usage: Usage): Quantity[] {
  return [
    ...reportQuantities(usage, { calls: usage.reads, reads: usage.reads, purpose: 'reads' }),
    ...peopleQuantities(usage),
    ...queryQuantities(usage),
  ]
}

function queryQuantities(usage: Usage): Quantity[] {
  const { stats, state, functionMs } = system
  const { queries } = usage
  const { lists, gets, bytes } = queryFigures(usage)
  const purpose = 'queries'
  return [
    { price: 'apiRequest', quantity: queries, purpose },
    { price: 'cloudfrontRequest', quantity: usage.cloudfront === 'on' ? queries : 0, purpose },
    ...lambda('reports', purpose, queries, queries * functionMs.reports.call, usage),
    { price: 'athenaTb', quantity: (queries * bytes) / 1e12, purpose },
    { price: 's3List', quantity: queries * lists, purpose },
    { price: 's3Get', quantity: queries * gets, purpose },
    { price: 'glueRequest', quantity: queries * stats.glueRequests, purpose },
    { price: 'stateRead', quantity: queries * state.statsRead.reads, purpose },
    { price: 'stateWrite', quantity: queries * state.statsRead.writes, purpose },
  ]
}

/** The dashboard on people's screens. A picture of the overview is one call with several reads. */
function peopleQuantities(usage: Usage): Quantity[] {
  const { reads, visibleHours } = system.dashboard
  const calls = (usage.people * visibleHours * 3_600) / usage.refreshSeconds
  const purpose = 'dashboard'
  return [
    { price: 'apiRequest', quantity: calls, purpose },
    { price: 'cloudfrontRequest', quantity: usage.cloudfront === 'on' ? calls : 0, purpose },
    ...reportQuantities(usage, { calls, reads: calls * reads, purpose }),
  ]
}

/** Calls of GET /stats, or of the overview. `reads`: of all calls, as they count for the state table. */
function reportQuantities(
  usage: Usage,
  { calls, reads, purpose }: { calls: number; reads: number; purpose: 'reads' | 'dashboard' },
): Quantity[] {
  const { stats, dashboard, state, functionMs } = system
  const { lists, gets, bytes } = purpose === 'reads' ? readFigures(usage) : overviewFigures(usage)
  const { statements } = purpose === 'reads' ? stats : dashboard
  const figures = lakeFigures(usage)
  // The items of the manifest and of the skipped epochs.
  const sizedReads = 2 + unitsOf(shards(usage) * openCountBytes(usage, figures), READ_UNIT)
  const copyStatements = stats.copyStatements[usage.eventIds]
  const ms = functionMs.reports.call + copyStatements * functionMs.reports.copyStatement
  return [
    ...lambda('reports', purpose, calls, calls * ms, usage),
    { price: 'athenaTb', quantity: (calls * bytes) / 1e12, purpose },
    { price: 's3List', quantity: calls * lists, purpose },
    { price: 's3Get', quantity: calls * gets, purpose },
    {
      price: 'glueRequest',
      quantity: calls * (statements + copyStatements) * stats.glueRequests,
      purpose,
    },
    { price: 'stateRead', quantity: reads * (state.statsRead.reads + sizedReads), purpose },
    { price: 'stateWrite', quantity: reads * state.statsRead.writes, purpose },
  ]
}
