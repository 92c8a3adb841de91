import pLimit from 'p-limit'
import type { OutboundClient } from '#core/outbound/outbound-client'
import { isSameSite } from '#scanner/fetch/choose-pages'
import type { CdpConnection } from './cdp-connection.ts'

/** Requests of all pages of one analysis, and bytes of their responses. */
const MAX_REQUESTS = 300
const MAX_BYTES = 30_000_000
const REQUEST_BYTES = 5_000_000
const REQUEST_MS = 8_000
/**
 * Requests of the browser that wait for a server at the same time; a page that asks for more is cut short.
 */
const MAX_WAITING = 40
/**
 * Of these, responses that are fetched or given to the browser at the same time; the others wait, as they do
 * for the six connections that a browser has to a server. A response of 5 MB takes about 16 MB as bytes, as
 * Base64 and as a message, and has 5 KB on its way: forty of them took 640 MB.
 */
const MAX_IN_HAND = 6
/** Kinds of requests that are fetched. Images, media, fonts and frames add nothing that is read. */
const FETCHED = new Set(['Document', 'Script', 'XHR', 'Fetch', 'Other'])
/** Headers of responses that a page needs. Others, such as cookies and policies, stay here. */
const PASSED =
  /^(content-type|location|access-control-(allow-origin|allow-credentials|expose-headers|allow-headers|allow-methods))$/
/** Requests that were not sent and that the result names. */
const MAX_NAMED = 10

export type PausedRequest = {
  requestId: string
  frameId: string
  resourceType: string
  request: { url: string; method: string; headers: Record<string, string> }
}

export type RequestAnswerer = ReturnType<typeof createRequestAnswerer>

/**
 * Answers the requests of a browser, which has no network of its own, with the guarded client. Only GET is
 * sent: another method may change something at a server.
 */
export function createRequestAnswerer(client: OutboundClient, site: URL, signal: AbortSignal) {
  let [requests, bytes, waiting] = [0, 0, 0]
  const unsent = new Map<string, string>()
  const inHand = pLimit(MAX_IN_HAND)

  /** `mainFrame`: that of the page; documents of other frames are not read. */
  async function answer(
    browser: CdpConnection,
    sessionId: string,
    paused: PausedRequest,
    mainFrame: string,
  ): Promise<void> {
    const { requestId, resourceType, request } = paused
    // After another error a browser shows a page of its own instead of the one that it has.
    const errorReason = 'Aborted'
    const fail = () => browser.send('Fetch.failRequest', { requestId, errorReason }, sessionId)
    const fulfil = (responseCode: number, headers: Record<string, string>, body: Uint8Array) =>
      browser.send(
        'Fetch.fulfillRequest',
        {
          requestId,
          responseCode,
          responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
          body: Buffer.from(body).toString('base64'),
        },
        sessionId,
      )
    if (request.method === 'OPTIONS')
      return void (await fulfil(204, preflightAnswer(request.headers), NOTHING))
    // Some scripts wait until their styles are there; what is in them makes no difference.
    if (resourceType === 'Stylesheet')
      return void (await fulfil(200, { 'content-type': 'text/css' }, NOTHING))
    if (!isFetched(paused, mainFrame)) return void (await fail())
    requests += 1
    waiting += 1
    try {
      await inHand(async () => {
        signal.throwIfAborted()
        // Those before it may have had the rest.
        if (bytes >= MAX_BYTES) {
          noteTooMuch(new URL(request.url))
          throw new Error('the pages have had their bytes')
        }
        const options = { maxBytes: REQUEST_BYTES, timeoutMs: REQUEST_MS, maxRedirects: 0, signal }
        const response = await client.fetch(request.url, options)
        bytes += response.body.length
        const headers = Object.entries(response.headers).filter(([name]) => PASSED.test(name))
        await fulfil(response.status, Object.fromEntries(headers), response.body)
      })
    } catch {
      await fail()
    } finally {
      waiting -= 1
    }
  }

  function isFetched({ resourceType, frameId, request }: PausedRequest, mainFrame: string): boolean {
    const url = URL.parse(request.url)
    if (url === null || !FETCHED.has(resourceType)) return false
    if (resourceType === 'Document') {
      if (frameId !== mainFrame || request.method !== 'GET') return false
      return (
        isSameSite(url, site) || leaveOut(url, 'the scripts of a page lead to it, and it is another site')
      )
    }
    // Requests to other sites are not named: they are mostly measurements.
    const isOwn = isSameSite(url, site)
    if (request.method !== 'GET') {
      return isOwn && leaveOut(url, 'a page asks for it by another method than GET')
    }
    if (requests < MAX_REQUESTS && bytes < MAX_BYTES && waiting < MAX_WAITING) return true
    noteTooMuch(url)
    return false
  }

  /** Names an address of the site that an analysis does not load any more. */
  function noteTooMuch(url: URL): void {
    if (isSameSite(url, site)) leaveOut(url, 'the pages ask for more than an analysis loads')
  }

  function leaveOut({ origin, pathname }: URL, reason: string): false {
    if (unsent.size < MAX_NAMED) unsent.set(`${origin}${pathname}`, reason)
    return false
  }

  return {
    answer,
    /** How many requests wait for a server now. */
    waiting: () => waiting,
    /** Requests to the site that were not sent, at most MAX_NAMED. */
    unsent: () => [...unsent].map(([url, reason]) => ({ url, reason })),
  }
}

const NOTHING = new Uint8Array()

/** The question before a request to another host. The request itself carries no credential of anybody. */
function preflightAnswer(headers: Record<string, string>): Record<string, string> {
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    'access-control-allow-origin': sent.get('origin') ?? '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': sent.get('access-control-request-headers') ?? '*',
    'access-control-allow-credentials': 'true',
  }
}
