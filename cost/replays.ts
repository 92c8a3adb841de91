import type { Quantity } from './charge.ts'
import { lambda } from './ingest.ts'
import { READ_UNIT } from './lake.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of session replay: the script, uploads through the API, and the viewer. A replay is one item of
 * the table, which each chunk reads and writes whole: so its units grow with the square of the chunks.
 */

const GB = 1e9
const WRITE_UNIT = 1_024

export function replayQuantities(usage: Usage): Quantity[] {
  if (usage.replays === 0) return []
  return [...recording(usage), ...watching(usage)]
}

/** Chunks of one replay. */
export function replayChunks({ replayMinutes }: Pick<Usage, 'replayMinutes'>): number {
  return Math.max(1, Math.round(replayMinutes * system.replay.chunksPerMinute))
}

/** Units of the table for a replay from its start to its end. */
export function replayStateUnits(chunks: number): { reads: number; writes: number } {
  const { request, ends, chunk, item } = system.replay
  let { reads, writes } = ends
  for (let index = 0; index < chunks; index++) {
    const bytes = item.headBytes + index * item.chunkBytes
    reads += request.reads + Math.ceil(bytes / READ_UNIT)
    writes += chunk.writes + Math.ceil((bytes + item.chunkBytes) / WRITE_UNIT)
  }
  return { reads: reads + 2 * request.reads, writes }
}

function recording(usage: Usage): Quantity[] {
  const { replay, http, daysPerMonth } = system
  const { replays } = usage
  const purpose = 'replays'
  const chunks = replayChunks(usage)
  const state = replayStateUnits(chunks)
  const uploads = replays * (chunks + 2)
  // The settings, once a page. CloudFront keeps them for a minute, which is not counted.
  const requests = uploads + replays * replay.pages
  const storedBytes = replays * chunks * replay.chunkBytes
  const sentBytes = storedBytes * replay.encoded + requests * http.requestHeaderBytes
  const ms = replays * (replay.ms.start + chunks * replay.ms.chunk + replay.ms.finish)
  return [
    { price: 'apiRequest', quantity: requests, purpose },
    ...atEdge(usage, {
      requests: requests + replays,
      in: sentBytes,
      out: replays * replay.scriptBytes + requests * http.responseBytes,
      purpose,
    }),
    ...lambda('replay', purpose, requests, ms, usage),
    { price: 'stateRead', quantity: replays * state.reads, purpose },
    { price: 'stateWrite', quantity: replays * state.writes, purpose },
    { price: 's3Put', quantity: replays * chunks, purpose },
    { price: 's3Stored', quantity: (storedBytes / GB) * (replay.days / daysPerMonth), purpose },
  ]
}

/** The viewer reads a replay once, whole. */
function watching(usage: Usage): Quantity[] {
  const { replay, http } = system
  const views = usage.replays * usage.replayViews
  const purpose = 'watched replays'
  const chunks = replayChunks(usage)
  const requests = views * (replay.viewerRequests + chunks)
  const reads = replay.viewReads + Math.ceil((chunks * replay.item.chunkBytes) / READ_UNIT)
  return [
    { price: 'apiRequest', quantity: requests, purpose },
    ...atEdge(usage, {
      requests,
      in: requests * http.requestHeaderBytes,
      out: views * (replay.viewerBytes + chunks * replay.chunkBytes),
      purpose,
    }),
    ...lambda('replay', purpose, requests, requests * replay.ms.view, usage),
    { price: 'stateRead', quantity: requests * reads, purpose },
    { price: 's3Get', quantity: views * chunks, purpose },
  ]
}

/** What the requests cost at CloudFront, or without it the bytes that API Gateway sends. */
function atEdge(
  { cloudfront, waf }: Usage,
  { requests, in: bytesIn, out, purpose }: { requests: number; in: number; out: number; purpose: string },
): Quantity[] {
  if (cloudfront === 'off') return [{ price: 'apiOut', quantity: out / GB, purpose }]
  return [
    { price: 'cloudfrontRequest', quantity: requests, purpose },
    { price: 'cloudfrontOrigin', quantity: bytesIn / GB, purpose },
    { price: 'cloudfrontOut', quantity: out / GB, purpose },
    ...(waf === 'on' ? [{ price: 'wafRequest', quantity: requests, purpose } as const] : []),
  ]
}
