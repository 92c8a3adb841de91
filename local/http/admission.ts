import type { Log } from '#core/ports'
import { type BodyRates, createBodyRates } from './body-rates.ts'
import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { type Connections, createConnections } from './connections.ts'

/** What the front takes from its clients at the same time. */
export type Caps = { connections: number; bodyBytes: number }

/**
 * The most of each: open connections, and bytes of bodies that are read and not yet answered. 20,000
 * connections take about 200 MB; a browser has a few, and the tracker closes its own. A low limit of open
 * files lowers their number (local/file-limit.ts).
 */
export const CAPS: Caps = { connections: 20_000, bodyBytes: 128 * 1024 * 1024 }

/**
 * One peer gets at most this part of each. So one address leaves most of it to the others, and a network with
 * thousands of people behind one address still works.
 */
export const PEER_PART = 1 / 4

/** Clients that are refused come again after so many seconds. */
export const RETRY_SECONDS = 5

/** Decides what the servers of one service take. They share it, because their clients share the process. */
export type Admission = { connections: Connections; bodies: ByteBudget; rates: BodyRates }

export function createAdmission(caps: Caps, log: Log): Admission {
  return {
    connections: createConnections({
      max: caps.connections,
      maxOfPeer: Math.max(1, Math.floor(caps.connections * PEER_PART)),
      log,
    }),
    bodies: createByteBudget({ maxBytes: caps.bodyBytes, peerPart: PEER_PART }),
    rates: createBodyRates(log),
  }
}
