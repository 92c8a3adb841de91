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
  const { stats } = system
  const figures = lakeFigures(usage)
  const hot = hotFiles(usage, figures)
  const { sessions, earlierSessions, activity } = rollupFiles(usage, figures)
  const statements = [
    ...Array.from({ length: stats.copyStatements[usage.eventIds] }, () => [
      ...hot,
      ...eventIdFiles(usage, figures),
    ]),
    [...hot, ...sessions, ...earlierSessions],
    ...Array.from({ length: stats.activityScans }, () => [...hot, ...activity]),
  ]
  const hotLists = hotEpochs(figures)
  return {
    // The function lists the hot files itself, to take a snapshot.
    lists: hotLists + statements.length * (hotLists + 1),
    gets: statements.flat().reduce((sum, files) => sum + getRequests(files), 0),
    bytes: statements.reduce(
      (sum, files) =>
        sum +
        Math.max(
          stats.minimumBytes,
          files.reduce((bytes, group) => bytes + scannedBytes(group), 0),
        ),
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
  const figures = lakeFigures(usage)
  const files = [...hotFiles(usage, figures), ...rollupFiles(usage, figures).events]
  const hotLists = hotEpochs(figures)
  return {
    lists: 2 * hotLists + 1,
    gets: files.reduce((sum, group) => sum + getRequests(group), 0),
    bytes: Math.max(
      system.stats.minimumBytes,
      files.reduce((bytes, group) => bytes + scannedBytes(group), 0),
    ),
  }
}

export function readQuantities(usage: Usage): Quantity[] {
  return [
    ...statsQuantities(usage, usage.reads, 'reads'),
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

/**
 * The dashboard on people's screens. A picture of the overview has the statements of so many reads, and each
 * read is a call.
 */
function peopleQuantities(usage: Usage): Quantity[] {
  const { statements, visibleHours } = system.dashboard
  const pictures = (usage.people * visibleHours * 3_600) / usage.refreshSeconds
  const reads = pictures * (statements / system.stats.statements)
  const purpose = 'dashboard'
  return [
    { price: 'apiRequest', quantity: reads, purpose },
    { price: 'cloudfrontRequest', quantity: usage.cloudfront === 'on' ? reads : 0, purpose },
    ...statsQuantities(usage, reads, purpose),
  ]
}

function statsQuantities(usage: Usage, reads: number, purpose: string): Quantity[] {
  const { stats, state, functionMs } = system
  const { lists, gets, bytes } = readFigures(usage)
  const figures = lakeFigures(usage)
  // The items of the manifest and of the skipped epochs.
  const sizedReads = 2 + unitsOf(shards(usage) * openCountBytes(usage, figures), READ_UNIT)
  const copyStatements = stats.copyStatements[usage.eventIds]
  const ms = functionMs.reports.call + copyStatements * functionMs.reports.copyStatement
  return [
    ...lambda('reports', purpose, reads, reads * ms, usage),
    { price: 'athenaTb', quantity: (reads * bytes) / 1e12, purpose },
    { price: 's3List', quantity: reads * lists, purpose },
    { price: 's3Get', quantity: reads * gets, purpose },
    {
      price: 'glueRequest',
      quantity: reads * (stats.statements + copyStatements) * stats.glueRequests,
      purpose,
    },
    { price: 'stateRead', quantity: reads * (state.statsRead.reads + sizedReads), purpose },
    { price: 'stateWrite', quantity: reads * state.statsRead.writes, purpose },
  ]
}
