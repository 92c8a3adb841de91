/**
 * The browser tracker. This file only wires the modules. README.md describes where to add one.
 */
import { guarded, installApi } from './api.ts'
import { storeCampaign } from './attribution.ts'
import { watchClicks } from './clicks.ts'
import { watchErrors } from './errors.ts'
import { endLoading, experiment, runExperiments } from './experiments.ts'
import { watchForms } from './forms.ts'
import { identify } from './identify.ts'
import { anonymousId, identifiedId } from './identity.ts'
import { watchImpressions } from './impressions.ts'
import { onRestart, reportIfShown, runAll, watchVisibility, whenReady, whenShown } from './lifecycle.ts'
import { receiveLink } from './linking.ts'
import { watchRoutes } from './navigation.ts'
import { checkNotFound } from './not-found.ts'
import type { Api } from './npm/index.d.ts'
import { routeProperties } from './page.ts'
import { watchPerformance } from './performance.ts'
import { clear, flush } from './queue.ts'
import { watchScroll } from './scroll.ts'
import { isPrintOnly } from './send.ts'
import { dataset, isOn, readSettings } from './settings.ts'
import { hasOptedOut, isHeld, read, requireConsent, storeConsent, write } from './storage.ts'
import { watchTime } from './time-on-page.ts'
import { setProperties, settleRoute, track } from './track.ts'
import { watchVitals } from './vitals.ts'

/** Our script element. `document.currentScript` is null for an ES module, so then the page is searched. */
const script = document.currentScript || document.querySelector('script[data-token][src*="/tracker"]')

/** Elements that wait for an experiment are shown after this time at the latest (contract T2). */
const LOADING_MS = 3000

function page(name?: unknown): void {
  track('page_view', { page: typeof name === 'string' && name ? name : routeProperties().title })
}

/** Runs for each route: when the page is ready, and in SPA mode after each change of the route. */
function beginRoute(): void {
  page()
  if (isOn('track-404')) checkNotFound()
  watchImpressions()
  whenShown(runExperiments)
}

/** Runs when the route of a single-page application has changed, before anything of the new route. */
function endRoute(): void {
  reportIfShown()
  flush()
  runAll(onRestart)
  storeCampaign(location.search)
}

const methods: Omit<Api, 'installed'> = {
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
    requireConsent()
    write('consent', null)
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
  if ((isOn('doNotTrack') && navigator.doNotTrack === '1') || hasOptedOut()) {
    endLoading()
    return
  }
  if (!dataset.token) console.warn('The tracker has no data-token, so its events are refused.')
  activateApi!()
  if (isHeld() || isPrintOnly()) endLoading()
  setTimeout(endLoading, LOADING_MS)
  whenShown(() => storeCampaign(location.search))
  runAll([receiveLink, watchClicks, watchTime])
  for (const name in options) if (isOn(`track${name}`)) guarded(options[name]!)()
  whenReady(() => {
    beginRoute()
    if (isOn('trackSpa')) watchRoutes(endRoute, beginRoute)
  })
  // After `whenReady`, so that a page view that is recorded when the page is left is sent.
  watchVisibility(() => {
    settleRoute()
    flush()
  })
}

const activateApi = installApi(methods)
if (activateApi && guarded(start)() === null) endLoading()
