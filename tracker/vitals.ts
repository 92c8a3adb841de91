import { reportOnce } from './lifecycle.ts'
import { navigationTiming } from './performance.ts'
import { track } from './track.ts'

/**
 * The fields of performance entries that TypeScript does not know yet, of all types that are observed here.
 */
type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; interactionId: number }

/**
 * A series of layout shifts ends after a second without one, and after five seconds (web.dev/articles/cls),
 * ms.
 */
const SHIFT_GAP_MS = 1000
const SHIFT_SERIES_MS = 5000
/** The worst interaction of each 50 is left out, which gives the 98th percentile. */
const IGNORED_PER = 50

/**
 * Sends `$web_vitals` once for each page or route, when it is hidden. Vitals that the browser lacks are left
 * out.
 */
export function watchVitals(): void {
  let lcp: number | undefined
  let cls: unknown
  let series: number
  let seriesStart = 0
  let lastShift = 0
  /** The longest event of each interaction, ms. */
  let interactions: Record<number, number>

  const readAll = (entries: PerformanceEntry[]) => {
    for (const { startTime, duration, value, hadRecentInput, interactionId } of entries as Entry[]) {
      // Shifts alone have a value, and events alone a duration. Those of interactions have an id, too.
      if (value >= 0) {
        if (!hadRecentInput) {
          if (!(startTime - lastShift < SHIFT_GAP_MS && startTime - seriesStart < SHIFT_SERIES_MS)) {
            seriesStart = startTime
            series = 0
          }
          lastShift = startTime
          series += value
          cls = Math.max(cls as number, Math.round(series * 1000) / 1000)
        }
      } else if (interactionId)
        interactions[interactionId] = Math.max(duration, interactions[interactionId] || 0)
      // A prerendered page is painted before it is shown.
      else if (!duration) lcp = Math.max(0, (startTime - (navigationTiming().activationStart || 0)) | 0)
    }
  }

  const observer = new PerformanceObserver(list => readAll(list.getEntries()))
  reportOnce(
    () => {
      readAll(observer.takeRecords())
      const durations = Object.values(interactions).sort((a, b) => b - a)
      const cwv_inp = durations[(durations.length / IGNORED_PER) | 0]
      track('$web_vitals', { cwv_lcp: lcp, cwv_cls: cls, cwv_inp })
    },
    () => {
      lcp = undefined
      // A browser that knows shifts has seen none so far.
      cls = (window as { LayoutShift?: unknown }).LayoutShift && 0
      series = 0
      interactions = {}
    },
  )
  for (const type of ['largest-contentful-paint', 'layout-shift', 'event'])
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
}
