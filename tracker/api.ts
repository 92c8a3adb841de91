import type { Identity } from './identity.ts'

/** `window.aa` (contract 4.3). No method ever throws into the page. */
export type Api = {
  track(event: string, properties?: object): void
  page(name?: string): void
  set(properties: object): void
  getIdentity(): Identity | null
  identify(id: string, traits?: object): void
  experiment(name: string, variants?: string[]): string | null
  requireConsent(): void
  grantConsent(): void
  revokeConsent(): void
  /** Marks our own API. A script that is loaded a second time sees it and does nothing. */
  installed: true
}

/**
 * Creates an API whose methods do nothing. It is installed first, and modules replace its methods. So a page may call every
 * method of the contract, also when the tracker does not run (opt-out, Do Not Track, no token) or has no such module.
 */
export function inertApi(): Api {
  const doNothing = () => {}
  return {
    track: doNothing,
    page: doNothing,
    set: doNothing,
    getIdentity: () => null,
    identify: doNothing,
    experiment: () => null,
    requireConsent: doNothing,
    grantConsent: doNothing,
    revokeConsent: doNothing,
    installed: true,
  }
}

/** Wraps a method so that it returns `fallback` instead of throwing. */
export function guarded<A extends unknown[], R>(method: (...args: A) => R, fallback: R): (...args: A) => R {
  return (...args) => {
    try {
      return method(...args)
    } catch {
      return fallback
    }
  }
}
