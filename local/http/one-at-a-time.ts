import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests of one connection that may wait for the response before theirs. Browsers, agents and proxies send
 * the next request when they have a response; a client that sends some at once means no harm.
 */
export const MAX_WAITING_REQUESTS = 16

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Lets a connection have one request in work. Node hands on all requests that are in one packet, about a
 * thousand, so without this few connections could begin more work than all others together, and it went on
 * after they had gone. A connection with too many is closed.
 */
export function oneAtATime(handle: Handle): Handle {
  const waiting = new WeakMap<Socket, Parameters<Handle>[]>()
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const queue = waiting.get(socket)
    if (queue === undefined) {
      const own: Parameters<Handle>[] = [[request, response]]
      waiting.set(socket, own)
      begin(socket, own)
    } else if (queue.length < MAX_WAITING_REQUESTS) queue.push([request, response])
    else socket.destroy()
  }

  function begin(socket: Socket, queue: Parameters<Handle>[]): void {
    const next = socket.destroyed ? undefined : queue.shift()
    if (next === undefined) {
      waiting.delete(socket)
      return
    }
    next[1].once('close', () => begin(socket, queue))
    handle(...next)
  }
}
