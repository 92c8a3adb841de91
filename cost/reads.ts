import type { Quantity } from './charge.ts'
import { lambda } from './ingest.ts'
import { type LakeFigures, lakeFigures } from './lake.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * What GET /stats asks of Athena and of S3 behind it. A statement lists each partition of each table that it reads once,
 * whatever is in it, and reads each file at each place where the table stands.
 */

export type ReadFigures = {
  /** Of one read. */
  lists: number
  gets: number
  bytes: number
}

/** Files that a statement reads alike: how many, and of each the bytes that there are and that its columns are. */
type Files = { count: number; storedBytes: number; columnBytes: number }

export function readFigures(usage: Usage): ReadFigures {
  const { stats } = system
  const figures = lakeFigures(usage)
  const dates = usage.range + 1
  const older = olderDates(usage)
  const waiting = waitingEpochs(figures)
  const looks = stats.freshScans[usage.eventIds] / stats.statements
  const fresh = Array.from({ length: looks }, () => freshFiles(usage, figures)).flat()
  const { sessions, olderSessions, activity } = coldFiles(usage, figures)
  const statements = [
    [...fresh, sessions, olderSessions],
    ...Array.from({ length: stats.activityScans }, () => [...fresh, activity]),
  ]
  return {
    lists:
      stats.statements * (figures.warmEpochs + 1 + waiting) +
      (stats.activityScans + stats.visitsScans) * dates +
      stats.olderScans * older,
    gets: statements.flat().reduce((sum, files) => sum + getsOf(files), 0),
    bytes: statements.reduce(
      (sum, files) =>
        sum +
        Math.max(
          stats.leastBytes,
          files.reduce((bytes, each) => bytes + bytesOf(each), 0),
        ),
      0,
    ),
  }
}

/** Dates before the range in which its sessions may have begun: events may be 30 days older than the project. */
function olderDates({ range, months }: Usage): number {
  const { daysAMonth, stats } = system
  return Math.min(stats.olderDates, Math.max(0, (months + 1) * daysAMonth - (range + 1)))
}

/** Epochs that have ended and are still hot, on average: beside them one that fills, and is half full. */
function waitingEpochs({ epochs }: LakeFigures): number {
  return (epochs / system.minutesAMonth) * system.stats.compactionMinutes
}

/** Warm files hold one bucket, hot ones every project. */
function freshFiles({ events }: Usage, figures: LakeFigures): Files[] {
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
      count: (claims / epochs) * (0.5 + waitingEpochs(figures)),
      storedBytes: hotBytes,
      columnBytes: hotBytes * stats.columnShare,
    },
  ]
}

/** Cold files hold a bucket's date, as far as one roll saw it; a project's rows lie together in them. */
function coldFiles(usage: Usage, { buckets, rolledShare }: LakeFigures) {
  const { lake, daysAMonth } = system
  const filesADate = lake.datesARoll * rolledShare
  const bucketDay = usage.events / daysAMonth / buckets / lake.datesARoll
  const projectDay = Math.min(bucketDay, usage.events / daysAMonth / usage.projects / lake.datesARoll)
  const kept = usage.months * daysAMonth
  const dates = Math.min(usage.range + 1, kept)
  const older = Math.min(olderDates(usage), kept - dates)
  const files = (of: number, stored: number, read: number): Files => ({
    count: of * filesADate,
    storedBytes: bucketDay * stored,
    columnBytes: projectDay * read,
  })
  return {
    sessions: files(dates, lake.sessionsBytes, lake.sessionsBytes),
    olderSessions: files(older, lake.sessionsBytes, lake.sessionKeyBytes),
    activity: files(dates, lake.activityBytes, lake.activityBytes),
  }
}

function bytesOf(files: Files): number {
  return files.count * bytesOfOne(files)
}

function bytesOfOne({ storedBytes, columnBytes }: Files): number {
  return Math.min(storedBytes, Math.max(system.stats.wholeFileBytes, columnBytes))
}

function getsOf(files: Files): number {
  const { wholeFileBytes, bytesAGet } = system.stats
  return files.count * (1 + Math.max(0, bytesOfOne(files) - wholeFileBytes) / bytesAGet)
}

export function readQuantities(usage: Usage): Quantity[] {
  const { stats, state, functionMs } = system
  const { reads } = usage
  const { lists, gets, bytes } = readFigures(usage)
  const purpose = 'reads'
  const results = stats.statements * stats.resultPuts
  return [
    ...lambda('reports', purpose, reads, reads * functionMs.reports.each, usage),
    { price: 'athenaTb', quantity: (reads * bytes) / 1e12, purpose },
    { price: 's3List', quantity: reads * lists, purpose },
    { price: 's3Get', quantity: reads * (gets + results), purpose },
    { price: 's3Put', quantity: reads * results, purpose },
    { price: 'glueRequest', quantity: reads * stats.statements * stats.glueRequests, purpose },
    { price: 'stateRead', quantity: reads * state.statsRead.reads, purpose },
    { price: 'stateWrite', quantity: reads * state.statsRead.writes, purpose },
  ]
}
