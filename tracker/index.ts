/**
 * The browser tracker. This file only wires the modules. README.md describes where to add one.
 */
import { guarded } from './api.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { endLoading, experiment, runExperiments } from './experiments.ts'
import { watchForms } from './forms.ts'
import { identify } from './identify.ts'
import { anonymousId, identifiedId } from './identity.ts'
import { watchImpressions } from './impressions.ts'
import { restartView, runAll, watchVisibility, whenReady, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { pageTitle } from './page.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { isPrintOnly } from './send.ts'
import { dataset, isOn, readSettings } from './settings.ts'
import { hasOptedOut, read, removeConsent, requireConsent, storeConsent } from './storage.ts'
import { watchTime } from './time-on-page.ts'
import { setProperties, track } from './track.ts'
import { watchVitals } from './vitals.ts'

/** Our script element. `document.currentScript` is null for an ES module, so then the page is searched. */
const script = document.currentScript || document.querySelector('script[src*="/tracker"]')

/** Elements that wait for an experiment are shown after this time at the latest (contract T2). */
const LOADING_MS = 3000

function page(name?: unknown): void {
  track('page_view', { page: (typeof name === 'string' && name) || pageTitle() })
}

/** Runs for each route: when the page is ready, and in SPA mode after each change of the route. */
function beginRoute(): void {
  runAll([page, checkNotFound, watchImpressions, () => whenShown(runExperiments)])
}

/** Runs when the route of a single-page application has changed, before anything of the new route. */
function endRoute(): void {
  restartView()
  flush()
}

let isRunning = false

const methods: Record<string, (...args: never[]) => unknown> = {
  track,
  page,
  identify,
  set: setProperties,
  experiment,
  getIdentity: () => ({ anonymousId: anonymousId(), userId: identifiedId() }),
  requireConsent,
  grantConsent() {
    if (read('consent') === 'granted') return
    storeConsent()
    track('$consent', { action: 'granted' })
    flush()
    runExperiments()
  },
  revokeConsent() {
    removeConsent()
    clear()
  },
}

/** The modules that an attribute `data-track-…` switches on. */
const options: Record<string, () => void> = {
  Errors: watchErrors,
  Forms: watchForms,
  Performance: watchPerformance,
  Vitals: watchVitals,
  ScrollDepth: watchScroll,
}

function start(): void {
  readSettings(script as HTMLScriptElement)
  const mustStop = (isOn('doNotTrack') && navigator.doNotTrack === '1') || hasOptedOut()
  if (mustStop || isPrintOnly()) endLoading()
  if (mustStop) return
  isRunning = true
  if (!dataset.token) console.warn('No data-token: events are refused.')
  runAll([receiveLink, watchClicks, watchTime])
  for (const name in options) if (isOn(`track${name}`)) guarded(options[name]!)()
  whenReady(() => {
    beginRoute()
    if (isOn('trackSpa')) watchRoutes(endRoute, beginRoute)
  })
  // After `whenReady`, so that a page view that is recorded when the page is left is sent.
  watchVisibility()
}

// A second copy of the script does nothing. The methods do nothing until `start` finds that it may track, so a page may
// call every method in any case. They return null instead of throwing.
if (!window.aa?.installed) {
  const api: Record<string, unknown> = { installed: true }
  for (const name in methods)
    api[name] = (...args: unknown[]) => (isRunning && guarded(methods[name]!)(...(args as never[]))) || null
  window.aa = api as unknown as Api
  setTimeout(endLoading, LOADING_MS)
  guarded(start)()
}
