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
  /** True in ours: a script that is loaded twice finds it and leaves everything as it is. */
  installed: true
}

/**
 * The API that does nothing. It is installed first, so that a page may call every method of the contract whether the
 * tracker runs (opt-out, DNT, no token) and whether it has the module of that method; the modules put theirs over it.
 */
export function inertApi(): Api {
  const nothing = () => {}
  return {
    track: nothing,
    page: nothing,
    set: nothing,
    getIdentity: () => null,
    identify: nothing,
    experiment: () => null,
    requireConsent: nothing,
    grantConsent: nothing,
    revokeConsent: nothing,
    installed: true,
  }
}

/** The same method, which gives `otherwise` instead of throwing. */
export function guarded<A extends unknown[], R>(method: (...args: A) => R, otherwise: R): (...args: A) => R {
  return (...args) => {
    try {
      return method(...args)
    } catch {
      return otherwise
    }
  }
}
