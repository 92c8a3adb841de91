import type { Quantity } from './charge.ts'
import { lambda, requests, shards } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of live reads: the live consumer, which copies every event into the live buffer, and open streams.
 */

const SECONDS = system.hoursPerMonth * 3_600

export function liveQuantities(usage: Usage): Quantity[] {
  return [...consumer(usage), ...openStreams(usage)]
}

/**
 * Lambda calls the consumer once a second for each shard with records. A call writes one chunk for each
 * bucket with requests in that second, or for each project when there are fewer. Requests come at random, so
 * a second without any has the probability e^-mean.
 */
function consumer(usage: Usage): Quantity[] {
  const { live, functionMs } = system
  const shardCount = shards(usage)
  const activeSeconds = (requestsPerSecond: number) => SECONDS * (1 - Math.exp(-requestsPerSecond))
  const perShard = requests(usage) / SECONDS / shardCount
  const calls = shardCount * activeSeconds(perShard)
  const writers = Math.min(usage.projects, system.lake.buckets)
  const chunks = shardCount * writers * activeSeconds(perShard / writers)
  if (chunks === 0) return []
  const chunkBytes = live.chunkHeadBytes + (usage.events / chunks) * live.eventBytes
  const { call, chunk, event } = functionMs.live
  const ms = calls * call + chunks * chunk + usage.events * event
  const purpose = 'live'
  return [
    ...lambda('live', purpose, calls, ms, usage),
    // A chunk takes whole units, so on average half a unit more than its bytes.
    { price: 'stateWrite', quantity: chunks * (chunkBytes / live.writeUnitBytes + 0.5), purpose },
  ]
}

/** `streams` streams that are open all the time, without the bytes of their events. */
function openStreams(usage: Usage): Quantity[] {
  const { live } = system
  const purpose = 'open streams'
  const ms = usage.streams * SECONDS * 1_000
  const connections = (usage.streams * SECONDS) / live.streamSeconds
  return [
    ...lambda('stream', purpose, connections, ms, usage),
    { price: 'cloudfrontRequest', quantity: connections, purpose },
    { price: 'stateRead', quantity: usage.streams * SECONDS * live.streamReadsPerSecond, purpose },
    { price: 'stateWrite', quantity: usage.streams * SECONDS * live.streamWritesPerSecond, purpose },
  ]
}
