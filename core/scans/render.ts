import type { Unread } from '#scanner/fetch/fetch-site'

/** A page after its scripts have run. */
export type RenderedPage = { finalUrl: string; html: string }

/** A page after its scripts have run, or why there is none, in words for the reader of the answer. */
export type Rendered = RenderedPage | { problem: string }

/**
 * Runs the scripts of pages in a browser of its own process, whose requests all go through the guarded
 * client.
 */
export type Renderer = {
  /**
   * Why the pages of a visit are not rendered, or null if they are: there is no browser on this machine, or
   * nothing holds a page that breaks out of it and anybody may have asked for the visit.
   */
  refusal(isAnonymous: boolean): Promise<'not_available' | 'no_sandbox' | null>
  /**
   * Renders pages of one site, one after the other, by their addresses. After one that gives nothing the
   * others may be missing. `unsent`: what the pages asked their site for and was not fetched. Rejects with
   * the signal's reason.
   */
  render(
    urls: readonly string[],
    signal: AbortSignal,
  ): Promise<{ pages: Map<string, Rendered>; unsent: Unread[] }>
}
