import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import type { Service } from '#test/support/service-process'
import { sharedService } from '#test/support/shared-service'

export type Recorded = { type: number; timestamp: number; data: Record<string, unknown> }

export type StoredReplay = {
  id: string
  status: string
  duration_ms: number
  has_full_snapshot: boolean
  analytics_session_id: string
  user_id: string | null
  entry_page: string | null
  chunks: { index: number; event_count: number }[]
}

type SiteOptions = {
  /** Attributes of the recorder's element. */
  attributes?: string
  settings?: Record<string, unknown>
  /** Puts no recorder into the pages. */
  withoutRecorder?: boolean
}

/**
 * A site with tracker and recorder, and the service of one machine as a process, which other test files use
 * too. The pages are at `http://<host>.test`. `ownBrowser`: another browser than usual, which `close` closes.
 */
export async function openReplaySite(ownBrowser?: Promise<Browser>) {
  const pages = new Map<string, string>()
  let answer: RequestListener | null = null
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test')
    const html = pages.get(`${request.headers.host?.split(':')[0]}${pathname}`)
    if (answer) answer(request, response)
    if (response.writableEnded) return
    response.writeHead(html === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [service, browser]: [Service, Browser] = await Promise.all([
    sharedService(),
    ownBrowser ?? sharedBrowser(),
  ])
  const key = service.credentials.api_key

  /** Calls the service as the owner. */
  async function call(method: string, path: string, body?: object) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  /** Creates a project that records replays, and serves its pages, by path. */
  async function newSite(html: Record<string, string>, options: SiteOptions = {}) {
    const { attributes = '', settings = {}, withoutRecorder = false } = options
    const name = `site-${Math.random().toString(36).slice(2, 10)}`
    const host = `${name}.test`
    const { body: project } = await call('POST', '/projects', { name, allowed_origins: '*' })
    await call('PUT', '/replays/settings', { project: name, enabled: true, ...settings })
    const token: string = project.project_token
    const scripts = `<script defer src="${service.baseUrl}/tracker.js" data-project="${name}" data-token="${token}"></script>${
      withoutRecorder ? '' : `<script defer src="${service.baseUrl}/replay.js" ${attributes}></script>`
    }`
    for (const [path, page] of Object.entries(html))
      pages.set(
        host + path,
        page.includes('<head>') ? page.replace('<head>', `<head>${scripts}`) : scripts + page,
      )
    return {
      name,
      token,
      url: (path = '/') => `http://${host}:${port}${path}`,
      async replays(): Promise<StoredReplay[]> {
        const { body } = await call('GET', `/replays?project=${name}&limit=100`)
        const ids: string[] = body.replays.map(({ id }: { id: string }) => id).toReversed()
        return Promise.all(ids.map(async id => (await call('GET', `/replays/${id}`)).body))
      },
      /** Everything that the service has of a replay, as its viewer reads it. */
      async events(id: string): Promise<Recorded[]> {
        const { body } = await call('POST', `/replays/${id}/open`, {})
        const secret = body.viewer_url.split('#')[1]
        const { body: viewed } = await call('POST', '/replay/view', { secret })
        const events: Recorded[] = []
        for (const { index } of viewed.replay.chunks)
          events.push(...(await call('POST', '/replay/view/chunk', { secret, index })).body)
        return events
      },
    }
  }

  return {
    service,
    call,
    newSite,
    port,
    pages,
    /** Answers requests of pages that have none: images, style sheets. */
    answer(listener: RequestListener | null) {
      answer = listener
    },
    newUser(): Promise<BrowserContext> {
      return browser.newContext(HUMAN_BROWSER)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      if (ownBrowser) await browser.close()
    },
  }
}

export type ReplaySite = Awaited<ReturnType<typeof openReplaySite>>

/** Opens a page, and returns when its recorder has its settings. */
export async function openConfigured(page: Page, url: string): Promise<void> {
  const configured = page.waitForResponse(response => new URL(response.url()).pathname === '/replay/config')
  await page.goto(url)
  await (await configured).finished()
  await settle(page)
}

/** Waits in the page, so that the recorder has time to see what it did. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
}
