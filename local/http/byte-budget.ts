import type { ServerResponse } from 'node:http'

/**
 * Counts the bytes of bodies that are in memory. A body counts from its first byte until its response is sent
 * or its connection closed.
 */
export function createByteBudget(maxBytes: number) {
  let taken = 0

  /**
   * Returns a function that takes bytes for the body of this response, or takes none and returns false if
   * there is no room.
   */
  function open(response: ServerResponse): (bytes: number) => boolean {
    let own = 0
    return bytes => {
      if (taken + bytes > maxBytes) return false
      if (own === 0) {
        response.once('close', () => {
          taken -= own
        })
      }
      own += bytes
      taken += bytes
      return true
    }
  }

  return { open }
}
