import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/**
 * The websites that strangers have analysed. The service knows them by public addresses, which
 * site-network.mjs leads to this server: 9.9.0.1, 9.9.0.2 … have the first kind.
 */
const SITES = ['plain', 'labels', 'robots', 'silent'] as const
export type Site = (typeof SITES)[number]

/** The host of a site with this number, 1 to 250. */
export function hostOfSite(site: Site, number: number): string {
  return `9.9.${SITES.indexOf(site)}.${number}`
}

const PLAIN =
  gzipSync(`<!doctype html><html lang="en"><head><title>Acme: invoices for freelancers</title></head>
<body><h1>Invoices in a minute</h1><p>Acme writes and sends the invoices of freelancers.</p><a href="/signup">Start free trial</a></body></html>`)
/** A pattern that begins with blanks and must reach the end of the label takes quadratic time. */
const LABELS = gzipSync(
  `<!doctype html><html lang="en"><title>Acme</title>${`<button aria-label="Buy${' '.repeat(40_000)}x"></button>`.repeat(40)}</html>`,
)
const ROBOTS = gzipSync(`${' '.repeat(500_000)}x`)

/** Serves the sites at a free port of this machine. */
export async function serveSites(): Promise<{ port: number; close(): void }> {
  const server = createServer((request, response) => {
    const site = SITES[Number(request.headers.host?.split('.')[2])]
    if (site === 'silent') return
    const isPage = request.url === '/'
    const body = bodyOf(site, request.url ?? '')
    response.writeHead(body === null ? 404 : 200, {
      'Content-Type': isPage ? 'text/html; charset=utf-8' : 'text/plain',
      ...(body && { 'Content-Encoding': 'gzip' }),
    })
    response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function bodyOf(site: Site | undefined, path: string): Buffer | null {
  if (path === '/') return site === 'labels' ? LABELS : PLAIN
  return path === '/robots.txt' && site === 'robots' ? ROBOTS : null
}
