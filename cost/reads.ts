import type { Quantity } from './charge.ts'
import { lambda } from './ingest.ts'
import { type LakeFigures, lakeFigures } from './lake.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of GET /stats: Athena, and the requests that Athena sends to S3. A statement lists each partition once for each
 * table, also an empty one. It reads a file once for each place where the statement names the table.
 */

/** Requests and bytes of one read. */
export type ReadFigures = {
  lists: number
  gets: number
  bytes: number
}

/** A group of similar files: their number, the size of one file, and the size of the columns that a statement reads. */
type Files = { count: number; storedBytes: number; columnBytes: number }

export function readFigures(usage: Usage): ReadFigures {
  const { stats } = system
  const figures = lakeFigures(usage)
  const dates = usage.range + 1
  const earlierDateCount = earlierDates(usage)
  const hotEpochs = closedHotEpochs(figures)
  const hotWarmScans = stats.hotWarmScans[usage.eventIds] / stats.statements
  const hotWarm = Array.from({ length: hotWarmScans }, () => hotWarmFiles(usage, figures)).flat()
  const { sessions, earlierSessions, activity } = coldFiles(usage, figures)
  const statements = [
    [...hotWarm, sessions, earlierSessions],
    ...Array.from({ length: stats.activityScans }, () => [...hotWarm, activity]),
  ]
  return {
    lists:
      stats.statements * (figures.warmEpochs + 1 + hotEpochs) +
      (stats.activityScans + stats.sessionsScans) * dates +
      stats.earlierSessionScans * earlierDateCount,
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

/**
 * Number of dates before the range that a read looks at, because sessions of the range may have started there. Events may
 * be 30 days older than their project.
 */
function earlierDates({ range, months }: Usage): number {
  const { daysPerMonth, stats } = system
  return Math.min(stats.earlierDates, Math.max(0, (months + 1) * daysPerMonth - (range + 1)))
}

/** Mean number of closed epochs that are still hot. The open epoch comes on top; on average it is half full. */
function closedHotEpochs({ epochs }: LakeFigures): number {
  return (epochs / system.minutesPerMonth) * system.stats.compactionMinutes
}

/** The hot and warm files of one scan. A warm file holds one bucket, a hot file holds every project. */
function hotWarmFiles({ events }: Usage, figures: LakeFigures): Files[] {
  const { lake, stats } = system
  const { epochs, claims, buckets, warmEpochs, warmFiles } = figures
  if (epochs === 0 || warmFiles === 0) return []
  const warmBytes = (events / epochs / warmFiles) * lake.warmBytes
  const hotBytes = (events / claims) * lake.hotBytes
  return [
    {
      count: warmEpochs * (warmFiles / buckets),
      storedBytes: warmBytes,
      columnBytes: warmBytes * stats.columnShare,
    },
    {
      count: (claims / epochs) * (0.5 + closedHotEpochs(figures)),
      storedBytes: hotBytes,
      columnBytes: hotBytes * stats.columnShare,
    },
  ]
}

/**
 * The cold files of a read. A cold file holds the rows that one cold compaction found for a bucket and a date. The rows of
 * a project are next to each other.
 */
function coldFiles(usage: Usage, { buckets, coldBucketShare }: LakeFigures) {
  const { lake, daysPerMonth } = system
  const filesPerDate = lake.datesPerColdCompaction * coldBucketShare
  const bucketDay = usage.events / daysPerMonth / buckets / lake.datesPerColdCompaction
  const projectDay = Math.min(
    bucketDay,
    usage.events / daysPerMonth / usage.projects / lake.datesPerColdCompaction,
  )
  const storedDates = usage.months * daysPerMonth
  const dates = Math.min(usage.range + 1, storedDates)
  const earlierDateCount = Math.min(earlierDates(usage), storedDates - dates)
  const files = (dateCount: number, bytesPerEvent: number, readBytesPerEvent: number): Files => ({
    count: dateCount * filesPerDate,
    storedBytes: bucketDay * bytesPerEvent,
    columnBytes: projectDay * readBytesPerEvent,
  })
  return {
    sessions: files(dates, lake.sessionsBytes, lake.sessionsBytes),
    earlierSessions: files(earlierDateCount, lake.sessionsBytes, lake.sessionKeyBytes),
    activity: files(dates, lake.activityBytes, lake.activityBytes),
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

export function readQuantities(usage: Usage): Quantity[] {
  const { stats, state, functionMs } = system
  const { reads } = usage
  const { lists, gets, bytes } = readFigures(usage)
  const purpose = 'reads'
  const results = stats.statements * stats.resultPuts
  return [
    ...lambda('reports', purpose, reads, reads * functionMs.reports.call, usage),
    { price: 'athenaTb', quantity: (reads * bytes) / 1e12, purpose },
    { price: 's3List', quantity: reads * lists, purpose },
    { price: 's3Get', quantity: reads * (gets + results), purpose },
    { price: 's3Put', quantity: reads * results, purpose },
    { price: 'glueRequest', quantity: reads * stats.statements * stats.glueRequests, purpose },
    { price: 'stateRead', quantity: reads * state.statsRead.reads, purpose },
    { price: 'stateWrite', quantity: reads * state.statsRead.writes, purpose },
  ]
}
