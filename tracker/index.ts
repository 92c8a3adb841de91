/**
 * The browser tracker. This file only wires the modules. README.md describes where to add one.
 */

import { attempt } from './api.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { endLoading, experiment, runExperiments } from './experiments.ts'
import { watchForms } from './forms.ts'
import { identify } from './identify.ts'
import { anonymousId, identifiedId } from './identity.ts'
import { watchImpressions } from './impressions.ts'
import { endWait, later, settle } from './later.ts'
import { restartView, runAll, runWhen, watchVisibility, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { awaitTitle, settleRoute, watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { dataset, isOn, readSettings } from './settings.ts'
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
  runAll([page, checkNotFound, watchImpressions, () => whenShown(runExperiments)])
}

/** Runs when the route of a single-page application has changed, before anything of the new route. */
function endRoute(): void {
  restartView()
  flush()
}

/** Runs once, when the document is parsed, or when the user leaves it earlier. */
function beginPage(): void {
  endWait()
  beginRoute()
  if (isOn('trackSpa')) watchRoutes(endRoute, beginRoute)
}

/**
 * Returns our script element. `document.currentScript` is null for a module, and a page may replace it. The
 * element with a token is surely ours, and it may have any address.
 */
function findScript() {
  return (
    (attempt(() => document.currentScript) as HTMLScriptElement | null) ||
    document.querySelector<HTMLScriptElement>('script[src][data-token]')
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

/**
 * The modules that an attribute `data-track-…` switches on, and that need not see the first moments of the
 * page.
 */
const options: Record<string, () => void> = {
  Forms: watchForms,
  Performance: watchPerformance,
  Vitals: watchVitals,
  ScrollDepth: watchScroll,
}

function start(): void {
  const script = findScript()
  if (!script?.src) {
    console.warn('window.aa does nothing')
    return
  }
  readSettings(script)
  if (isOn('doNotTrack') && navigator.doNotTrack === '1') {
    endLoading()
    return
  }
  isRunning = true
  if (!dataset.token) console.warn('No data-token')
  runAll([receiveLink, watchClicks])
  if (isOn('trackErrors')) attempt(watchErrors)
  later(watchTime)
  for (const name in options) if (isOn(`track${name}`)) later(options[name]!)
  watchVisibility()
  awaitTitle(beginPage)
  runWhen(document.readyState === 'loading', 'DOMContentLoaded', () => {
    later(() => settleRoute())
    setTimeout(settle)
  })
}

// A second copy of the script does nothing. The methods do nothing until `start` finds that it may track, so
// a page may call every method in any case. They return null instead of throwing. `track`, `page` and `set`
// read no storage, because pages call them while they load: an event of a user who has opted out is dropped
// later.
if (!window.aa?.installed) {
  const api: Record<string, unknown> = { installed: true }
  for (const name in methods)
    api[name] = (...args: unknown[]) =>
      (isRunning &&
        (/track|page|set/.test(name) || !hasOptedOut()) &&
        attempt(methods[name]!, ...(args as never[]))) ||
      null
  window.aa = api as unknown as Api
  setTimeout(endLoading, LOADING_MS)
  attempt(start)
}
