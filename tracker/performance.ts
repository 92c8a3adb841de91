import { guarded } from './api.ts'
import { runWhen } from './lifecycle.ts'
import { track } from './track.ts'

/** Returns the browser's record of how this document was loaded. */
export function navigationTiming() {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming & {
    activationStart?: number
  }
}

/**
 * Sends `$performance` once, after the page is loaded: durations and times since the start of the navigation,
 * whole ms.
 */
export function watchPerformance(): void {
  runWhen(document.readyState !== 'complete', 'load', () =>
    // The end of the load event is known after it.
    setTimeout(
      guarded(() => {
        const timing = navigationTiming()
        track('$performance', {
          perf_dns: (timing.domainLookupEnd - timing.domainLookupStart) | 0,
          perf_tcp: (timing.connectEnd - timing.connectStart) | 0,
          perf_ttfb: timing.responseStart | 0,
          perf_dom_interactive: timing.domInteractive | 0,
          perf_dom_complete: timing.domComplete | 0,
          perf_load: timing.loadEventEnd | 0,
        })
      }),
    ),
  )
}
