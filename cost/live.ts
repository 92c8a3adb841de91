import type { Quantity } from './charge.ts'
import { lambda, requests, shards } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of live reads: the live consumer, which copies every event into the live buffer, open streams, and
 * views that poll.
 */

const SECONDS = system.hoursPerMonth * 3_600

export function liveQuantities(usage: Usage): Quantity[] {
  return [...consumer(usage), ...openStreams(usage), ...polls(usage)]
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
  const keptGigabytes = ((chunks * chunkBytes) / 1e9) * (live.lateHours / system.hoursPerMonth)
  const purpose = 'live'
  return [
    ...lambda('live', purpose, calls, ms, usage),
    // A chunk takes whole units, so on average half a unit more than its bytes.
    { price: 'stateWrite', quantity: chunks * (chunkBytes / live.writeUnitBytes + 0.5), purpose },
    { price: 'stateStored', quantity: keptGigabytes, purpose },
    { price: 'stateBackup', quantity: keptGigabytes, purpose },
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

/** `polls` views that ask for new events all the time, without the bytes of their events. */
function polls(usage: Usage): Quantity[] {
  const { live } = system
  const purpose = 'polls'
  const calls = (usage.polls * SECONDS) / live.pollSeconds
  return [
    { price: 'apiRequest', quantity: calls, purpose },
    { price: 'cloudfrontRequest', quantity: usage.cloudfront === 'on' ? calls : 0, purpose },
    ...lambda('reports', purpose, calls, calls * live.pollMs, usage),
    { price: 'stateRead', quantity: calls * live.poll.reads, purpose },
    { price: 'stateWrite', quantity: calls * live.poll.writes, purpose },
  ]
}
