/** A page after its scripts have run. */
export type RenderedPage = { finalUrl: string; html: string }

/**
 * Runs the scripts of pages in a browser of its own process, whose requests all go through the guarded
 * client. `open` gives a browser for one analysis.
 */
export type Renderer = {
  /** Whether there is a browser on this machine. */
  isAvailable(): Promise<boolean>
  /**
   * Renders the pages, one after the other. A page that gives nothing is left out. Rejects with the signal's
   * reason.
   */
  render(urls: readonly string[], signal: AbortSignal): Promise<Map<string, RenderedPage>>
}
