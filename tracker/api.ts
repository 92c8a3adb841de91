import type { Api } from './npm/index.d.ts'

/** Wraps a function so that it returns null instead of throwing. Everything that the page or the browser calls is wrapped. */
export function guarded<A extends unknown[], R>(method: (...args: A) => R): (...args: A) => R | null {
  return (...args) => {
    try {
      return method(...args)
    } catch {
      return null
    }
  }
}

/** Calls the handler for each event of this type, before handlers of the page. Its exceptions never reach the page. */
export function listen<E extends Event>(
  target: EventTarget,
  type: string,
  handler: (event: E) => void,
): void {
  target.addEventListener(type, guarded(handler) as EventListener, true)
}

/**
 * Installs `window.aa`. Its methods do nothing until the returned function is called. So a page may call every method of the
 * contract, also when the tracker does not run (opt-out, Do Not Track). Returns null when a first copy of the script has
 * installed it: then this copy does nothing.
 */
export function installApi(methods: Omit<Api, 'installed'>): (() => void) | null {
  if (window.aa?.installed) return null
  let isRunning = false
  const api: Record<string, unknown> = { installed: true }
  for (const [name, method] of Object.entries(methods))
    api[name] = guarded((...args: unknown[]) =>
      isRunning ? (method as (...args: unknown[]) => unknown)(...args) : null,
    )
  window.aa = api as unknown as Api
  return () => {
    isRunning = true
  }
}
