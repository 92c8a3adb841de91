import { ApiError } from '#core/errors'
import type { OutboundClient } from '#core/outbound/outbound-client'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import type { Clock } from '#core/ports'
import { createSiteFetcher, PageError, type SiteFetcher, type Unread } from '#scanner/fetch/fetch-site'
import type { SiteFindings } from '#scanner/read/findings'
import type { FetchedPage } from '#scanner/types'
import { unwatched, type Watch } from '#scanner/watch'
import type { Renderer } from './render.ts'
import type { Rendering, ScanCoverage, ScanFailure, ScanStage } from './scan.ts'

/** Which site to read: the addresses of its first page, in the order in which they are tried. */
export type SiteVisit = {
  url: string
  addresses: readonly string[]
  depth: 'preview' | 'full'
  /** Nobody with an account has asked for it. */
  isAnonymous: boolean
}

/** What the pages of a site say, and which were read; or why there is nothing. */
export type VisitedSite = { findings: SiteFindings; coverage: ScanCoverage } | { failure: ScanFailure }

export type VisitOptions = {
  /** Ends the visit, which then rejects with its reason. */
  signal?: AbortSignal | undefined
  /** Is called when the visit does something else from now on. */
  onStage?: (stage: ScanStage) => Promise<unknown>
  /** Who watches the work on the pages; default: nobody. */
  watch?: Watch
}

/**
 * Fetches, renders and reads the pages of one site. Everything that strangers have written is handled behind
 * this: on AWS in a function without any right.
 */
export type SiteVisitor = {
  /** Rejects for a bug, and when the signal ends it. */
  visit(visit: SiteVisit, options?: VisitOptions): Promise<VisitedSite>
}

export type SiteVisitorServices = {
  client: OutboundClient
  /** Null: no browser belongs to this deployment. */
  renderer: Renderer | null
  /** Gives the reader of one site, which reads each page once. Each page is a piece of work of its own. */
  openReader(watch: Watch): (pages: readonly FetchedPage[]) => SiteFindings
  clock: Pick<Clock, 'sleep' | 'deadline'>
}

/** The time of a visit, ms. What is not read then is left out. */
export const VISIT_MS = { preview: 40_000, full: 135_000 } as const
/** Pages of a visit that are rendered. Each takes seconds and hundreds of MB. */
const MAX_RENDERED = { preview: 1, full: 6 } as const
const MAX_UNREAD = 50

/** The visitor that works in this process, with a browser beside it. */
export function createSiteVisitor({ client, renderer, openReader, clock }: SiteVisitorServices): SiteVisitor {
  return {
    async visit(visit, { signal: stopping, onStage = async () => {}, watch = unwatched } = {}) {
      const deadline = clock.deadline(VISIT_MS[visit.depth])
      const signal = stopping === undefined ? deadline : AbortSignal.any([deadline, stopping])
      try {
        return await read(visit, signal, { onStage, watch })
      } catch (error) {
        const failure = stopping?.aborted ? null : failureOf(visit, error)
        if (failure === null) throw error
        return { failure }
      }
    },
  }

  async function read(
    { addresses, depth, isAnonymous }: SiteVisit,
    signal: AbortSignal,
    { onStage, watch }: Required<Pick<VisitOptions, 'onStage' | 'watch'>>,
  ): Promise<VisitedSite> {
    const fetcher = createSiteFetcher({ client, clock, watch }, signal)
    const reader = openReader(watch)
    const readPages = (pages: readonly FetchedPage[]) => watch(() => reader(pages))
    await onStage('fetching')
    const show = async (pages: readonly FetchedPage[], limit: number): Promise<ShownPages> => {
      const shells = shellsOf(pages, readPages(pages))
      const asFetched = { pages, notRendered: [], unread: [] }
      if (shells.length === 0) return { ...asFetched, rendering: 'not_needed' }
      const refusal = renderer === null ? 'not_available' : await renderer.refusal(isAnonymous)
      if (renderer === null || refusal !== null) {
        const notRendered = refusal === 'no_sandbox' ? shells.map(withoutSandbox) : []
        return { ...asFetched, notRendered, rendering: refusal ?? 'not_available' }
      }
      await onStage('rendering')
      return showShells(renderer, pages, shells.slice(0, limit), signal)
    }
    const firstPages = [await fetcher.fetchFirst(addresses)]
    let shown = await show(firstPages, 1)
    if (depth === 'full') {
      // The links of the first page lead to the others. So a browser that could not show it tries once more:
      // it may have failed because the machine was busy.
      if (shown.rendering === 'failed') shown = await show(firstPages, 1)
      const further = await fetchFurther(fetcher, shown.pages[0] as FetchedPage, readPages(shown.pages))
      const ofFurther = await show(further.pages, MAX_RENDERED.full - 1)
      shown = joined(shown, { ...ofFurther, unread: [...further.unread, ...ofFurther.unread] })
    }
    await onStage('reading')
    return { findings: readPages(shown.pages), coverage: coverageOf(shown) }
  }
}

/** Pages that show nothing until their scripts have run. */
function shellsOf(pages: readonly FetchedPage[], findings: SiteFindings): FetchedPage[] {
  const paths = new Set(findings.pages.filter(({ isShell }) => isShell).map(({ path }) => path))
  return pages.filter(page => !page.rendered && paths.has(new URL(page.finalUrl).pathname))
}

function withoutSandbox({ finalUrl }: FetchedPage): Unread {
  return {
    url: finalUrl,
    reason:
      'not rendered: the browser of this service has no sandbox, so it opens pages for accounts only. Sign in, and start the analysis again',
  }
}

/** Pages after a browser has shown those that need it. */
type ShownPages = {
  pages: readonly FetchedPage[]
  rendering: Rendering
  /** Pages that the browser could not show. They are in `pages` as they were fetched. */
  notRendered: readonly Unread[]
  /** What else could not be reached. */
  unread: readonly Unread[]
}

/** Returns the pages, with what a browser makes of the shells in their place. */
async function showShells(
  renderer: Renderer,
  pages: readonly FetchedPage[],
  shells: readonly FetchedPage[],
  signal: AbortSignal,
): Promise<ShownPages> {
  const urls = shells.map(({ finalUrl }) => finalUrl)
  const { pages: rendered, unsent } = await renderer.render(urls, signal)
  const notRendered: Unread[] = []
  let rendering: Rendering = 'failed'
  const shown = pages.map(page => {
    const result = shells.includes(page) ? rendered.get(page.finalUrl) : undefined
    if (result === undefined) return page
    if ('problem' in result) {
      notRendered.push({ url: page.finalUrl, reason: `not rendered: ${result.problem}` })
      return page
    }
    rendering = 'used'
    return { ...page, ...result, rendered: true }
  })
  return { pages: shown, rendering, notRendered, unread: unsent }
}

function joined(first: ShownPages, further: ShownPages): ShownPages {
  const isDecided = first.rendering === 'used' || further.rendering === 'not_needed'
  return {
    pages: [...first.pages, ...further.pages],
    rendering: isDecided ? first.rendering : further.rendering,
    notRendered: [...first.notRendered, ...further.notRendered],
    unread: [...first.unread, ...further.unread],
  }
}

function fetchFurther(fetcher: SiteFetcher, first: FetchedPage, { actions }: SiteFindings) {
  // Addresses of the site that its own links and buttons lead to, the surest first.
  const telling = actions
    .filter(({ isExternal, target }) => !isExternal && target !== null)
    .toSorted((a, b) => b.certainty - a.certainty)
    .map(({ target }) => target as string)
  return fetcher.fetchFurther(first, telling)
}

function coverageOf({ pages, rendering, notRendered, unread }: ShownPages): ScanCoverage {
  return {
    pages: pages.map(({ finalUrl, status, rendered }) => ({ url: finalUrl, status, rendered })),
    not_reached: [...notRendered, ...unread].slice(0, MAX_UNREAD),
    rendering,
  }
}

/** What the caller learns of an error; null: it is our bug. */
function failureOf({ url }: SiteVisit, error: unknown): ScanFailure | null {
  if (error instanceof ApiError && error.code === 'INVALID_URL') {
    return { code: 'INVALID_URL', reason: error.message }
  }
  if (error instanceof PageError) {
    return {
      code: 'SCAN_FAILED',
      reason: `The page ${url} cannot be analysed: ${error.message}. Check the address, then start another analysis.`,
    }
  }
  if (error instanceof OutboundFailure) {
    return {
      code: 'SCAN_FAILED',
      reason: `The page ${url} cannot be fetched. ${error.message} Check the address, then start another analysis.`,
    }
  }
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? { code: 'SCAN_FAILED', reason: `The page ${url} took too long. Start another analysis later.` }
    : null
}
