import type { Quantity } from './charge.ts'
import { lambda, plainRecordBytes, recordBytes, requests, shards } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** From the stream to the lake, and its upkeep: the consumer, maintenance, compaction and rolls, storage. */

const GB = 1e9

export type LakeFigures = {
  /** Invocations of the consumer, and claims (hot files) that they make, a month. */
  batches: number
  claims: number
  /** Epochs that end in a month. */
  epochs: number
  /** Jobs that one epoch is compacted by. */
  parts: number
  /** Rolls to cold a month. */
  rolls: number
  /** Buckets that hold a project. */
  buckets: number
  /** Warm files of one epoch. */
  warmFiles: number
  /** Epochs that reads find in warm. */
  warmEpochs: number
  /** Share of the buckets that hold something new at a roll. */
  rolledShare: number
}

export function lakeFigures(usage: Usage): LakeFigures {
  const { lake, minutesAMonth, hoursAMonth } = system
  const records = requests(usage)
  const batches = Math.max(
    hit(shards(usage) * minutesAMonth, records),
    records / lake.batchRecords,
    (records * recordBytes(usage)) / lake.batchBytes,
  )
  const claims = Math.max(
    batches,
    records / lake.claimRecords,
    (records * plainRecordBytes(usage)) / lake.claimBytes,
  )
  const hotBytes = usage.events * lake.hotBytes
  // Maintenance compacts one epoch after the other: a tick sends the job, the next one finds it done.
  const epochs = Math.min(
    minutesAMonth / 2,
    Math.max(hit(minutesAMonth / usage.epochMinutes, records), hotBytes / lake.epochBytes),
  )
  const parts = epochs === 0 ? 0 : Math.min(lake.buckets, Math.ceil(hotBytes / epochs / lake.partBytes))
  const buckets = lake.buckets * (1 - (1 - 1 / lake.buckets) ** usage.projects)
  const rolls = hoursAMonth / lake.rollHours
  return {
    batches,
    claims,
    epochs,
    parts,
    rolls,
    buckets,
    warmFiles: epochs === 0 ? 0 : hit(buckets, records / epochs),
    warmEpochs: (epochs / hoursAMonth) * (lake.coldAfterHours + lake.rollHours / 2),
    rolledShare: hit(buckets, records / rolls) / buckets,
  }
}

/** How many of `places` are hit by so many throws at random. */
export function hit(places: number, throws: number): number {
  return places * -Math.expm1(-throws / places)
}

export function lakeQuantities(usage: Usage): Quantity[] {
  const figures = lakeFigures(usage)
  return [
    ...consumer(usage, figures),
    ...maintenance(usage, figures),
    ...compaction(usage, figures),
    ...rolls(usage, figures),
    ...storage(usage),
    ...state(usage),
  ]
}

function consumer(usage: Usage, { batches, claims }: LakeFigures): Quantity[] {
  const { each, claim, event } = system.functionMs.lake
  const purpose = 'lake consumer'
  const records = requests(usage)
  // Of each claim, one write a project and one an account counts its events.
  const owners =
    claims === 0 ? 0 : hit(usage.projects, records / claims) + hit(usage.accounts, records / claims)
  return [
    ...lambda('lake', purpose, batches, batches * each + claims * claim + usage.events * event, usage),
    { price: 's3Put', quantity: claims, purpose },
    {
      price: 'stateRead',
      quantity: batches * system.state.batch.reads + claims * system.state.claim.reads,
      purpose,
    },
    { price: 'stateWrite', quantity: claims * (system.state.claim.writes + owners), purpose },
  ]
}

function maintenance(usage: Usage, figures: LakeFigures): Quantity[] {
  const { minutesAMonth, state, queue, functionMs, daysAMonth } = system
  const { epochs, parts, rolls: rollsAMonth, buckets, rolledShare, claims } = figures
  const jobs = epochs * parts + rollsAMonth * buckets * rolledShare
  const purpose = 'maintenance'
  const pages = warmPages(figures)
  // A sweep after each cold start, three hours apart at most; it lists what is hot and warm.
  const sweeps = daysAMonth * 8
  const hotPages = 1 + claims / (daysAMonth * 1_000)
  // Its hot and its warm files are each looked at until they go.
  const epochReads = state.epoch.reads + 2 * state.expiry.reads
  const epochWrites = state.epoch.writes + 2 * state.expiry.writes
  return [
    ...lambda('scheduler', purpose, minutesAMonth, minutesAMonth * functionMs.scheduler.each, usage),
    { price: 'schedule', quantity: minutesAMonth, purpose },
    {
      price: 'sqsRequest',
      quantity: minutesAMonth * queue.pollsAMinute + jobs * queue.requestsAJob,
      purpose,
    },
    {
      price: 's3List',
      quantity: minutesAMonth + 2 * epochs + rollsAMonth * 3 * pages + sweeps * (hotPages + pages),
      purpose,
    },
    {
      price: 'stateRead',
      quantity: minutesAMonth * state.tick.reads + epochs * epochReads + jobs * state.job.reads,
      purpose,
    },
    {
      price: 'stateWrite',
      quantity: minutesAMonth * state.tick.writes + epochs * epochWrites + jobs * state.job.writes,
      purpose,
    },
  ]
}

function compaction(usage: Usage, figures: LakeFigures): Quantity[] {
  const { each, file, event } = system.functionMs.compact
  const { epochs, parts, claims, warmFiles, warmEpochs } = figures
  const purpose = 'compaction'
  const jobs = epochs * parts
  // With event_ids, what was stored in the last day or two is looked at again.
  const recent = usage.eventIds === 'yes' ? epochs * warmEpochs * warmFiles : 0
  const gets = claims * parts + recent
  return [
    ...lambda('jobs', purpose, jobs, jobs * each + gets * file + usage.events * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: epochs * warmFiles, purpose },
    { price: 's3List', quantity: jobs * (1 + warmPages(figures)), purpose },
  ]
}

function rolls(usage: Usage, figures: LakeFigures): Quantity[] {
  const { each, file, event } = system.functionMs.roll
  const { epochs, warmFiles, rolls: rollsAMonth, buckets, rolledShare } = figures
  const { datesARoll, coldTables } = system.lake
  const purpose = 'rolls to cold'
  const jobs = rollsAMonth * buckets * rolledShare
  const gets = epochs * warmFiles
  return [
    ...lambda('jobs', purpose, jobs, jobs * each + gets * file + usage.events * event, usage),
    { price: 's3Get', quantity: gets, purpose },
    { price: 's3Put', quantity: jobs * datesARoll * coldTables, purpose },
    { price: 's3List', quantity: jobs * warmPages(figures), purpose },
  ]
}

/** Pages of a listing of all that is warm. */
function warmPages({ epochs, warmFiles }: LakeFigures): number {
  const { coldAfterHours, rollHours, keepFinerHours } = system.lake
  const hours = coldAfterHours + rollHours / 2 + keepFinerHours
  return 1 + ((epochs / system.hoursAMonth) * hours * warmFiles) / 1_000
}

function storage({ events, months, epochMinutes }: Usage): Quantity[] {
  const { lake, hoursAMonth } = system
  const eventsAnHour = events / hoursAMonth
  const warmHours = lake.coldAfterHours + lake.rollHours / 2 + lake.keepFinerHours + lake.versionHours
  const hotHours = epochMinutes / 60 + lake.keepFinerHours + lake.versionHours
  return [
    { price: 's3Stored', quantity: (events * months * lake.coldBytes) / GB, purpose: 'events kept' },
    {
      price: 's3Stored',
      quantity: (eventsAnHour * (hotHours * lake.hotBytes + warmHours * lake.warmBytes)) / GB,
      purpose: 'finer copies',
    },
  ]
}

function state(usage: Usage): Quantity[] {
  const { lookUp, gigabytes } = system.state
  const records = requests(usage)
  const seconds = system.hoursAMonth * 3_600
  const processes = Math.max(1, (records * system.functionMs.track.each) / 1_000 / seconds)
  // A process keeps a token for five seconds, and asks again with the next request.
  const most = (usage.projects * processes * seconds) / lookUp.seconds
  const lookUps = records === 0 ? 0 : 1 / (1 / records + 1 / most)
  return [
    { price: 'stateRead', quantity: lookUps * lookUp.reads, purpose: 'track' },
    { price: 'stateStored', quantity: gigabytes, purpose: 'state' },
    { price: 'stateBackup', quantity: gigabytes, purpose: 'state' },
  ]
}
