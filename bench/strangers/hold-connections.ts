import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answers, count } from './exchange.ts'

type Held = {
  port: number
  from: string
  connections: number
  /** What each connection sends first. */
  first: Uint8Array
  /** What it sends again and again afterwards. Default: nothing. */
  more?: { bytes: Uint8Array; everyMs: number }
}

/**
 * A closed connection is opened again after so long. At a higher rate the service would be kept busy by
 * refusals, and never come to the work of an idle thread.
 */
const REOPEN_MS = 5_000

/**
 * Holds connections that never send a whole request, and opens each again when it is closed. Counts the
 * closed ones by the status that came before, and the most that were open.
 */
export async function holdConnections(held: Held, stopping: AbortSignal): Promise<Answers> {
  const answers: Answers = {}
  let open = 0
  let most = 0

  async function hold(): Promise<void> {
    while (!stopping.aborted) {
      const outcome = await holdOne()
      if (stopping.aborted) return
      count(answers, outcome)
      await sleep(REOPEN_MS)
    }
  }

  function holdOne(): Promise<string> {
    return new Promise(resolve => {
      const socket = createConnection({ host: '127.0.0.1', port: held.port, localAddress: held.from })
      const close = () => socket.destroy()
      let outcome = 'closed'
      let dripping: NodeJS.Timeout | undefined
      stopping.addEventListener('abort', close)
      socket.once('connect', () => {
        open += 1
        most = Math.max(most, open)
        socket.write(held.first)
        const { more } = held
        if (more !== undefined) dripping = setInterval(() => socket.write(more.bytes), more.everyMs)
        socket.once('close', () => {
          open -= 1
        })
      })
      socket.once('data', data => {
        outcome = /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? outcome
        // A refused body is sent to nobody.
        close()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        outcome = error.code ?? 'error'
      })
      socket.once('close', () => {
        clearInterval(dripping)
        stopping.removeEventListener('abort', close)
        resolve(outcome)
      })
    })
  }

  await Promise.all(Array.from({ length: held.connections }, hold))
  return { ...answers, 'most open': most }
}
