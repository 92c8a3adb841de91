import type { FunctionName } from '#schemas/functions'
import type { Quantity } from './charge.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** The way of an event to the stream: CloudFront, API Gateway, the track function, Kinesis. */

const GB = 1e9
const SECONDS = system.hoursAMonth * 3_600

/** Requests of POST /track and /track/batch a month; each is a record of the stream. */
export function requests({ events, batch }: Usage): number {
  return events / batch
}

/** Fetches of the tracker a month. */
function scriptLoads({ events, browserShare }: Usage): number {
  return (events * browserShare) / system.browser.eventsAVisit
}

/** Mean bytes of a record in the stream. A mean of 1.14 events is requests of one and of two, which are packed differently. */
export function recordBytes({ batch, eventBytes }: Usage): number {
  const scale = eventBytes / system.browser.eventBytes
  const few = Math.floor(batch)
  const more = batch - few
  return (1 - more) * packedBytes(few, scale) + more * packedBytes(few + 1, scale)
}

/** Mean bytes of a record before it is packed. */
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

/** Shards that the busiest second fills to at most `shard.use`. */
export function shardsNeeded(usage: Usage): number {
  const records = (requests(usage) / SECONDS) * usage.peak
  const { shard } = system
  const filled = Math.max(records / shard.records, (records * recordBytes(usage)) / shard.bytes)
  return Math.max(1, Math.ceil(filled / shard.use))
}

/** Shards that there are. On demand, AWS keeps twice the peak ready, four shards at least. */
export function shards(usage: Usage): number {
  const needed = shardsNeeded(usage)
  if (usage.stream === 'on-demand') return Math.max(system.shard.onDemandLeast, 2 * needed)
  return usage.shards === 0 ? needed : usage.shards
}

export function ingestQuantities(usage: Usage): Quantity[] {
  return [...edge(usage), ...trackFunction(usage), ...stream(usage)]
}

function edge(usage: Usage): Quantity[] {
  const { http, browser, watching } = system
  const tracked = requests(usage)
  const loads = scriptLoads(usage)
  const all = tracked + loads + usage.reads
  const out =
    (tracked * http.answerBytes +
      loads * (http.answerBytes + browser.scriptBytes) +
      usage.reads * http.readAnswerBytes) /
    GB
  const metered = Math.ceil((usage.batch * usage.eventBytes + http.requestHeaderBytes) / 524_288)
  const api = (price: 'apiRequest' | 'apiOut', quantity: number, purpose: string): Quantity => ({
    price,
    quantity,
    purpose,
  })
  const calls = [api('apiRequest', tracked * metered, 'track'), api('apiRequest', usage.reads, 'reads')]
  if (usage.cloudfront === 'off') {
    return [
      ...calls,
      api('apiRequest', loads, 'tracker'),
      api('apiOut', out, 'answers'),
      ...siteFunction(loads, usage),
    ]
  }
  return [
    ...calls,
    { price: 'cloudfrontRequest', quantity: tracked, purpose: 'track' },
    { price: 'cloudfrontRequest', quantity: loads, purpose: 'tracker' },
    { price: 'cloudfrontRequest', quantity: usage.reads, purpose: 'reads' },
    { price: 'cloudfrontOut', quantity: out, purpose: 'answers' },
    {
      price: 'cloudfrontOrigin',
      quantity: (tracked * http.requestHeaderBytes + usage.events * usage.eventBytes) / GB,
      purpose: 'track',
    },
    ...(usage.waf === 'on'
      ? ([
          { price: 'wafAcl', quantity: 1, purpose: 'edge' },
          { price: 'wafRule', quantity: watching.wafRules, purpose: 'edge' },
          { price: 'wafRequest', quantity: all, purpose: 'edge' },
        ] as const)
      : []),
  ]
}

function trackFunction(usage: Usage): Quantity[] {
  const { each, event } = system.functionMs.track
  const calls = requests(usage)
  return lambda('track', 'track', calls, calls * each + usage.events * event, usage)
}

function siteFunction(loads: number, usage: Usage): Quantity[] {
  return lambda('site', 'tracker', loads, loads * system.functionMs.site.each, usage)
}

/** Invocations of a function and what they take, `ms` in all. */
export function lambda(
  name: FunctionName,
  purpose: string,
  invocations: number,
  ms: number,
  { architecture }: Pick<Usage, 'architecture'>,
): Quantity[] {
  return [
    { price: 'lambdaRequest', quantity: invocations, purpose },
    {
      price: architecture === 'arm64' ? 'lambdaArmSecond' : 'lambdaX86Second',
      quantity: ((ms / 1_000) * system.functions[name].memoryMb) / 1_024,
      purpose,
    },
  ]
}

function stream(usage: Usage): Quantity[] {
  const records = requests(usage)
  const bytes = recordBytes(usage)
  const purpose = 'stream'
  const beyond = usage.retentionHours - 24
  if (usage.stream === 'provisioned') {
    const hours = shards(usage) * system.hoursAMonth
    return [
      { price: 'shardHour', quantity: hours, purpose },
      { price: 'putUnit', quantity: records * Math.ceil(bytes / 25_600), purpose },
      ...(beyond > 0 ? [{ price: 'retentionHour', quantity: hours, purpose } as const] : []),
    ]
  }
  const gigabytes = (records * Math.ceil(bytes / 1_024) * 1_024) / GB
  return [
    { price: 'streamHour', quantity: system.hoursAMonth, purpose },
    { price: 'streamIn', quantity: gigabytes, purpose },
    { price: 'streamOut', quantity: gigabytes, purpose },
    ...(beyond > 0
      ? [{ price: 'streamKept', quantity: (gigabytes * beyond) / system.hoursAMonth, purpose } as const]
      : []),
  ]
}
