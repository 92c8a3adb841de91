/**
 * The host of the view: a chat that shows it in a sandboxed frame. They talk by JSON-RPC over postMessage
 * (MCP Apps, SEP-1865). The view asks the host for nothing but its theme: what it draws, the host sends.
 */

const REVISION = '2026-01-26'

export type ToolResult = {
  isError?: boolean
  content?: readonly { type: string; text?: string }[]
  structuredContent?: unknown
  _meta?: Record<string, unknown>
}

export type HostListener = {
  onResult(result: ToolResult): void
  /** The call was cancelled, so no result comes. */
  onCancelled(): void
  onTheme(theme: 'light' | 'dark'): void
}

type Message = { jsonrpc: '2.0'; id?: number | string; method?: string; params?: unknown; result?: unknown }

const HANDSHAKE = 1
const METHOD_NOT_FOUND = -32_601

/** Greets the host, and hands on what it sends. */
export function connectToHost(listener: HostListener): void {
  const take: Record<string, (params: unknown) => void> = {
    'ui/notifications/tool-result': params => listener.onResult((params ?? {}) as ToolResult),
    'ui/notifications/tool-cancelled': () => listener.onCancelled(),
    'ui/notifications/host-context-changed': params => takeContext(params),
  }

  function takeContext(context: unknown): void {
    const { theme } = (context ?? {}) as { theme?: unknown }
    if (theme === 'light' || theme === 'dark') listener.onTheme(theme)
  }

  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    // Only the host frames the view. Another page that has a reference to it must not fill it.
    if (source !== window.parent || data?.jsonrpc !== '2.0') return
    const { id, method, params, result } = data
    if (method === undefined) {
      if (id !== HANDSHAKE || result === undefined) return
      takeContext((result as { hostContext?: unknown }).hostContext)
      send({ method: 'ui/notifications/initialized', params: {} })
      reportSize()
    } else if (id === undefined) {
      if (Object.hasOwn(take, method)) take[method]?.(params)
    } else if (method === 'ping' || method === 'ui/resource-teardown') {
      send({ id, result: {} })
    } else {
      send({ id, error: { code: METHOD_NOT_FOUND, message: `${method} is unknown` } })
    }
  })
  send({
    id: HANDSHAKE,
    method: 'ui/initialize',
    params: {
      protocolVersion: REVISION,
      appInfo: { name: 'footfall', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    },
  })
}

/** Nothing of the answer is ever sent, so it may go to a host whose address the frame cannot know. */
function send(message: object): void {
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

/** Says the height of the content, now and whenever it changes, so that the host makes room for it. */
function reportSize(): void {
  let known = -1
  const report = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height)
    if (height === known) return
    known = height
    send({ method: 'ui/notifications/size-changed', params: { width: window.innerWidth, height } })
  }
  new ResizeObserver(report).observe(document.documentElement)
}
