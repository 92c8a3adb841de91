import type { ServerResponse } from 'node:http'

/**
 * A body up to this size is small, bytes. Browsers send no more after a page is left (`keepalive`), so
 * everything of the tracker is small, and so are usual batches of servers.
 */
export const SMALL_BODY_BYTES = 64 * 1024
/**
 * This part of the budget is for small bodies alone, so that large ones of many peers leave room for events.
 */
export const SMALL_PART = 1 / 4

export type ByteBudgetOptions = {
  maxBytes: number
  /** Which part of the room for small bodies, and of the other room, one peer may have. */
  peerPart: number
}

export type ByteBudget = {
  /**
   * Returns a function that takes bytes for the body of this response, or takes none and returns false if
   * there is no room. `peer`: whose bytes these are; those of null have no share of their own. `length`: the
   * announced size of the body, NaN if it has none.
   */
  open(response: ServerResponse, peer: string | null, length: number): (bytes: number) => boolean
}

/**
 * Counts the bytes of bodies that are in memory. A body counts from its first byte until its response is sent
 * or its connection closed. A body without an announced size counts as large.
 */
export function createByteBudget({ maxBytes, peerPart }: ByteBudgetOptions): ByteBudget {
  const forSmall = createPool(maxBytes * SMALL_PART, peerPart)
  const forAll = createPool(maxBytes * (1 - SMALL_PART), peerPart)

  return {
    open(response, peer, length) {
      const pools = length <= SMALL_BODY_BYTES ? [forSmall, forAll] : [forAll]
      const taken = new Map<Pool, number>()
      return bytes => {
        const pool = pools.find(each => each.take(peer, bytes))
        if (pool === undefined) return false
        if (taken.size === 0) {
          response.once('close', () => {
            for (const [each, own] of taken) each.giveBack(peer, own)
          })
        }
        taken.set(pool, (taken.get(pool) ?? 0) + bytes)
        return true
      }
    },
  }
}

type Pool = ReturnType<typeof createPool>

function createPool(maxBytes: number, peerPart: number) {
  const ofPeers = new Map<string, number>()
  let taken = 0

  function change(peer: string | null, bytes: number): void {
    taken += bytes
    if (peer === null) return
    const own = (ofPeers.get(peer) ?? 0) + bytes
    if (own > 0) ofPeers.set(peer, own)
    else ofPeers.delete(peer)
  }

  return {
    /** Takes the bytes if there is room for them. */
    take(peer: string | null, bytes: number): boolean {
      const own = peer === null ? 0 : (ofPeers.get(peer) ?? 0)
      const hasRoom = taken + bytes <= maxBytes && (peer === null || own + bytes <= maxBytes * peerPart)
      if (hasRoom) change(peer, bytes)
      return hasRoom
    },
    giveBack: (peer: string | null, bytes: number) => change(peer, -bytes),
  }
}
