import { setTimeout as sleep } from 'node:timers/promises'
import type { RenderedPage } from '#core/scans/render'
import type { RequestAnswerer } from './answer-requests.ts'
import type { PageEvents, Tab } from './page-events.ts'
import type { Browser } from './start-browser.ts'

/** A page rests when it has waited for no response for this long, ms. */
const QUIET_MS = 600
const LOOK_MS = 50
const MAX_HTML_CHARS = 6_000_000

/** The page cannot be rendered. The message says why, for the caller. */
export class RenderError extends Error {}

type Rendering = {
  browser: Browser
  events: PageEvents
  requests: RequestAnswerer
  /** Time of one page, ms. */
  pageMs: number
  /** A page that does not rest is taken as it is after this time, ms. */
  restMs: number
}

/**
 * Opens a page in a tab of its own, and returns its document when it rests. Throws RenderError after
 * `pageMs`, or the reason of the signal.
 */
export async function renderPage(
  rendering: Rendering,
  url: string,
  signal: AbortSignal,
): Promise<RenderedPage> {
  const deadline = AbortSignal.timeout(rendering.pageMs)
  const over = Promise.withResolvers<never>()
  const stop = () => over.reject(signal.aborted ? signal.reason : new RenderError(TOO_LONG))
  const ended = AbortSignal.any([deadline, signal])
  ended.addEventListener('abort', stop, { once: true })
  const lost = rendering.browser.ended.then(() => {
    throw new RenderError(HAS_ENDED)
  })
  // Nobody waits for it when the page ends before the browser does.
  lost.catch(() => {})
  const tab = rendering.events.open()
  try {
    signal.throwIfAborted()
    return await Promise.race([tab.then(opened => load(rendering, opened, url, ended)), over.promise, lost])
  } finally {
    ended.removeEventListener('abort', stop)
    tab.then(rendering.events.close).catch(() => {})
  }
}

export const HAS_ENDED =
  'the browser has ended, because the page needs too much memory, writes too much to the disk or crashes it'
export const TOO_LONG = 'its scripts do not come to an end'

async function load({ browser, requests, restMs }: Rendering, tab: Tab, url: string, ended: AbortSignal) {
  const send = (method: string, params = {}) => browser.send(method, params, tab.sessionId)
  const startedAt = performance.now()
  const { errorText } = await send('Page.navigate', { url })
  if (errorText !== undefined) throw new RenderError('a browser cannot open it')
  const isQuiet = () =>
    tab.isLoaded && requests.waiting() === 0 && performance.now() - tab.lastAnswerAt > QUIET_MS
  /** On a busy machine a page may be quiet because it has not run yet: then it goes on before it answers. */
  async function isResting(): Promise<boolean> {
    if (!isQuiet()) return false
    const { lastAnswerAt } = tab
    await send('DOM.getDocument', { depth: 0 })
    return isQuiet() && tab.lastAnswerAt === lastAnswerAt
  }
  while (!(await isResting()) && performance.now() - startedAt < restMs) {
    await sleep(LOOK_MS, undefined, { signal: ended })
  }
  const { root } = (await send('DOM.getDocument', { depth: 0 })) as Document
  const { outerHTML } = await send('DOM.getOuterHTML', { nodeId: root.nodeId })
  return { finalUrl: root.documentURL, html: String(outerHTML).slice(0, MAX_HTML_CHARS) }
}

type Document = { root: { nodeId: number; documentURL: string } }
