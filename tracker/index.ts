/**
 * The browser tracker: this file only wires the modules. What listens to the page beside page views (clicks, vitals,
 * single-page navigation …) becomes a module of its own that is given `track`; see README.md for the places.
 */
import { type Api, guarded, inertApi } from './api.ts'
import { keepCampaign } from './attribution.ts'
import { type Config, isLocalHost, readConfig } from './config.ts'
import { readIdentity } from './identity.ts'
import { whenLeft, whenReady, whenShown } from './lifecycle.ts'
import { pageTitle } from './page.ts'
import { createQueue, type Item } from './queue.ts'
import { createRecorder } from './recorder.ts'
import { toRequests } from './requests.ts'
import { send } from './send.ts'
import { isDisabled, openStore } from './storage.ts'

declare global {
  interface Window {
    aa?: Api
  }
}

/** The element that loads us. A loader that runs us as something else than a classic script leaves it to be found. */
function ownScript(): HTMLScriptElement | null {
  const current = document.currentScript
  return current instanceof HTMLScriptElement
    ? current
    : document.querySelector<HTMLScriptElement>('script[data-token][src*="/tracker."]')
}

function start(config: Config, api: Api): void {
  if (config.doNotTrack && navigator.doNotTrack === '1') return
  const localStore = () => window.localStorage
  const local = openStore(localStore, config.token)
  const tab = openStore(() => window.sessionStorage, config.token)
  const disabled = () => isDisabled(local, localStore)
  if (disabled()) return

  const recorder = createRecorder(config, local, tab)
  const queue = createQueue(items => {
    if (!disabled()) send(config.endpoint, toRequests(items))
  })
  const printOnly = isLocalHost(location.hostname) && !config.sendFromLocalhost
  const deliver = printOnly ? (item: Item) => console.log('[aa-dev]', item.event, item) : queue.add

  const recordNow = guarded((event: unknown, properties: unknown) => {
    const item = disabled() ? null : recorder.record(event, properties)
    if (item) deliver(item)
  }, undefined)

  function track(event: unknown, properties?: unknown): void {
    whenShown(() => recordNow(event, properties))
  }

  function page(name?: unknown): void {
    track('page_view', { page: typeof name === 'string' && name ? name : pageTitle() })
  }

  if (config.requireConsent) queue.hold()
  whenShown(() => keepCampaign(local, tab, location.search))
  api.track = guarded(track, undefined)
  api.page = guarded(page, undefined)
  api.set = guarded(recorder.set, undefined)
  api.getIdentity = guarded(() => readIdentity(local), null)
  api.requireConsent = queue.hold

  whenReady(guarded(() => page(), undefined))
  whenLeft(guarded(queue.flush, undefined))
}

if (!window.aa?.installed) {
  const api = inertApi()
  window.aa = api
  const script = ownScript()
  const config = script && readConfig(script)
  if (config) guarded(start, undefined)(config, api)
}
