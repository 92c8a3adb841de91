import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { createRenderer } from '#providers/chromium/create-renderer'
import { chooseFence, type Fence } from '#providers/chromium/fences'
import { isFenceAllowed } from '#providers/chromium/probe-fence'
import { createNetwork } from '#providers/network'
import { systemClock } from '#providers/system-clock'
import { unpackChromium } from '#test/setup/unpack-chromium'

export type Respond = (request: IncomingMessage, response: ServerResponse) => void

/** The signal of a rendering, which no test reaches. */
export const SIGNAL = () => AbortSignal.timeout(250_000)

/** The fence that the service has on this machine. */
export const OWN_FENCE = await chooseFence(isFenceAllowed)

/**
 * Rendering with a real Chromium and the guarded client, which may reach the hosts of the test alone. Serves
 * `site.test`; other hosts have no address. What is opened is added to `cleanups`.
 */
export async function openRenderer(
  cleanups: (() => unknown)[],
  pages: Record<string, string | Respond>,
  { fence = OWN_FENCE as Fence, findChromium = unpackChromium, pageMs = 200_000, restMs = 200_000 } = {},
) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(`${request.method} ${path}`)
    const page = pages[path.split('?')[0] ?? '']
    if (page === undefined) return void response.writeHead(404).end()
    if (typeof page !== 'string') return page(request, response)
    const type = path.endsWith('.js')
      ? 'text/javascript'
      : path.endsWith('.json')
        ? 'application/json'
        : 'text/html'
    response.setHeader('content-type', `${type}; charset=utf-8`).end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-render-test-'))
  cleanups.push(() => rm(tempDir, { recursive: true, force: true }))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = createOutboundClient({
    clock: systemClock,
    network: { ...createNetwork(), addresses: async host => (host === 'site.test' ? ['127.0.0.1'] : []) },
    userAgent: 'FootfallScan/1.0 (+https://footfall.example/)',
    // An address in a URL is checked as such. Names lead to 127.0.0.1, which the URL of a page must not name.
    policy: { isAllowedAddress: () => true, isAllowedPort: allowed => allowed === port },
  })
  const renderer = createRenderer({ client, findChromium, tempDir, fence, pageMs, restMs })
  const url = (path: string) => `http://site.test:${port}${path}`
  return { renderer, requests, tempDir, port, url }
}

/** Processes whose command line names the folder. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
    } catch {
      return false
    }
  })
}
