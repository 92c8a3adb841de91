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
import { hideView, isVisible, restartView, runWhen, showView, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { routeHref, watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { IS_FULL } from './parts.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush, watchNetwork } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { endpoint, isOn, readSettings } from './settings.ts'
import { consent, forget, hasOptedOut, read, removeConsent, requireConsent, storeConsent } from './storage.ts'
import { watchTime } from './time-on-page.ts'
import { clearProperties, setProperties, track } from './track.ts'
import { watchVitals } from './vitals.ts'

/** Elements that wait for an experiment are shown after this time at the latest (T2). */
const LOADING_MS = 3000

function page(name?: unknown, since?: number): void {
  track('page_view', typeof name === 'string' && name && { page: name }, since)
}

/** Counts a route: when the page is ready, and in SPA mode when the route has its title. */
function viewRoute(since?: number): void {
  if (IS_FULL) runAll([() => page(0, since), checkNotFound])
  else page(0, since)
}

/** Looks for what the page of a route has: when it is ready, and in SPA mode just after each change. */
function readRoute(): void {
  if (IS_FULL) runAll([watchImpressions, () => whenShown(runExperiments)])
}

/** Runs once, when the document is parsed, or when the user leaves it earlier. */
function beginPage(): void {
  if (isReady || routeHref) return
  endWait()
  viewRoute()
  readRoute()
  if (isOn('trackSpa') || (IS_FULL && isOn('trackHash'))) watchRoutes(viewRoute, readRoute)
}

/**
 * Watches when the page is hidden and shown. Sends what waits after each hiding, and when the page may be
 * about to close.
 */
function watchView({ type }: Event): void {
  const isShown = isVisible() && type !== 'pagehide'
  if (IS_FULL) isShown ? showView() : hideView()
  if (isShown && type !== 'beforeunload') return
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
  experiment: IS_FULL ? experiment : () => {},
  getIdentity: () => ({ anonymousId: anonymousId(), userId: identifiedId() }),
  requireConsent,
  grantConsent() {
    if (read('consent') === 'granted') return
    storeConsent()
    track('$consent', { action: 'granted' })
    flush()
    if (IS_FULL) runExperiments()
  },
  consent,
  revokeConsent() {
    clear()
    forgetPerson()
    removeConsent()
  },
  // What was seen so far belongs to the person who signs out.
  reset() {
    if (IS_FULL) restartView()
    flush()
    forgetPerson()
  },
}

/** The next event is of another person. */
function forgetPerson(): void {
  forget()
  clearProperties()
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
  if (!endpoint) {
    if (IS_FULL) endLoading()
    return
  }
  if (IS_FULL) {
    runAll([receiveLink, watchClicks, watchNetwork])
    if (isOn('trackErrors')) attempt(watchErrors)
    later(watchTime)
    for (const name in options) if (isOn(`track${name}`)) later(options[name]!)
  }
  listen('visibilitychange pagehide pageshow beforeunload', watchView)
  runWhen(document.readyState === 'loading', 'DOMContentLoaded', () => {
    later(beginPage)
    setTimeout(settle)
  })
}

/**
 * `window.footfall`, and `window.aa` where the name is free. A call of it is kept in `queue`: Algolia's
 * snippet takes the function that stands at `aa`, and its library reads what was called from there.
 */
const api: { queue?: unknown[]; (...call: unknown[]): void } & Partial<Api> = (...call) => {
  api.queue ||= []
  api.queue.push(call)
}

// A second copy of the script does nothing. The methods do nothing until `start` finds that it may track, so
// a page may call every method in any case. They return null instead of throwing. `track`, `page` and `set`,
// which are the names without a sixth letter, read no storage, because pages call them while they load: an
// event of a user who has opted out is dropped later.
if ((window.footfall as typeof api | undefined)?.call) console.warn('Second tag ignored')
else {
  for (const name in methods) {
    const method = methods[name]!
    ;(api as unknown as typeof methods)[name] = (...args) =>
      (endpoint && !(name[5] && hasOptedOut()) && attempt(method, ...args)) || null
  }
  window.footfall = api as Api
  const script = findScript()
  // The address of a document that is no page of a site tells what is on the user's disk (`file:`), or is the
  // document (`data:`). So the tracker runs there only in an app that has such pages on purpose.
  if (/^http/.test(location.href) || (IS_FULL && script?.dataset.app === 'true'))
    attempt(readSettings, script)
  // What is there may be an element with this id, which the page did not mean.
  const taken = window.aa as Node | undefined
  if (!taken || taken.nodeType) window.aa = api as Api
  later(() => window.aa === api || console.warn('aa is taken: use footfall'))
  if (IS_FULL) setTimeout(endLoading, LOADING_MS)
  attempt(start)
}
