import type { FunctionName } from '#schemas/functions'
import type { Quantity } from './charge.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** The cost of ingestion: CloudFront, API Gateway, the track function and Kinesis. */

const GB = 1e9
const SECONDS = system.hoursPerMonth * 3_600

/** Requests of POST /track and /track/batch a month. Each request is one record of the stream. */
export function requests({ events, batch }: Usage): number {
  return events / batch
}

/** Requests of ingestion a month, with those of bots, which are answered and not stored. */
function allTrackRequests(usage: Usage): number {
  return requests(usage) * (1 + usage.bots)
}

/** Loads of the tracker a month: one for each session. */
export function scriptLoads({ events, browserShare }: Usage): number {
  return (events * browserShare) / system.browser.eventsPerSession
}

/**
 * Mean bytes of a record in the stream. `batch` may be a fraction: 1.14 means that 86 % of the requests have
 * one event and 14 % have two.
 */
export function recordBytes({ batch, eventBytes }: Usage): number {
  const scale = eventBytes / system.browser.eventBytes
  const wholeEvents = Math.floor(batch)
  const fraction = batch - wholeEvents
  return (1 - fraction) * packedBytes(wholeEvents, scale) + fraction * packedBytes(wholeEvents + 1, scale)
}

/** Mean bytes of a record before it is compressed. */
export function plainRecordBytes({ batch, eventBytes }: Usage): number {
  return plainBytes(batch, eventBytes / system.browser.eventBytes)
}

function plainBytes(events: number, scale: number): number {
  return system.record.headBytes + system.record.eventBytes * scale * events
}

function packedBytes(events: number, scale: number): number {
  const { packFromBytes, packedHeadBytes, packedEventBytes } = system.record
  const plain = plainBytes(events, scale)
  return plain < packFromBytes ? plain : packedHeadBytes + packedEventBytes * scale * events
}

/** Returns the number of shards that the busiest second fills to at most `shard.maxUse`. */
export function shardsNeeded(usage: Usage): number {
  const records = (requests(usage) / SECONDS) * usage.peak
  const { shard } = system
  const shardUse = Math.max(records / shard.records, (records * recordBytes(usage)) / shard.bytes)
  return Math.max(1, Math.ceil(shardUse / shard.maxUse))
}

/**
 * Returns the number of shards of the stream. On demand, AWS provides twice the peak and at least four
 * shards.
 */
export function shards(usage: Usage): number {
  const needed = shardsNeeded(usage)
  if (usage.stream === 'on-demand') return Math.max(system.shard.onDemandMinimum, 2 * needed)
  return usage.shards === 0 ? needed : usage.shards
}

export function ingestQuantities(usage: Usage): Quantity[] {
  return [...edge(usage), ...trackFunction(usage), ...windows(usage), ...stream(usage)]
}

function edge(usage: Usage): Quantity[] {
  const { http, browser, monitoring } = system
  const trackRequests = allTrackRequests(usage)
  const scriptDownloads = scriptLoads(usage)
  const loadRequests = scriptDownloads * browser.loadRequests
  const allRequests = trackRequests + loadRequests + usage.reads
  const gigabytesOut =
    (trackRequests * http.responseBytes +
      loadRequests * http.responseBytes +
      scriptDownloads * browser.scriptBytes +
      usage.reads * http.readResponseBytes) /
    GB
  const meteringUnits = Math.ceil((usage.batch * usage.eventBytes + http.requestHeaderBytes) / 524_288)
  const apiQuantity = (price: 'apiRequest' | 'apiOut', quantity: number, purpose: string): Quantity => ({
    price,
    quantity,
    purpose,
  })
  const calls = [
    // A function URL costs nothing beside its function.
    ...(usage.ingestion === 'api' ? [apiQuantity('apiRequest', trackRequests * meteringUnits, 'track')] : []),
    apiQuantity('apiRequest', usage.reads, 'reads'),
  ]
  if (usage.cloudfront === 'off') {
    return [
      ...calls,
      apiQuantity('apiRequest', loadRequests, 'tracker'),
      apiQuantity('apiOut', gigabytesOut, 'responses'),
      ...siteFunction(loadRequests, usage),
    ]
  }
  return [
    ...calls,
    { price: 'cloudfrontRequest', quantity: trackRequests, purpose: 'track' },
    { price: 'cloudfrontRequest', quantity: loadRequests, purpose: 'tracker' },
    { price: 'cloudfrontRequest', quantity: usage.reads, purpose: 'reads' },
    { price: 'cloudfrontOut', quantity: gigabytesOut, purpose: 'responses' },
    {
      price: 'cloudfrontOrigin',
      quantity: (trackRequests * http.requestHeaderBytes + usage.events * usage.eventBytes) / GB,
      purpose: 'track',
    },
    ...(usage.waf === 'on'
      ? ([
          { price: 'wafAcl', quantity: 1, purpose: 'edge' },
          { price: 'wafRule', quantity: monitoring.wafRules, purpose: 'edge' },
          { price: 'wafRequest', quantity: allRequests, purpose: 'edge' },
        ] as const)
      : []),
  ]
}

function trackFunction(usage: Usage): Quantity[] {
  const { call, event } = system.functionMs.track
  const calls = allTrackRequests(usage)
  return lambda('track', 'track', calls, calls * call + usage.events * event, usage)
}

/**
 * The windows of the profile `hosted`: a process reports its requests in groups, and every read counts for
 * itself.
 */
function windows({ profile, ...usage }: Usage): Quantity[] {
  if (profile === 'own') return []
  const reports = allTrackRequests({ profile, ...usage }) / system.state.windowReport
  return [{ price: 'stateWrite', quantity: reports + usage.reads + usage.queries, purpose: 'limits' }]
}

/** The function that serves the experiments takes about as long as the one that serves the script. */
function siteFunction(calls: number, usage: Usage): Quantity[] {
  return lambda('site', 'tracker', calls, calls * system.functionMs.site.call, usage)
}

/**
 * The cost of a function's invocations, which take `ms` milliseconds in total, without the start of its
 * processes. Lambda bills that too, and a disk above 512 MB.
 */
export function lambda(
  name: FunctionName,
  purpose: string,
  invocations: number,
  ms: number,
  { architecture }: Pick<Usage, 'architecture'>,
): Quantity[] {
  const { share, ms: startMs, included, withSecret, freeDiskMb } = system.coldStart
  const { memoryMb, diskMb = freeDiskMb } = system.functions[name]
  const starts = included.some(each => each === name) ? 0 : invocations * share
  const seconds = (ms + starts * startMs) / 1_000
  return [
    { price: 'lambdaRequest', quantity: invocations, purpose },
    {
      price: architecture === 'arm64' ? 'lambdaArmSecond' : 'lambdaX86Second',
      quantity: (seconds * memoryMb) / 1_024,
      purpose,
    },
    ...(diskMb > freeDiskMb
      ? [{ price: 'lambdaDisk', quantity: (seconds * (diskMb - freeDiskMb)) / 1_024, purpose } as const]
      : []),
    ...(withSecret.some(each => each === name)
      ? [{ price: 'secretCall', quantity: starts, purpose } as const]
      : []),
    ...(name === 'jobs' ? callLog(invocations, purpose) : []),
  ]
}

/** The lines that Lambda writes for each call of a function with DuckDB (lib/function.ts). */
function callLog(invocations: number, purpose: string): Quantity[] {
  const { callLogBytes, logMonths } = system.monitoring
  const gigabytes = (invocations * callLogBytes) / GB
  return [
    { price: 'logIn', quantity: gigabytes, purpose },
    { price: 'logStored', quantity: gigabytes * logMonths, purpose },
  ]
}

function stream(usage: Usage): Quantity[] {
  const records = requests(usage)
  const bytes = recordBytes(usage)
  const purpose = 'stream'
  const extraHours = usage.retentionHours - 24
  if (usage.stream === 'provisioned') {
    const hours = shards(usage) * system.hoursPerMonth
    return [
      { price: 'shardHour', quantity: hours, purpose },
      { price: 'putUnit', quantity: records * Math.ceil(bytes / 25_600), purpose },
      ...(extraHours > 0 ? [{ price: 'retentionHour', quantity: hours, purpose } as const] : []),
    ]
  }
  const gigabytes = (records * Math.ceil(bytes / 1_024) * 1_024) / GB
  return [
    { price: 'streamHour', quantity: system.hoursPerMonth, purpose },
    { price: 'streamIn', quantity: gigabytes, purpose },
    { price: 'streamOut', quantity: gigabytes * system.consumers, purpose },
    ...(extraHours > 0
      ? [{ price: 'streamKept', quantity: (gigabytes * extraHours) / system.hoursPerMonth, purpose } as const]
      : []),
  ]
}
