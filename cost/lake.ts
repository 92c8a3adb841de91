import type { Quantity } from './charge.ts'
import { lambda, requests, shards } from './ingest.ts'
import { expectedDistinct, type LakeFigures, lakeFigures } from './lake-figures.ts'
import { newestSegments, rewrites, segmentBytesPerEvent } from './segments.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** The cost of the lake: the consumer, counters, maintenance, compaction, merges, storage. */

const GB = 1e9
/** Maintenance looks for superseded files every three hours. */
const SWEEPS_PER_DAY = 8

/** Bytes of a consistent read and of a write that DynamoDB bills as one unit. */
export const READ_UNIT = 4_096
const WRITE_UNIT = 1_024

/** Mean units of items with about these bytes. */
export function unitsOf(bytes: number, unitBytes: number): number {
  return Math.max(1, bytes / unitBytes + 0.5)
}

export function lakeQuantities(usage: Usage): Quantity[] {
  const figures = lakeFigures(usage)
  return [
    ...consumer(usage, figures),
    ...counters(usage, figures),
    ...maintenance(usage, figures),
    ...manifests(figures),
    ...compaction(usage, figures),
    ...merges(usage, figures),
    ...storage(usage, figures),
    ...state(usage),
  ]
}

/** Owners of open counts among the records: projects, and accounts with the sums of their projects. */
function ownersOf(usage: Usage, records: number): number {
  const projects = expectedDistinct(usage.projects, records)
  return projects + expectedDistinct(usage.accounts, projects)
}

/**
 * Bytes of the open counts of one partition, epoch and shard at its end. Each shard may have events of all
 * projects.
 */
export function openCountBytes(usage: Usage, { epochs }: Pick<LakeFigures, 'epochs'>): number {
  const { headBytes, ownerBytes, partitions } = system.state.openCounts
  const owners = epochs === 0 ? 0 : ownersOf(usage, requests(usage) / epochs / shards(usage))
  return headBytes + (ownerBytes * owners) / Math.max(1, expectedDistinct(partitions, owners))
}

function consumer(usage: Usage, figures: LakeFigures): Quantity[] {
  const { batches, claims } = figures
  const { call, claim, event } = system.functionMs.lake
  const purpose = 'lake consumer'
  const { partitions } = system.state.openCounts
  const owners = claims === 0 ? 0 : ownersOf(usage, requests(usage) / claims)
  const countWrites =
    expectedDistinct(partitions, owners) * unitsOf(openCountBytes(usage, figures), WRITE_UNIT)
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

/**
 * Folding the counts of each epoch into the items of its projects and accounts, and deleting its open counts.
 */
function counters(usage: Usage, figures: LakeFigures): Quantity[] {
  const { epochs, jobsPerEpoch, segmentsPerEpoch } = figures
  if (epochs === 0) return []
  const { project, projectReads, accountBucket } = system.state.fold
  const projects = expectedDistinct(usage.projects, requests(usage) / epochs)
  const accountBuckets = expectedDistinct(usage.accounts * system.lake.buckets, projects)
  const bytes = openCountBytes(usage, figures)
  const { partitions } = system.state.openCounts
  const filled = expectedDistinct(partitions, ownersOf(usage, requests(usage) / epochs))
  const foldWrites = project * projects + accountBucket * accountBuckets
  const deleteWrites = shards(usage) * filled * unitsOf(bytes, WRITE_UNIT)
  const partitionReads = unitsOf(shards(usage) * bytes, READ_UNIT)
  const jobPartitions = jobsPerEpoch * expectedDistinct(partitions, segmentsPerEpoch / jobsPerEpoch)
  // A deletion searches all partitions.
  const epochReads = (jobPartitions + filled) * partitionReads + partitions
  return [
    { price: 'stateRead', quantity: epochs * (epochReads + projectReads * projects), purpose: 'counters' },
    { price: 'stateWrite', quantity: epochs * (foldWrites + deleteWrites), purpose: 'counters' },
  ]
}

function maintenance(
  usage: Usage,
  { epochs, jobsPerEpoch, segmentsPerEpoch, merges, claims, buckets }: LakeFigures,
): Quantity[] {
  const { minutesPerMonth, state, queue, functionMs, daysPerMonth, lake } = system
  const purpose = 'maintenance'
  // A pass lists the hot files, the manifests, and the tables of segments of each bucket with events. Without
  // events nothing is listed.
  const passes = epochs === 0 ? 0 : daysPerMonth * SWEEPS_PER_DAY
  const sweeps = passes * (2 + buckets)
  const jobs = epochs * jobsPerEpoch + merges + sweeps
  // The scheduler looks for identify requests in each minute after a claim, and once an hour.
  const looks = Math.min(minutesPerMonth, claims + 24 * daysPerMonth)
  // A page of a listing has 1,000 keys. The manifests of a day are there, and hot files have a second prefix.
  const manifestPages = 1 + (epochs * segmentsPerEpoch + merges) / (daysPerMonth * 1_000)
  const hotPages = 2 + claims / (daysPerMonth * 1_000)
  const pages = passes * (hotPages + lake.segmentTables * buckets + manifestPages)
  const { call, page } = functionMs.sweep
  return [
    ...lambda('scheduler', purpose, minutesPerMonth, minutesPerMonth * functionMs.scheduler.call, usage),
    ...lambda('jobs', purpose, sweeps, sweeps * call + pages * page, usage),
    { price: 'schedule', quantity: minutesPerMonth, purpose },
    {
      price: 'sqsRequest',
      quantity: minutesPerMonth * queue.pollsPerMinute + jobs * queue.requestsPerJob,
      purpose,
    },
    {
      price: 's3List',
      // And one for each epoch that is closed, and whose files are deleted.
      quantity: looks + 2 * epochs + pages,
      purpose,
    },
    {
      price: 'stateRead',
      quantity:
        minutesPerMonth * state.tick.reads +
        epochs * (state.epoch.reads + state.expiry.reads) +
        jobs * state.job.reads +
        sweeps * state.sweep.reads,
      purpose,
    },
    {
      price: 'stateWrite',
      quantity:
        minutesPerMonth * state.tick.writes +
        epochs * (state.epoch.writes + state.expiry.writes) +
        jobs * state.job.writes +
        sweeps * state.sweep.writes,
      purpose,
    },
  ]
}

/**
 * Manifests. A compaction job reads the items that name all of them. An epoch saves those of the buckets with
 * events, after a look at each, and one item for the others; a merge looks at a manifest twice. The eight
 * sweeps of a day save the watermarks of all buckets. Each change writes an object, which its readers get
 * once.
 */
function manifests({ epochs, jobsPerEpoch, segmentsPerEpoch, merges }: LakeFigures): Quantity[] {
  const { state, lake, daysPerMonth } = system
  const { headBytes, readers } = state.manifest
  const { skippedEpochs } = state
  const jobs = epochs * jobsPerEpoch
  const saves = epochs * segmentsPerEpoch + merges
  const sweeps = expectedDistinct(daysPerMonth * SWEEPS_PER_DAY, epochs)
  const changes = saves + sweeps * lake.buckets
  const skippedBytes = skippedEpochs.headBytes + lake.buckets * skippedEpochs.bucketBytes
  const purpose = 'manifests'
  return [
    {
      price: 'stateRead',
      // The item of the skipped epochs is read with each item.
      quantity: (saves + merges) * 2 + jobs * (unitsOf(lake.buckets * headBytes, READ_UNIT) + 2),
      purpose,
    },
    { price: 'stateWrite', quantity: changes + jobs * unitsOf(skippedBytes, WRITE_UNIT), purpose },
    { price: 's3Put', quantity: changes, purpose },
    { price: 's3Get', quantity: changes * readers, purpose },
  ]
}

function compaction(usage: Usage, figures: LakeFigures): Quantity[] {
  const { functionMs, lake, hoursPerMonth } = system
  const { call, file, event } = functionMs.compaction
  const { epochs, jobsPerEpoch, claims, segmentsPerEpoch, buckets } = figures
  const purpose = 'compaction'
  const jobs = epochs * jobsPerEpoch
  // A bucket looks for copies in the event_ids of its segments of the last 30 hours.
  const eventIdFiles = newestSegments({
    bytes: ((usage.events * segmentBytesPerEvent) / hoursPerMonth / buckets) * lake.eventIdHours,
    epochs: ((epochs * segmentsPerEpoch) / buckets / hoursPerMonth) * lake.eventIdHours,
  })
  const gets = claims * jobsPerEpoch + epochs * segmentsPerEpoch * eventIdFiles
  return [
    ...lambda('jobs', purpose, jobs, jobs * call + gets * file + usage.events * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: epochs * segmentsPerEpoch * lake.segmentTables, purpose },
    { price: 's3List', quantity: jobs, purpose },
  ]
}

function merges(usage: Usage, figures: LakeFigures): Quantity[] {
  const { functionMs, lake } = system
  const { call, file, event } = functionMs.merge
  const { merges, epochs, segmentsPerEpoch } = figures
  const purpose = 'merges'
  const gets = merges * (lake.mergeSegments + 1) * lake.segmentTables
  const mergedEvents = usage.events * eventRewrites(usage, { epochs, segmentsPerEpoch })
  return [
    ...lambda('jobs', purpose, merges, merges * call + gets * file + mergedEvents * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: merges * lake.segmentTables, purpose },
  ]
}

/** How often merges rewrite an event. */
function eventRewrites(
  { events }: Usage,
  { epochs, segmentsPerEpoch }: Pick<LakeFigures, 'epochs' | 'segmentsPerEpoch'>,
): number {
  return epochs === 0 ? 0 : rewrites((events * segmentBytesPerEvent) / epochs / segmentsPerEpoch)
}

function storage(usage: Usage, figures: LakeFigures): Quantity[] {
  const { lake, hoursPerMonth } = system
  const { events, months, epochMinutes } = usage
  const eventsPerHour = events / hoursPerMonth
  const hotHours = epochMinutes / 60 + lake.keepSupersededHours + lake.hotVersionHours
  const retiredHours = lake.keepSupersededHours + lake.segmentVersionHours
  return [
    { price: 's3Stored', quantity: (events * months * segmentBytesPerEvent) / GB, purpose: 'stored events' },
    {
      price: 's3Stored',
      quantity:
        (eventsPerHour *
          (hotHours * lake.hotBytes +
            lake.eventIdHours * lake.eventIdsBytes +
            retiredHours * segmentBytesPerEvent * eventRewrites(usage, figures))) /
        GB,
      purpose: 'hot files, event_ids and merged segments',
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
