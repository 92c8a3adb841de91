import type { PausedRequest, RequestAnswerer } from './answer-requests.ts'
import type { CdpEvent } from './cdp-connection.ts'
import type { Browser } from './start-browser.ts'

/** A tab in which a page can be opened. */
export type Tab = {
  targetId: string
  sessionId: string
  /** The document of the page has been read to its end. */
  isLoaded: boolean
  /** When its last request was answered, by performance.now(). */
  lastAnswerAt: number
}

export type PageEvents = ReturnType<typeof createPageEvents>

/**
 * Handles what a browser says: answers the requests of pages, refuses dialogs, closes windows that pages
 * open, and lets service workers and shared workers wait for ever.
 */
export function createPageEvents(browser: Browser, requests: RequestAnswerer) {
  /** By session; a browser has one at a time. */
  const tabs = new Map<string, Tab>()
  let isOpening = false

  /** A tab may be closed at any moment, so that nothing can be sent to it. */
  function tell(method: string, params: Record<string, unknown>, sessionId?: string): void {
    browser.send(method, params, sessionId).catch(() => {})
  }

  /** Opens an empty tab whose requests come to us. */
  async function open(): Promise<Tab> {
    isOpening = true
    await browser.send('Target.setDiscoverTargets', { discover: true })
    await browser.send('Browser.setDownloadBehavior', { behavior: 'deny' })
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' })
    const attached = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    const sessionId = String(attached.sessionId)
    const tab: Tab = {
      targetId: String(targetId),
      sessionId,
      isLoaded: false,
      lastAnswerAt: performance.now(),
    }
    tabs.set(sessionId, tab)
    isOpening = false
    const send = (method: string, params = {}) => browser.send(method, params, sessionId)
    // Workers begin only when we let them.
    await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
    await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 })
    await send('Network.setBypassServiceWorker', { bypass: true })
    await send('Page.enable')
    await send('DOM.enable')
    return tab
  }

  async function answer(tab: Tab, request: PausedRequest): Promise<void> {
    await requests.answer(browser, tab.sessionId, request, tab.targetId).catch(() => {})
    tab.lastAnswerAt = performance.now()
  }

  function handle({ method, params, sessionId = '' }: CdpEvent): void {
    const { targetInfo } = params as { targetInfo?: { targetId: string; type: string } }
    const tab = tabs.get(sessionId)
    if (method === 'Target.targetCreated') {
      const isOwn = tabs.values().some(({ targetId }) => targetId === targetInfo?.targetId)
      if (targetInfo?.type === 'page' && !isOwn && !isOpening) {
        tell('Target.closeTarget', { targetId: targetInfo.targetId })
      }
    } else if (method === 'Target.attachedToTarget') {
      if (targetInfo?.type === 'worker') {
        tell('Runtime.runIfWaitingForDebugger', {}, String(params.sessionId))
      }
    } else if (tab === undefined) return
    else if (method === 'Fetch.requestPaused') void answer(tab, params as PausedRequest)
    else if (method === 'Page.domContentEventFired') tab.isLoaded = true
    // A page whose script leads elsewhere never gets that event.
    else if (method === 'Page.frameStoppedLoading') tab.isLoaded ||= params.frameId === tab.targetId
    else if (method === 'Page.javascriptDialogOpening') {
      tell('Page.handleJavaScriptDialog', { accept: false }, sessionId)
    }
  }

  function close({ targetId, sessionId }: Tab): void {
    tabs.delete(sessionId)
    tell('Target.closeTarget', { targetId })
  }

  return { open, handle, close }
}
