import { mkdir } from 'node:fs/promises'
import type { OutboundClient } from '#core/outbound/outbound-client'
import type { Rendered, Renderer } from '#core/scans/render'
import { createRequestAnswerer } from './answer-requests.ts'
import type { Fence } from './fences.ts'
import { createPageEvents, type PageEvents } from './page-events.ts'
import { RenderError, renderPage, TOO_LONG } from './render-page.ts'
import { type Browser, startBrowser } from './start-browser.ts'
import type { Chromium } from './unpack-chromium.ts'

export type RendererOptions = {
  client: OutboundClient
  /** The browser, or null if this machine has none. */
  findChromium(): Promise<Chromium | null>
  /** Folder for what browsers write while they run. */
  tempDir: string
  /** What holds the pages. Behind `none` only those of accounts are rendered. */
  fence: Fence
  /** Time of one page, ms; default PAGE_MS. */
  pageMs?: number
  /** A page that does not rest is taken as it is after this time, ms; default a part of `pageMs`. */
  restMs?: number
}

const PAGE_MS = 12_000
const REST = 0.6

/**
 * Renders pages in a headless Chromium that lives for one analysis, in processes of its own. It has no
 * network: each request of a page is answered by the guarded client, or not at all.
 */
export function createRenderer({
  client,
  findChromium,
  tempDir,
  fence,
  pageMs = PAGE_MS,
  restMs = REST * pageMs,
}: RendererOptions): Renderer {
  return {
    async refusal(isAnonymous) {
      if (fence === 'none' && isAnonymous) return 'no_sandbox'
      return (await findChromium()) === null ? 'not_available' : null
    },

    async render(urls, signal) {
      const chromium = await findChromium()
      const [first] = urls
      const pages = new Map<string, Rendered>()
      if (chromium === null || first === undefined) return { pages, unsent: [] }
      await mkdir(tempDir, { recursive: true, mode: 0o700 })
      const requests = createRequestAnswerer(client, new URL(first), signal)
      let events: PageEvents | null = null
      const browser = await startBrowser({
        chromium,
        tempDir,
        fence,
        onEvent: event => events?.handle(event),
      })
      events = createPageEvents(browser, requests)
      try {
        if (!(await hasStarted(browser))) return { pages: new Map([[first, NOT_STARTED]]), unsent: [] }
        for (const url of urls) {
          const page = await renderPage({ browser, events, requests, pageMs, restMs }, url, signal).catch(
            problemOf,
          )
          pages.set(url, page)
          // A page that hangs keeps the browser from the next one.
          if ('problem' in page && page.problem === TOO_LONG) break
        }
      } finally {
        await browser.close()
      }
      signal.throwIfAborted()
      return { pages, unsent: requests.unsent() }
    },
  }
}

const NOT_STARTED = { problem: 'the browser of this service does not start' }

async function hasStarted(browser: Browser): Promise<boolean> {
  return browser.send('Browser.getVersion').then(
    () => true,
    () => false,
  )
}

function problemOf(error: unknown): Rendered {
  return { problem: error instanceof RenderError ? error.message : 'a browser cannot show it' }
}
