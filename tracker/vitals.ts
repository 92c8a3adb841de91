import { onHide, onRestart } from './lifecycle.ts'
import { routeProperties } from './page.ts'
import { navigationTiming } from './performance.ts'
import { track } from './track.ts'

/** The fields of performance entries that TypeScript does not know yet, of all kinds that are observed here. */
type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; interactionId: number }

/** A series of layout shifts ends after a second without one, and after five seconds (web.dev/articles/cls), ms. */
const SHIFT_GAP_MS = 1000
const SHIFT_SERIES_MS = 5000
/** The worst interaction of each 50 is left out, which gives the 98th percentile. */
const IGNORED_PER = 50

/** Sends `$web_vitals` once for each page or route, when it is hidden. Vitals that the browser lacks are left out. */
export function watchVitals(): void {
  let lcp: number | undefined
  let cls: number | undefined
  let series = 0
  let seriesStart = 0
  let lastShift = 0
  /** The longest event of each interaction, ms. */
  const interactions = new Map<number, number>()
  let isSent = false
  const flushes: (() => void)[] = []

  /** Returns 0 when the browser knows this type of entry, and else undefined. */
  function observe(type: string, handle: (entry: Entry) => void): 0 | undefined {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return
    const handleAll = (entries: PerformanceEntry[]) => (entries as Entry[]).forEach(handle)
    const observer = new PerformanceObserver(list => handleAll(list.getEntries()))
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
    flushes.push(() => handleAll(observer.takeRecords()))
    return 0
  }

  observe('largest-contentful-paint', ({ startTime }) => {
    // A prerendered page is painted before it is shown.
    lcp = Math.max(0, Math.round(startTime - (navigationTiming().activationStart || 0)))
  })
  observe('event', ({ interactionId, duration }) => {
    if (interactionId)
      interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) || 0))
  })
  const noShift = observe('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (hadRecentInput) return
    if (startTime - lastShift > SHIFT_GAP_MS || startTime - seriesStart > SHIFT_SERIES_MS) {
      seriesStart = startTime
      series = 0
    }
    lastShift = startTime
    series += value
    cls = Math.max(cls!, Math.round(series * 1000) / 1000)
  })
  cls = noShift

  onHide.push(() => {
    if (isSent) return
    isSent = true
    for (const flush of flushes) flush()
    const durations = [...interactions.values()].sort((a, b) => b - a)
    track('$web_vitals', {
      path: routeProperties().path,
      cwv_lcp: lcp,
      cwv_cls: cls,
      cwv_inp: durations[Math.floor(durations.length / IGNORED_PER)],
    })
  })
  onRestart.push(() => {
    isSent = false
    lcp = undefined
    cls = noShift
    series = 0
    interactions.clear()
  })
}
