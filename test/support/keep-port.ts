import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import { isFirstCall } from '#test/setup/first-call'

/**
 * Linux gives ports from 32,768 on to connections and to servers that ask for any port; macOS from 49,152 on.
 * These ports are below both.
 */
const FIRST_PORT = 20_000
const PORTS = 12_000
const LOOPBACK = ['127.0.0.1', '::1']

/**
 * Returns a free port that nobody else gets until the end of the test run, also while no server listens on
 * it. A port of `listen(0)` is not safe: another test may get it between two starts of a service.
 */
export async function keepPort(runFolder: string = inject('runFolder')): Promise<number> {
  const folder = join(runFolder, 'ports')
  mkdirSync(folder, { recursive: true })
  // Two test runs on one machine do not share a folder, so each begins at another port.
  const start = Math.floor(Math.random() * PORTS)
  for (let offset = 0; offset < PORTS; offset += 1) {
    const port = FIRST_PORT + ((start + offset) % PORTS)
    if (isFirstCall(join(folder, String(port))) && (await isFree(port))) return port
  }
  throw new Error(`All ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are used.`)
}

async function isFree(port: number): Promise<boolean> {
  for (const host of LOOPBACK) {
    const error = await listenOnce(port, host)
    if (error === 'EADDRINUSE') return false
  }
  return true
}

/** Resolves with the code of the error, or undefined when the address can be listened on. */
function listenOnce(port: number, host: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', error => resolve((error as NodeJS.ErrnoException).code))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
