import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CorpusPage, CorpusSite } from './corpus-site.ts'
import { responseOf } from './fetched-pages.ts'

export type ServedCorpus = {
  /** Address of a page. The names below `.test` lead to this process in the browser of the tests. */
  urlOf(site: string, path: string): string
  /** Serves another document from now on, as after a change of the site's source. */
  replace(site: string, path: string, html: string): void
  close(): Promise<void>
}

/** The script of a page that scripts fill: it shows what the corpus says that they show. */
function scriptOf(site: CorpusSite | undefined, path: string): CorpusPage | null {
  if (site?.rendered === undefined || !path.endsWith('.js')) return null
  const body = `document.documentElement.innerHTML = ${JSON.stringify(site.rendered)}[location.pathname]`
  return { headers: { 'content-type': 'text/javascript; charset=utf-8' }, body }
}

/** Serves the sites of the corpus on one port of this machine, each under its own host. */
export async function serveCorpus(sites: readonly CorpusSite[]): Promise<ServedCorpus> {
  const byHost = new Map(sites.map(site => [`${site.name}.test`, site]))
  const replaced = new Map<string, string>()
  const server = createServer((request, response) => {
    const host = request.headers.host?.split(':')[0] ?? ''
    const path = request.url?.split('?')[0] ?? '/'
    const site = byHost.get(host)
    const page =
      replaced.get(host + path) ?? site?.pages[path] ?? site?.makePage?.(path) ?? scriptOf(site, path)
    if (page === undefined || page === null) return void response.writeHead(404).end('Not found')
    const { status, headers, body } = responseOf(page)
    response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (site, path) => `http://${site}.test:${port}${path}`,
    replace: (site, path, html) => void replaced.set(`${site}.test${path}`, html),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
