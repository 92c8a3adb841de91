import type { Frame, Page } from 'playwright-core'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'

/**
 * A host of MCP Apps for tests: it frames the view without any permission but scripts, as chats do, and talks
 * with it by the messages of SEP-1865. It is written from the specification and shares nothing with the view.
 */

export type Host = {
  page: Page
  frame: Frame
  /** What the view has sent, in order. */
  received(): Promise<Received[]>
  /** Sends a notification, after the handshake. */
  notify(method: string, params: object): Promise<void>
  /** Sends a request and returns the whole response. */
  ask(method: string): Promise<Received>
  /** Shows the result of a tool, after its arguments, and waits until the view has drawn it. */
  show(result: object): Promise<void>
  /** Requests, errors and violations of the policy. */
  faults: string[]
  close(): Promise<void>
}

export type Received = { id?: number | string; method?: string; params?: Record<string, unknown> }

export type HostOptions = {
  theme?: 'light' | 'dark' /** The reader's own setting. */
  system?: 'light' | 'dark'
}

/** Opens the view in a new page, and waits until both have greeted each other. */
export async function openHost(html: string, { theme, system = 'light' }: HostOptions = {}): Promise<Host> {
  const context = await (await sharedBrowser()).newContext({ ...HUMAN_BROWSER, colorScheme: system })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(String(error)))
  page.on('request', request => faults.push(`a request to ${request.url()}`))
  await page.setContent('<title>Chat</title>')
  await page.evaluate(startHost, { html, theme })
  await page.waitForFunction(() => (window as unknown as HostWindow).host.isReady)
  const frame = page.frames().find(each => each !== page.mainFrame()) as Frame
  const notify = (method: string, params: object) =>
    page.evaluate(message => (window as unknown as HostWindow).host.send(message), { method, params })
  return {
    page,
    frame,
    faults,
    received: () => page.evaluate(() => (window as unknown as HostWindow).host.received),
    notify,
    ask: method => page.evaluate(name => (window as unknown as HostWindow).host.ask(name), method),
    async show(result) {
      await notify('ui/notifications/tool-input', { arguments: {} })
      await notify('ui/notifications/tool-result', result)
      await frame.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null)
    },
    close: () => context.close(),
  }
}

type HostWindow = {
  host: {
    isReady: boolean
    received: Received[]
    send(message: object): void
    ask(method: string): Promise<Received>
  }
}

/** Runs in the page of the host. */
function startHost({ html, theme }: { html: string; theme: string | undefined }): void {
  const iframe = document.createElement('iframe')
  const answers = new Map<number | string, (message: Received) => void>()
  const host: HostWindow['host'] = {
    isReady: false,
    received: [],
    send: message => iframe.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*'),
    ask: method =>
      new Promise(resolve => {
        const id = `host-${answers.size}`
        answers.set(id, resolve)
        host.send({ id, method, params: {} })
      }),
  }
  ;(window as unknown as HostWindow).host = host
  window.addEventListener('message', ({ source, data }) => {
    if (source !== iframe.contentWindow) return
    host.received.push(data)
    if (data.method === 'ui/initialize') {
      const hostContext = { ...(theme !== undefined && { theme }), displayMode: 'inline' }
      const hostInfo = { name: 'test', version: '1' }
      const protocolVersion = data.params.protocolVersion
      host.send({ id: data.id, result: { protocolVersion, hostInfo, hostCapabilities: {}, hostContext } })
    }
    if (data.method === 'ui/notifications/initialized') host.isReady = true
    if (data.method === 'ui/notifications/size-changed') iframe.style.height = `${data.params.height}px`
    if (data.id !== undefined && data.method === undefined) answers.get(data.id)?.(data)
  })
  iframe.setAttribute('sandbox', 'allow-scripts')
  iframe.style.width = '640px'
  iframe.srcdoc = html
  document.body.append(iframe)
}
