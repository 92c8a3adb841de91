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
  let cls: number | undefined
  let series: number
  let seriesStart = 0
  let lastShift = 0
  /** The longest event of each interaction, ms. */
  let interactions: Record<number, number>

  const readers: Record<string, (entry: Entry) => void> = {
    'largest-contentful-paint'({ startTime }) {
      // A prerendered page is painted before it is shown.
      lcp = Math.max(0, (startTime - (navigationTiming().activationStart || 0)) | 0)
    },
    'layout-shift'({ startTime, value, hadRecentInput }) {
      if (hadRecentInput) return
      if (startTime - lastShift > SHIFT_GAP_MS || startTime - seriesStart > SHIFT_SERIES_MS) {
        seriesStart = startTime
        series = 0
      }
      lastShift = startTime
      series += value
      cls = Math.max(cls!, Math.round(series * 1000) / 1000)
    },
    event({ interactionId, duration }) {
      if (interactionId) interactions[interactionId] = Math.max(duration, interactions[interactionId] || 0)
    },
  }
  const readAll = (entries: PerformanceEntry[]) => {
    for (const entry of entries) readers[entry.entryType]!(entry as Entry)
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
      cls = PerformanceObserver.supportedEntryTypes.includes('layout-shift') ? 0 : undefined
      series = 0
      interactions = {}
    },
  )
  for (const type in readers)
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
}
