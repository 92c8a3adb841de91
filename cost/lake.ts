import type { Quantity } from './charge.ts'
import { lambda, plainRecordBytes, recordBytes, requests, shards } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** The cost of the lake: the consumer, maintenance, warm and cold compaction, storage. */

const GB = 1e9

export type LakeFigures = {
  /** Invocations of the consumer a month. */
  batches: number
  /** Claims of the consumer a month. Each writes one hot file. */
  claims: number
  /** Closed epochs a month. */
  epochs: number
  /** Warm compaction jobs of one epoch. */
  jobsPerEpoch: number
  /** Cold compactions a month. */
  coldCompactions: number
  /** Buckets with at least one project. */
  buckets: number
  /** Warm files of one epoch. */
  warmFiles: number
  /** Warm epochs that a read has to look at. */
  warmEpochs: number
  /** Share of the buckets that have new rows at a cold compaction. */
  coldBucketShare: number
}

export function lakeFigures(usage: Usage): LakeFigures {
  const { lake, minutesPerMonth, hoursPerMonth } = system
  const records = requests(usage)
  const batches = Math.max(
    expectedDistinct(shards(usage) * minutesPerMonth, records),
    records / lake.batchRecords,
    (records * recordBytes(usage)) / lake.batchBytes,
  )
  const claims = Math.max(
    batches,
    records / lake.claimRecords,
    (records * plainRecordBytes(usage)) / lake.claimBytes,
  )
  const hotBytes = usage.events * lake.hotBytes
  // Maintenance compacts one epoch at a time, in two ticks: the first sends the job, the second sees that it is done.
  const epochs = Math.min(
    minutesPerMonth / 2,
    Math.max(expectedDistinct(minutesPerMonth / usage.epochMinutes, records), hotBytes / lake.epochBytes),
  )
  const jobsPerEpoch =
    epochs === 0 ? 0 : Math.min(lake.buckets, Math.ceil(hotBytes / epochs / lake.partBytes))
  const buckets = lake.buckets * (1 - (1 - 1 / lake.buckets) ** usage.projects)
  const coldCompactions = hoursPerMonth / lake.coldCompactionHours
  return {
    batches,
    claims,
    epochs,
    jobsPerEpoch,
    coldCompactions,
    buckets,
    warmFiles: epochs === 0 ? 0 : expectedDistinct(buckets, records / epochs),
    warmEpochs: (epochs / hoursPerMonth) * (lake.coldAfterHours + lake.coldCompactionHours / 2),
    coldBucketShare: expectedDistinct(buckets, records / coldCompactions) / buckets,
  }
}

/** Returns the expected number of distinct values when `samples` values are drawn at random from `values`. */
export function expectedDistinct(values: number, samples: number): number {
  return values * -Math.expm1(-samples / values)
}

export function lakeQuantities(usage: Usage): Quantity[] {
  const figures = lakeFigures(usage)
  return [
    ...consumer(usage, figures),
    ...counters(usage, figures),
    ...maintenance(usage, figures),
    ...warmCompaction(usage, figures),
    ...coldCompaction(usage, figures),
    ...storage(usage),
    ...state(usage),
  ]
}

/** Bytes of the open counts of one epoch and shard at its end. Each shard may have events of all projects. */
export function openCountBytes(usage: Usage, { epochs }: Pick<LakeFigures, 'epochs'>): number {
  const { headBytes, projectBytes } = system.state.openCounts
  const records = epochs === 0 ? 0 : requests(usage) / epochs / shards(usage)
  return headBytes + projectBytes * expectedDistinct(usage.projects, records)
}

function consumer(usage: Usage, figures: LakeFigures): Quantity[] {
  const { batches, claims } = figures
  const { call, claim, event } = system.functionMs.lake
  const purpose = 'lake consumer'
  // A claim writes the open counts of its shard as a whole; a write unit is 1 KB.
  const countWrites = Math.ceil(openCountBytes(usage, figures) / 1_024)
  return [
    ...lambda('lake', purpose, batches, batches * call + claims * claim + usage.events * event, usage),
    { price: 's3Put', quantity: claims, purpose },
    {
      price: 'stateRead',
      quantity: batches * system.state.batch.reads + claims * system.state.claim.reads,
      purpose,
    },
    { price: 'stateWrite', quantity: claims * (system.state.claim.writes + countWrites), purpose },
  ]
}

/** Folding the counts of each epoch into the items of its projects and accounts, and deleting its open counts. */
function counters(usage: Usage, figures: LakeFigures): Quantity[] {
  const { epochs, jobsPerEpoch } = figures
  if (epochs === 0) return []
  const { project, accountBucket } = system.state.fold
  const projects = expectedDistinct(usage.projects, requests(usage) / epochs)
  const accountBuckets = expectedDistinct(usage.accounts * system.lake.buckets, projects)
  const bytes = openCountBytes(usage, figures)
  const foldWrites = project * projects + accountBucket * accountBuckets
  const deleteWrites = shards(usage) * Math.ceil(bytes / 1_024)
  const epochReads = Math.ceil((shards(usage) * bytes) / 4_096)
  return [
    { price: 'stateRead', quantity: epochs * (jobsPerEpoch + 1) * epochReads, purpose: 'counters' },
    { price: 'stateWrite', quantity: epochs * (foldWrites + deleteWrites), purpose: 'counters' },
  ]
}

function maintenance(usage: Usage, figures: LakeFigures): Quantity[] {
  const { minutesPerMonth, state, queue, functionMs, daysPerMonth } = system
  const { epochs, jobsPerEpoch, coldCompactions, buckets, coldBucketShare, claims } = figures
  const jobs = epochs * jobsPerEpoch + coldCompactions * buckets * coldBucketShare
  const purpose = 'maintenance'
  const warmListPages = warmPages(figures)
  // A sweep lists all hot and warm files. It runs after each cold start, but at most every three hours.
  const sweeps = daysPerMonth * 8
  const hotPages = 1 + claims / (daysPerMonth * 1_000)
  // Both the hot and the warm files of an epoch are checked until they are deleted.
  const epochReads = state.epoch.reads + 2 * state.expiry.reads
  const epochWrites = state.epoch.writes + 2 * state.expiry.writes
  return [
    ...lambda('scheduler', purpose, minutesPerMonth, minutesPerMonth * functionMs.scheduler.call, usage),
    { price: 'schedule', quantity: minutesPerMonth, purpose },
    {
      price: 'sqsRequest',
      quantity: minutesPerMonth * queue.pollsPerMinute + jobs * queue.requestsPerJob,
      purpose,
    },
    {
      price: 's3List',
      quantity:
        minutesPerMonth +
        2 * epochs +
        coldCompactions * 3 * warmListPages +
        sweeps * (hotPages + warmListPages),
      purpose,
    },
    {
      price: 'stateRead',
      quantity:
        minutesPerMonth * state.tick.reads +
        epochs * (epochReads + system.lake.buckets * state.manifest.reads) +
        jobs * state.job.reads,
      purpose,
    },
    {
      price: 'stateWrite',
      quantity:
        minutesPerMonth * state.tick.writes +
        epochs * (epochWrites + system.lake.buckets * state.manifest.writes) +
        jobs * state.job.writes,
      purpose,
    },
  ]
}

function warmCompaction(usage: Usage, figures: LakeFigures): Quantity[] {
  const { call, file, event } = system.functionMs.warmCompaction
  const { epochs, jobsPerEpoch, claims, warmFiles, warmEpochs } = figures
  const purpose = 'warm compaction'
  const jobs = epochs * jobsPerEpoch
  // With event_ids, compaction also reads the files of the last day or two, to find copies.
  const lookBackGets = usage.eventIds === 'yes' ? epochs * warmEpochs * warmFiles : 0
  const gets = claims * jobsPerEpoch + lookBackGets
  return [
    ...lambda('jobs', purpose, jobs, jobs * call + gets * file + usage.events * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: epochs * warmFiles, purpose },
    { price: 's3List', quantity: jobs * (1 + warmPages(figures)), purpose },
  ]
}

function coldCompaction(usage: Usage, figures: LakeFigures): Quantity[] {
  const { call, file, event } = system.functionMs.coldCompaction
  const { epochs, warmFiles, coldCompactions, buckets, coldBucketShare } = figures
  const { datesPerColdCompaction, coldTables } = system.lake
  const purpose = 'cold compaction'
  const jobs = coldCompactions * buckets * coldBucketShare
  const gets = epochs * warmFiles
  return [
    ...lambda('jobs', purpose, jobs, jobs * call + gets * file + usage.events * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: jobs * datesPerColdCompaction * coldTables, purpose },
    { price: 's3List', quantity: jobs * warmPages(figures), purpose },
  ]
}

/** Pages of a listing of all warm files. */
function warmPages({ epochs, warmFiles }: LakeFigures): number {
  const { coldAfterHours, coldCompactionHours, keepSupersededHours } = system.lake
  const hours = coldAfterHours + coldCompactionHours / 2 + keepSupersededHours
  return 1 + ((epochs / system.hoursPerMonth) * hours * warmFiles) / 1_000
}

function storage({ events, months, epochMinutes }: Usage): Quantity[] {
  const { lake, hoursPerMonth } = system
  const eventsPerHour = events / hoursPerMonth
  const warmHours =
    lake.coldAfterHours + lake.coldCompactionHours / 2 + lake.keepSupersededHours + lake.versionHours
  const hotHours = epochMinutes / 60 + lake.keepSupersededHours + lake.versionHours
  return [
    { price: 's3Stored', quantity: (events * months * lake.coldBytes) / GB, purpose: 'stored events' },
    {
      price: 's3Stored',
      quantity: (eventsPerHour * (hotHours * lake.hotBytes + warmHours * lake.warmBytes)) / GB,
      purpose: 'hot and warm files',
    },
  ]
}

function state(usage: Usage): Quantity[] {
  const { lookUp, gigabytes } = system.state
  const records = requests(usage)
  const seconds = system.hoursPerMonth * 3_600
  const processes = Math.max(1, (records * system.functionMs.track.call) / 1_000 / seconds)
  // A process caches a token for five seconds. The next request after that reads it again.
  const maxLookUps = (usage.projects * processes * seconds) / lookUp.seconds
  const lookUps = records === 0 ? 0 : 1 / (1 / records + 1 / maxLookUps)
  return [
    { price: 'stateRead', quantity: lookUps * lookUp.reads, purpose: 'track' },
    { price: 'stateStored', quantity: gigabytes, purpose: 'state' },
    { price: 'stateBackup', quantity: gigabytes, purpose: 'state' },
  ]
}
