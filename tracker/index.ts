/**
 * The browser tracker. This file only wires the modules. A new listener (clicks, vitals, single-page navigation) becomes a
 * module of its own that receives `track`. README.md describes where to add it.
 */
import { type Api, guarded, inertApi } from './api.ts'
import { storeCampaign } from './attribution.ts'
import { type Config, isLocalHost, readConfig } from './config.ts'
import { readIdentity } from './identity.ts'
import { onLeave, whenReady, whenShown } from './lifecycle.ts'
import { pageTitle } from './page.ts'
import { createQueue, type QueuedEvent } from './queue.ts'
import { createRecorder } from './recorder.ts'
import { toRequests } from './requests.ts'
import { send } from './send.ts'
import { isDisabled, openStore } from './storage.ts'

declare global {
  interface Window {
    aa?: Api
  }
}

/** Returns our script element. `document.currentScript` is null for an ES module, so then it searches the page. */
function findOwnScript(): HTMLScriptElement | null {
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
  const hasOptedOut = () => isDisabled(local, localStore)
  if (hasOptedOut()) return

  const recorder = createRecorder(config, local, tab)
  const queue = createQueue(events => {
    if (!hasOptedOut()) send(config.endpoint, toRequests(events))
  })
  const printOnly = isLocalHost(location.hostname) && !config.sendFromLocalhost
  const deliver = printOnly
    ? (queuedEvent: QueuedEvent) => console.log('[aa-dev]', queuedEvent.event, queuedEvent)
    : queue.add

  const recordNow = guarded((event: unknown, properties: unknown) => {
    const queuedEvent = hasOptedOut() ? null : recorder.record(event, properties)
    if (queuedEvent) deliver(queuedEvent)
  }, undefined)

  function track(event: unknown, properties?: unknown): void {
    whenShown(() => recordNow(event, properties))
  }

  function page(name?: unknown): void {
    track('page_view', { page: typeof name === 'string' && name ? name : pageTitle() })
  }

  if (config.requireConsent) queue.hold()
  whenShown(() => storeCampaign(local, tab, location.search))
  api.track = guarded(track, undefined)
  api.page = guarded(page, undefined)
  api.set = guarded(recorder.set, undefined)
  api.getIdentity = guarded(() => readIdentity(local), null)
  api.requireConsent = queue.hold

  whenReady(guarded(() => page(), undefined))
  onLeave(guarded(queue.flush, undefined))
}

if (!window.aa?.installed) {
  const api = inertApi()
  window.aa = api
  const script = findOwnScript()
  const config = script && readConfig(script)
  if (config) guarded(start, undefined)(config, api)
}
