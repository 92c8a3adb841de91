/**
 * The browser tracker. This file only wires the modules. README.md describes where to add one.
 */

import { attempt, listen, runAll } from './api.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { endLoading, experiment, runExperiments } from './experiments.ts'
import { watchForms } from './forms.ts'
import { identify } from './identify.ts'
import { anonymousId, identifiedId } from './identity.ts'
import { watchImpressions } from './impressions.ts'
import { endWait, isReady, later, settle } from './later.ts'
import { hideView, isVisible, runWhen, shownSince, showView, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { endpoint, isOn, readSettings } from './settings.ts'
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

/** Runs once, when the document is parsed, or when the user leaves it earlier. */
function beginPage(): void {
  if (isReady) return
  endWait()
  beginRoute()
  if (isOn('trackSpa')) watchRoutes(beginRoute)
}

/**
 * Watches when the page is hidden and shown. Sends what waits after each hiding, and when the page may be
 * about to close.
 */
function watchView({ type }: Event): void {
  if (type !== 'pagehide' && isVisible()) showView()
  else hideView()
  if (shownSince && type !== 'beforeunload') return
  beginPage()
  flush()
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
  attempt(readSettings, findScript())
  if (!endpoint) {
    endLoading()
    return
  }
  runAll([receiveLink, watchClicks])
  if (isOn('trackErrors')) attempt(watchErrors)
  later(watchTime)
  for (const name in options) if (isOn(`track${name}`)) later(options[name]!)
  listen('visibilitychange pagehide pageshow beforeunload', watchView)
  runWhen(document.readyState === 'loading', 'DOMContentLoaded', () => {
    later(beginPage)
    setTimeout(settle)
  })
}

// A second copy of the script does nothing. The methods do nothing until `start` finds that it may track, so
// a page may call every method in any case. They return null instead of throwing. `track`, `page` and `set`,
// which are the names without a sixth letter, read no storage, because pages call them while they load: an
// event of a user who has opted out is dropped later.
if (!window.aa?.track) {
  for (const name in methods) {
    const method = methods[name]!
    methods[name] = (...args) => (endpoint && !(name[5] && hasOptedOut()) && attempt(method, ...args)) || null
  }
  window.aa = methods as unknown as Api
  setTimeout(endLoading, LOADING_MS)
  attempt(start)
}
