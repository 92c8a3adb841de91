import { forEachConcurrent } from '#core/async/concurrency'
import { ApiError } from '#core/errors'
import { decodeBody } from '#core/outbound/decode-body'
import type { OutboundClient, OutboundResponse } from '#core/outbound/outbound-client'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import type { Clock } from '#core/ports'
import type { FetchedPage } from '#scanner/types'
import { unwatched, type Watch } from '#scanner/watch'
import { choosePages, isSameSite } from './choose-pages.ts'
import { decodeHtml } from './decode-html.ts'
import { linksOf } from './links.ts'
import { ALLOW_ALL, ALLOW_NOTHING, MAX_ROBOTS_BYTES, parseRobots, type Robots } from './robots.ts'
import { MAX_SITEMAP_BYTES, parseSitemap } from './sitemap.ts'

/** An address of the site that was not read, and why, in words for the reader of the answer. */
export type Unread = { url: string; reason: string }

/** Name of the robot in robots.txt. */
export const ROBOT = 'FootfallScan'
/** Pages that a full analysis reads beside the first one. */
export const MAX_FURTHER_PAGES = 25
/** Bytes of the first page and of each further one that are read, unpacked; the rest of a page is cut. */
const FIRST_PAGE_BYTES = 6_000_000
const FURTHER_PAGE_BYTES = 2_000_000
/** Characters of all pages together: what an analysis holds in memory. */
const MAX_SITE_CHARS = 24_000_000
const FIRST_PAGE_MS = 20_000
const FURTHER_PAGE_MS = 10_000
/** Pages of one site that are fetched at the same time. */
const CONCURRENCY = 3
/** A longer delay between requests that robots.txt demands is not waited for; then fewer pages are read. */
const MAX_CRAWL_DELAY = 10
/** Sitemaps that are read: of a large site an index and its first parts. */
const MAX_SITEMAPS = 3
const PAGE_TYPES = new Set(['text/html', 'application/xhtml+xml', ''])

/** The page cannot be read. The message says why, for the caller. */
export class PageError extends Error {}

export type SiteFetcher = ReturnType<typeof createSiteFetcher>

/**
 * Fetches the pages of one site by the guarded client. Each analysis has a fetcher of its own.
 * `signal` ends everything when the time of the analysis is over.
 */
export function createSiteFetcher(
  {
    client,
    clock,
    watch = unwatched,
  }: { client: OutboundClient; clock: Pick<Clock, 'sleep'>; watch?: Watch },
  signal: AbortSignal,
) {
  /**
   * Fetches the first page: of the addresses the first that can be reached. Throws INVALID_URL, or
   * OutboundFailure or PageError when there is no page that can be read.
   */
  async function fetchFirst(addresses: readonly string[]): Promise<FetchedPage> {
    const [address = '', ...others] = addresses
    try {
      const response = await get(address, FIRST_PAGE_BYTES, FIRST_PAGE_MS)
      return watch(() => toPage(address, response))
    } catch (error) {
      const isElsewhere = error instanceof OutboundFailure && ['dns', 'connect', 'tls'].includes(error.reason)
      if (others.length === 0 || !isElsewhere) throw error
      return fetchFirst(others)
    }
  }

  /**
   * Fetches further pages of the site of `first`. `preferred`: addresses that are more telling than the
   * others, the most telling first. Never throws for a page: what was not read is in `unread`.
   */
  async function fetchFurther(
    first: FetchedPage,
    preferred: readonly string[],
  ): Promise<{ pages: FetchedPage[]; unread: Unread[] }> {
    const site = new URL(first.finalUrl)
    const robots = await fetchRobots(site)
    const links = watch(() => linksOf(first.html, first.finalUrl))
    const listed =
      links.length + preferred.length < MAX_FURTHER_PAGES * 4 ? await fetchSitemaps(site, robots) : []
    const chosen = watch(() => choosePages(site, [...preferred, ...links, ...listed], MAX_FURTHER_PAGES))
    const refused = chosen.filter(url => !watch(() => robots.isAllowed(pathOf(url))))
    const reasons = new Map(refused.map(url => [url, 'robots.txt does not allow it']))
    const pages = new Map<string, FetchedPage>()
    let chars = first.html.length
    const delay = Math.min(robots.crawlDelay, MAX_CRAWL_DELAY) * 1_000
    const allowed = chosen.filter(url => !reasons.has(url))
    await forEachConcurrent(allowed, delay > 0 ? 1 : CONCURRENCY, async url => {
      try {
        if (delay > 0) await clock.sleep(delay, signal)
        signal.throwIfAborted()
        if (chars >= MAX_SITE_CHARS)
          throw new PageError('the pages before it are as large as an analysis takes')
        const response = await get(url, FURTHER_PAGE_BYTES, FURTHER_PAGE_MS)
        const page = watch(() => toPage(url, response))
        if (!isSameSite(new URL(page.finalUrl), site)) throw new PageError('it leads to another site')
        chars += page.html.length
        pages.set(url, page)
      } catch (error) {
        reasons.set(url, reasonOf(error, signal))
      }
    })
    const unread = chosen.flatMap(url => {
      const reason = reasons.get(url)
      return reason === undefined ? [] : [{ url, reason }]
    })
    return { pages: chosen.flatMap(url => pages.get(url) ?? []), unread }
  }

  async function fetchRobots(site: URL): Promise<Robots> {
    try {
      const { status, body } = await get(`${site.origin}/robots.txt`, MAX_ROBOTS_BYTES, FURTHER_PAGE_MS)
      if (status >= 500) return ALLOW_NOTHING
      return status < 300 ? watch(() => parseRobots(Buffer.from(body).toString(), ROBOT)) : ALLOW_ALL
    } catch {
      return ALLOW_NOTHING
    }
  }

  /** Addresses of the sitemaps that robots.txt names, or of the usual one. What cannot be read has none. */
  async function fetchSitemaps(site: URL, robots: Robots): Promise<string[]> {
    const waiting = robots.sitemaps.length > 0 ? [...robots.sitemaps] : [`${site.origin}/sitemap.xml`]
    const pages: string[] = []
    for (let read = 0; read < MAX_SITEMAPS && waiting.length > 0; read++) {
      const address = waiting.shift() as string
      const url = URL.parse(address, site.href)
      if (url === null || !isSameSite(url, site)) continue
      if (!watch(() => robots.isAllowed(pathOf(url.href)))) continue
      try {
        const { status, body } = await get(url.href, MAX_SITEMAP_BYTES, FURTHER_PAGE_MS)
        if (status >= 300) continue
        const isPacked = body[0] === 0x1f && body[1] === 0x8b
        const unpacked = isPacked ? (await decodeBody(body, 'gzip', MAX_SITEMAP_BYTES)).body : body
        const sitemap = watch(() => parseSitemap(Buffer.from(unpacked).toString()))
        pages.push(...sitemap.pages)
        waiting.push(...sitemap.sitemaps.slice(0, MAX_SITEMAPS))
      } catch {
        signal.throwIfAborted()
      }
    }
    return pages
  }

  function get(url: string, maxBytes: number, timeoutMs: number): Promise<OutboundResponse> {
    const headers = {
      accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5',
      'accept-language': 'en, *;q=0.5',
    }
    return client.fetch(url, { maxBytes, timeoutMs, headers, signal })
  }

  return { fetchFirst, fetchFurther }
}

/** Throws PageError for a response that is no page. */
function toPage(url: string, { url: finalUrl, status, headers, body }: OutboundResponse): FetchedPage {
  const header = headers['content-type'] ?? ''
  const contentType = (header.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (status >= 400) throw new PageError(`the server answers with status ${status}`)
  if (status !== 200) throw new PageError(`the server answers with status ${status} and no page`)
  if (!PAGE_TYPES.has(contentType)) throw new PageError(`it is no web page but ${contentType.slice(0, 80)}`)
  return { url, finalUrl, status, contentType, html: decodeHtml(body, header), rendered: false }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'the time of the analysis was over'
  if (error instanceof PageError || error instanceof OutboundFailure) return error.message
  // A refused address says that the network behind it exists.
  if (error instanceof ApiError) return 'it leads to an address that is not public'
  throw error
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address)
  return `${pathname}${search}`
}
