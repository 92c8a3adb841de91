import type { Quantity } from './charge.ts'
import { lambda } from './ingest.ts'
import { type LakeFigures, lakeFigures } from './lake.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** What GET /stats asks of Athena and of S3 behind it: the partitions are listed, their files opened, the rows paid by bytes. */

export type ReadFigures = {
  /** Of one read. */
  lists: number
  gets: number
  bytes: number
}

export function readFigures(usage: Usage): ReadFigures {
  const { stats, lake, daysAMonth } = system
  const figures = lakeFigures(usage)
  const dates = usage.range + 1
  // Events may be 30 days older than the project.
  const olderDates = Math.max(0, (usage.months + 1) * daysAMonth - dates)
  const coldScans = stats.activityScans + stats.visitsScans
  const waiting = waitingEpochs(figures)
  const hotFiles = figures.epochs === 0 ? 0 : (figures.claims / figures.epochs) * (0.5 + waiting)
  const warmFiles = figures.warmEpochs * (figures.warmFiles / figures.buckets)
  const filesOfDates = lake.datesARoll * figures.rolledShare
  return {
    lists:
      stats.warmScans[usage.eventIds] * figures.warmEpochs +
      stats.hotScans[usage.eventIds] * (1 + waiting) +
      coldScans * dates +
      stats.olderScans * olderDates,
    gets:
      stats.getsAFile *
      (stats.warmScans[usage.eventIds] * warmFiles +
        stats.hotScans[usage.eventIds] * hotFiles +
        (coldScans * dates + stats.olderScans * olderDates) * filesOfDates),
    bytes: scannedBytes(usage, figures, Math.min(dates, usage.months * daysAMonth), olderDates),
  }
}

/** Epochs that have ended and are still hot, on average: beside them one that fills, and is half full. */
function waitingEpochs({ epochs }: LakeFigures): number {
  return (epochs / system.minutesAMonth) * system.stats.compactionMinutes
}

/** Bytes of the three statements; Athena counts 10 MB for each at least. */
function scannedBytes(usage: Usage, figures: LakeFigures, dates: number, olderDates: number): number {
  const { stats, lake, daysAMonth } = system
  const { events, projects } = usage
  const { buckets, epochs, warmEpochs } = figures
  const bucketDay = events / daysAMonth / buckets
  // Row groups hold a project's rows together; what shares them is read along.
  const projectDay = Math.min(bucketDay, Math.max(events / daysAMonth / projects, lake.rowGroupRows))
  const warmRows = epochs === 0 ? 0 : (events / epochs / buckets) * warmEpochs
  const hotRows = epochs === 0 ? 0 : (events / epochs) * (0.5 + waitingEpochs(figures))
  const fresh = (warmRows + hotRows) * lake.freshReadBytes[usage.eventIds]
  const older = Math.min(olderDates, Math.max(0, usage.months * daysAMonth - dates))
  const visits = projectDay * (dates * lake.visitsBytes + older * lake.sessionKeyBytes)
  const activity = projectDay * dates * lake.activityBytes
  const statements = [visits + fresh, ...Array.from({ length: stats.activityScans }, () => activity + fresh)]
  return statements.reduce((sum, bytes) => sum + Math.max(stats.leastBytes, bytes), 0)
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
