/**
 * The browser tracker. This file only wires the modules. README.md describes where to add one.
 */

import { guarded } from './api.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { endLoading, experiment, runExperiments, startExperiments } from './experiments.ts'
import { watchForms } from './forms.ts'
import { identify } from './identify.ts'
import { anonymousId, identifiedId } from './identity.ts'
import { watchImpressions } from './impressions.ts'
import { later, settle } from './later.ts'
import { restartView, runAll, watchVisibility, whenReady, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { isPrintOnly } from './send.ts'
import { dataset, endpoint, isOn, readSettings } from './settings.ts'
import { hasOptedOut, read, removeConsent, requireConsent, storeConsent } from './storage.ts'
import { watchTime } from './time-on-page.ts'
import { setProperties, track } from './track.ts'
import { watchVitals } from './vitals.ts'

/** Elements that wait for an experiment are shown after this time at the latest (T2). */
const LOADING_MS = 3000

function page(name?: unknown): void {
  track('page_view', typeof name === 'string' && name && { page: name })
}

/** Runs for each route: when the page is ready, and in SPA mode after each change of the route. */
function beginRoute(): void {
  runAll([page, checkNotFound, watchImpressions, () => whenShown(startExperiments)])
}

/** Runs when the route of a single-page application has changed, before anything of the new route. */
function endRoute(): void {
  restartView()
  flush()
}

/**
 * Returns our script element. `document.currentScript` is null for a module, and a page may replace it. The element with a
 * token is surely ours, and it may have any address.
 */
function findScript() {
  const find = (selector: string) => document.querySelector<HTMLScriptElement>(`script[src${selector}]`)
  return (
    (guarded(() => document.currentScript)() as HTMLScriptElement | null) ||
    find('][data-token') ||
    find('*="/tracker"')
  )
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

/** The modules that an attribute `data-track-…` switches on, and that need not see the first moments of the page. */
const options: Record<string, () => void> = {
  Forms: watchForms,
  Performance: watchPerformance,
  Vitals: watchVitals,
  ScrollDepth: watchScroll,
}

function start(): void {
  guarded(readSettings)(findScript()!)
  if (!endpoint) {
    console.warn('No script tag is found: window.aa does nothing.')
    return
  }
  const mustStop = isOn('doNotTrack') && navigator.doNotTrack === '1'
  if (mustStop || isPrintOnly()) endLoading()
  if (mustStop) return
  isRunning = true
  if (!dataset.token) console.warn('No data-token: events are refused.')
  runAll([receiveLink, watchClicks])
  later(watchTime)
  if (isOn('trackErrors')) guarded(watchErrors)()
  for (const name in options) if (isOn(`track${name}`)) later(options[name]!)
  whenReady(() => {
    beginRoute()
    if (isOn('trackSpa')) watchRoutes(endRoute, beginRoute)
    setTimeout(settle)
  })
  // After `whenReady`, so that a page view that is recorded when the page is left is sent.
  watchVisibility()
}

// A second copy of the script does nothing. The methods do nothing until `start` finds that it may track, so a page may
// call every method in any case. They return null instead of throwing. `track`, `page` and `set` read no storage, because
// pages call them while they load: an event of a user who has opted out is dropped later.
if (!window.aa?.installed) {
  const api: Record<string, unknown> = { installed: true }
  for (const name in methods)
    api[name] = (...args: unknown[]) =>
      (isRunning &&
        (/track|page|set/.test(name) || !hasOptedOut()) &&
        guarded(methods[name]!)(...(args as never[]))) ||
      null
  window.aa = api as unknown as Api
  setTimeout(endLoading, LOADING_MS)
  guarded(start)()
}
