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
export function listen<E extends Event>(target: EventTarget, type: string, handler: (event: E) => void): void {
  target.addEventListener(type, guarded(handler) as EventListener, true)
}

/**
 * Installs `window.aa` with methods that do nothing. So a page may call every method of the contract, also when the tracker
 * does not run (opt-out, Do Not Track). Returns null when a first copy of the script has done so already.
 */
export function installApi(): Api | null {
  if (window.aa?.installed) return null
  const api: Record<string, unknown> = { installed: true }
  for (const name of 'track page identify set experiment getIdentity requireConsent grantConsent revokeConsent'.split(' '))
    api[name] = () => null
  window.aa = api as unknown as Api
  return window.aa
}
