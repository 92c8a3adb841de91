import { guarded, listen } from './api.ts'
import { routeProperties } from './page.ts'
import { track } from './track.ts'

/** Returns the browser's record of how this document was loaded. */
export function navigationTiming() {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming & {
    activationStart?: number
  }
}

/** Sends `$performance` once, after the page is loaded: durations and times since the start of the navigation, ms. */
export function watchPerformance(): void {
  const report = () => {
    const timing = navigationTiming()
    const times: Record<string, number> = {
      dns: timing.domainLookupEnd - timing.domainLookupStart,
      tcp: timing.connectEnd - timing.connectStart,
      ttfb: timing.responseStart,
      dom_interactive: timing.domInteractive,
      dom_complete: timing.domComplete,
      load: timing.loadEventEnd,
    }
    const properties: Record<string, unknown> = { path: routeProperties().path }
    for (const name in times) properties[`perf_${name}`] = Math.round(times[name]!)
    track('$performance', properties)
  }
  // The end of the load event is known after it.
  const afterLoad = () => setTimeout(guarded(report))
  if (document.readyState === 'complete') afterLoad()
  else listen(window, 'load', afterLoad)
}
